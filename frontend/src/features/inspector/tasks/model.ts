// The background tasks of a session's process: loaded when the panel opens, then updated by events.

import type { Accessor } from "solid-js";
import type { Task } from "../../../host/border.gen";
import { createReading } from "../../../store/reading";

export interface TasksModel {
  /** Undefined until loaded; oldest first. */
  tasks: Accessor<Task[] | undefined>;
  error: Accessor<string>;
  refresh: () => void;
}

export function createTasks(sessionId: () => string): TasksModel {
  const reading = createReading("task.list", () => ({ sessionId: sessionId() }), {
    about: sessionId,
    take: (now, event) => (event.event === "task_update" ? { ...now, tasks: withTask(now.tasks, event.payload) } : now),
  });
  return { tasks: () => reading.answer()?.tasks, error: reading.error, refresh: () => void reading.again() };
}

function withTask(list: readonly Task[], update: Task): Task[] {
  const at = list.findIndex((task) => task.taskId === update.taskId);
  return at < 0 ? [...list, update] : list.with(at, { ...list[at], ...update });
}

/** Whether it is still running. */
export const isActive = (task: Task): boolean => task.status === "running" || task.status === "paused";

/** Whether the CLI stores its output. */
export const hasOutput = (task: Task): boolean => task.type !== "local_agent" && task.type !== "remote_agent";
