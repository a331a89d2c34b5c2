// The session's task list: from the CLI's own list on disk, or, for CLIs without one, from the last TodoWrite.

import { createEffect, createMemo, createSignal, on, onCleanup, untrack } from "solid-js";
import type { Session, Todo } from "../../host/border.gen";
import { listField, textField } from "../../lib/shape";
import { useApp } from "../../store/context";
import { createReading } from "../../store/reading";
import { type Conversation, isBusy } from "../../store/state";

const LISTED: ReadonlySet<string> = new Set(["TaskCreate", "TaskUpdate", "TaskList", "TodoWrite"]);
/** Several results of one answer cause a single reload. */
const SOON_MS = 80;
/** How long a finished list stays. */
const LINGER_MS = 2000;

export interface TodoModel {
  todos: () => readonly Todo[];
  unread: () => number;
  /** Whether there is something to show. */
  shown: () => boolean;
  /** Hides the list until it changes. */
  hide(): void;
}

export function createTodos(session: () => Session): TodoModel {
  const { state } = useApp();
  const [hidden, setHidden] = createSignal("");
  const [lingers, setLingers] = createSignal(false);
  const id = () => session().id;
  const loaded = () => state.conversations[id()]?.load === "ready";
  const reading = createReading(
    "todo.list",
    () => ({ sessionId: id() }),
    {
      about: id,
      // Another CLI process has another list, and a TodoWrite's list is in the messages.
      anew: () => `${session().cliSessionId} ${loaded()}`,
      settle: SOON_MS,
      events: (event) => event.event === "tool_result" && LISTED.has(event.payload.name),
    },
  );
  // Errors are ignored here; the conversation shows what matters.
  const todos = createMemo(
    on([reading.answer, reading.error], ([list, error]): readonly Todo[] => {
      if (!list && !error) return [];
      return list && !error && list.todos.length > 0 ? list.todos : written(state.conversations[untrack(id)]);
    }),
  );
  const unread = () => reading.answer()?.unread ?? 0;

  const finished = () => todos().every((t) => t.state === "completed");
  // A finished list disappears when the turn has ended, not while it is being read.
  createEffect(
    on(
      () => finished() && !isBusy(session()),
      (over, before) => {
        if (!over || before !== false) return;
        setLingers(true);
        const end = setTimeout(() => setLingers(false), LINGER_MS);
        onCleanup(() => {
          clearTimeout(end);
          setLingers(false);
        });
      },
    ),
  );
  const mark = () => JSON.stringify(todos().map((t) => [t.id, t.state, t.subject]));

  return {
    todos,
    unread,
    shown: () => todos().length > 0 && hidden() !== mark() && (!finished() || isBusy(session()) || lingers()),
    hide: () => setHidden(mark()),
  };
}

/** The latest list from a TodoWrite of the main thread. */
function written(conversation: Conversation | undefined): readonly Todo[] {
  if (!conversation) return [];
  for (const id of conversation.order.toReversed()) {
    const message = conversation.messages[id];
    const found = message?.blockIds.findLast((b) => {
      const tool = conversation.blocks[b]?.tool;
      return tool?.name === "TodoWrite" && tool.state === "done";
    });
    const tool = found === undefined ? undefined : conversation.blocks[found]?.tool;
    if (!tool) continue;
    return listField(tool.input, "todos").map((item, at) => {
      const status = textField(item, "status");
      return {
        id: String(at + 1), subject: textField(item, "content"), doing: textField(item, "activeForm"), about: "", owner: "", blockedBy: [],
        state: status === "completed" || status === "in_progress" ? status : "pending",
      };
    });
  }
  return [];
}
