import { createContext, useContext } from "solid-js";
import type { Task } from "../host/border.gen";
import type { Conversation } from "./state";

/** The context of a timeline's parts: the session around them. */
export interface Scope {
  readonly sessionId: string;
  readonly conversation: Conversation;
  /** The session's folder, to show paths relative to it. */
  readonly cwd: string;
  /** Whether a request for this tool call is pending. */
  asking(toolUseId: string): boolean;
  /** The running background task that a tool call started. */
  task(toolUseId: string): Task | undefined;
}

/** The session context for the parts of a tool card. */
export const ScopeContext = createContext<Scope>();

export function useScope(): Scope {
  const scope = useContext(ScopeContext);
  if (!scope) throw new Error("useScope must be used inside a tool card");
  return scope;
}
