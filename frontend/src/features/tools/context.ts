import { createContext, useContext } from "solid-js";
import type { Scope } from "../timeline/scope";

/** What the parts of a card know of the session around it. */
export const ScopeContext = createContext<Scope>();

export function useScope(): Scope {
  const scope = useContext(ScopeContext);
  if (!scope) throw new Error("useScope must be used inside a tool card");
  return scope;
}
