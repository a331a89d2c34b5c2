// What a session changed, read again when its tools have done something.

import type { Accessor } from "solid-js";
import type { ChangeList, OutsideChanges } from "../../../host/border.gen";
import { createReading } from "../../../store/reading";

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

/** Whether an undo would do anything with such a file. */
export function doable(action: string): boolean {
  return action === "restore" || action === "delete" || action === "create";
}

export function createChanges(sessionId: () => string): ChangesModel {
  const list = createReading("change.list", () => ({ sessionId: sessionId() }), {
    about: sessionId,
    settle: settleAfter,
    events: ({ event, payload }) => event === "done" || (event === "tool_result" && tools.has(payload.name)),
  });
  // Git takes longer: it is asked when the list is there, and again with each new one.
  const outside = createReading("change.outside", () => (list.answer() ? { sessionId: sessionId() } : null), { about: sessionId });
  return {
    list: () => list.answer() ?? undefined,
    outside: () => outside.answer() ?? undefined,
    error: () => list.error() || outside.error(),
    refresh: list.again,
  };
}
