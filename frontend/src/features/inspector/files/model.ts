// What a session changed, read anew when its tools have done something.

import { type Accessor, createEffect, createSignal, on, onCleanup, untrack } from "solid-js";
import type { ChangeList, OutsideChanges } from "../../../host/border.gen";
import { messageOf } from "../../../host/host";
import { useApp } from "../../../store/context";

/** The CLI writes down what it did a moment after it said so. */
const settleAfter = 700;

export interface ChangesModel {
  /** Undefined until it was read. */
  list: Accessor<ChangeList | undefined>;
  /** What git says besides; undefined until it was read. */
  outside: Accessor<OutsideChanges | undefined>;
  error: Accessor<string>;
  /** Reads it all once more. Settles when that was done, or when it failed. */
  refresh: () => Promise<void>;
}

/** The tools after which the files may be others. */
const tools = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit", "Bash", "Agent", "Task"]);

/** Whether a tool by this name changes files that the program knows of. */
export const editsFiles = (name: string): boolean => ["Edit", "MultiEdit", "Write", "NotebookEdit"].includes(name);

export function createChanges(sessionId: () => string): ChangesModel {
  const { host } = useApp();
  const [list, setList] = createSignal<ChangeList>();
  const [outside, setOutside] = createSignal<OutsideChanges>();
  const [error, setError] = createSignal("");
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading = 0;

  async function read(): Promise<void> {
    const mine = ++reading;
    const id = untrack(sessionId);
    try {
      const found = await host.call("change.list", { sessionId: id });
      if (mine !== reading) return;
      setList(found);
      setError("");
      const besides = await host.call("change.outside", { sessionId: id });
      if (mine === reading) setOutside(besides);
    } catch (failure) {
      if (mine === reading) setError(messageOf(failure));
    }
  }

  function soon(): void {
    clearTimeout(timer);
    timer = setTimeout(() => void read(), settleAfter);
  }

  createEffect(
    on(sessionId, () => {
      setList(undefined);
      setOutside(undefined);
      void read();
    }),
  );
  const stop = host.onEvents((events) => {
    const id = untrack(sessionId);
    const news = events.some(
      ({ event, payload }) => payload.sessionId === id && (event === "done" || (event === "tool_result" && tools.has(payload.name))),
    );
    if (news) soon();
  });
  onCleanup(() => {
    reading = -1;
    clearTimeout(timer);
    stop();
  });
  return { list, outside, error, refresh: read };
}
