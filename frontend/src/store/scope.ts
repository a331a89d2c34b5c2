import { createContext, useContext } from "solid-js";
import type { Task } from "../host/border.gen";
import type { Conversation } from "./state";

/** What every part of a timeline may need to know about the session around it. */
export interface Scope {
  readonly sessionId: string;
  readonly conversation: Conversation;
  /** The session's folder, for showing paths from there. */
  readonly cwd: string;
  /** Whether a question about this tool use waits for the user. */
  asking(toolUseId: string): boolean;
  /** The background work that a tool use started, while it continues. */
  task(toolUseId: string): Task | undefined;
}

/** What the parts of a tool card know of the session around it. */
export const ScopeContext = createContext<Scope>();

export function useScope(): Scope {
  const scope = useContext(ScopeContext);
  if (!scope) throw new Error("useScope must be used inside a tool card");
  return scope;
}
