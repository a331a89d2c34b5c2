// The files a session changed, reloaded after its tools ran.

import type { Accessor } from "solid-js";
import type { ChangeList, OutsideChanges } from "../../../host/border.gen";
import { createReading } from "../../../store/reading";

/** The CLI writes its record shortly after reporting the tool result. */
const settleAfter = 700;

export interface ChangesModel {
  /** Undefined until loaded. */
  list: Accessor<ChangeList | undefined>;
  /** Further changes found by git; undefined until loaded. */
  outside: Accessor<OutsideChanges | undefined>;
  error: Accessor<string>;
  /** Reloads everything. Settles when that succeeded or failed. */
  refresh: () => Promise<void>;
}

/** The tools that may change files. */
const tools = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit", "Bash", "Agent", "Task"]);

/** Whether this tool changes files in a way the program tracks. */
export const editsFiles = (name: string): boolean => ["Edit", "MultiEdit", "Write", "NotebookEdit"].includes(name);

/** Whether an undo has an effect on such a file. */
export function isUndoable(action: string): boolean {
  return action === "restore" || action === "delete" || action === "create";
}

export function createChanges(sessionId: () => string): ChangesModel {
  const list = createReading("change.list", () => ({ sessionId: sessionId() }), {
    about: sessionId,
    settle: settleAfter,
    events: ({ event, payload }) => event === "done" || (event === "tool_result" && tools.has(payload.name)),
  });
  // Git takes longer: query it after each update of the list.
  const outside = createReading("change.outside", () => (list.answer() ? { sessionId: sessionId() } : null), { about: sessionId });
  return {
    list: () => list.answer() ?? undefined,
    outside: () => outside.answer() ?? undefined,
    error: () => list.error() || outside.error(),
    refresh: list.again,
  };
}
