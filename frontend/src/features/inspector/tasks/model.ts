// The background work of a session's process: what the program knows when the panel
// is opened, and what it tells from then on.

import { type Accessor, createEffect, createSignal, on, onCleanup, untrack } from "solid-js";
import type { Task } from "../../../host/border.gen";
import { messageOf } from "../../../host/host";
import { useApp } from "../../../store/context";

export interface TasksModel {
  /** Undefined until they were read; oldest first. */
  tasks: Accessor<Task[] | undefined>;
  error: Accessor<string>;
  refresh: () => void;
}

export function createTasks(sessionId: () => string): TasksModel {
  const { host } = useApp();
  const [tasks, setTasks] = createSignal<Task[]>();
  const [error, setError] = createSignal("");
  let reading = 0;

  async function read(): Promise<void> {
    const mine = ++reading;
    try {
      const found = await host.call("task.list", { sessionId: untrack(sessionId) });
      if (mine !== reading) return;
      setTasks(found.tasks);
      setError("");
    } catch (failure) {
      if (mine === reading) setError(messageOf(failure));
    }
  }

  createEffect(
    on(sessionId, () => {
      setTasks(undefined);
      void read();
    }),
  );
  const stop = host.onEvents((events) => {
    const id = untrack(sessionId);
    for (const { event, payload } of events) {
      if (event === "task_update" && payload.sessionId === id) setTasks((list) => list && withTask(list, payload));
    }
  });
  onCleanup(() => {
    reading = -1;
    stop();
  });
  return { tasks, error, refresh: () => void read() };
}

function withTask(list: readonly Task[], update: Task): Task[] {
  const at = list.findIndex((task) => task.taskId === update.taskId);
  return at < 0 ? [...list, update] : list.with(at, { ...list[at], ...update });
}

/** Whether it still goes on. */
export const goesOn = (task: Task): boolean => task.status === "running" || task.status === "paused";

/** Whether the CLI keeps what it writes. */
export const hasOutput = (task: Task): boolean => task.type !== "local_agent" && task.type !== "remote_agent";
