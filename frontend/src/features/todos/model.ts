// What the session's model has written down to be done: from the CLI's own list on
// disk, or, in conversations of CLIs that had none, from its last TodoWrite.

import { createEffect, createSignal, on, onCleanup, untrack } from "solid-js";
import type { Session, Todo } from "../../host/border.gen";
import { listField, textField } from "../../lib/shape";
import { useApp } from "../../store/context";
import { type Conversation, isBusy } from "../../store/state";

const LISTED: ReadonlySet<string> = new Set(["TaskCreate", "TaskUpdate", "TaskList", "TodoWrite"]);
/** Several results of one answer are read once. */
const SOON_MS = 80;
/** So long a finished list stays. */
const LINGER_MS = 2000;

export interface TodoModel {
  todos: () => readonly Todo[];
  unread: () => number;
  /** Whether there is something to show. */
  shown: () => boolean;
  /** Puts the list away until it changes. */
  hide(): void;
}

export function createTodos(session: () => Session): TodoModel {
  const { host, state } = useApp();
  const [todos, setTodos] = createSignal<readonly Todo[]>([]);
  const [unread, setUnread] = createSignal(0);
  const [hidden, setHidden] = createSignal("");
  const [lingers, setLingers] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;

  async function read(): Promise<void> {
    const serial = ++asked;
    const id = untrack(session).id;
    try {
      const list = await host.call("todo.list", { sessionId: id });
      if (serial !== asked) return;
      setUnread(list.unread);
      setTodos(list.todos.length > 0 ? list.todos : written(state.conversations[id]));
    } catch {
      // It is an aside: the conversation says what went wrong, if anything did.
      if (serial === asked) setTodos(written(state.conversations[id]));
    }
  }
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void read(), SOON_MS);
  };

  createEffect(on(() => [session().id, session().cliSessionId, state.conversations[session().id]?.load], soon));
  onCleanup(
    host.onEvents((batch) => {
      const id = untrack(session).id;
      if (batch.some((e) => e.event === "tool_result" && e.payload.sessionId === id && LISTED.has(e.payload.name))) soon();
    }),
  );
  onCleanup(() => clearTimeout(timer));

  const finished = () => todos().every((t) => t.state === "completed");
  // A list that is finished goes when the turn is over, not under the eyes of who reads it.
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

/** The newest list that a TodoWrite of the main thread wrote. */
export function written(conversation: Conversation | undefined): readonly Todo[] {
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
