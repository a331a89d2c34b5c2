// Answering one question once.

import { type Accessor, createSignal, onCleanup } from "solid-js";
import type { PermissionRespondParams } from "../../host/border.gen";
import { messageOf } from "../../host/host";

/** A click or key meant for something else must not answer a question that has just come up. */
export const GUARD_MS = 500;

export type Reply = Omit<PermissionRespondParams, "requestId">;

export interface Answer {
  /** "guarded" at first, "sending" from the answer on. */
  phase: Accessor<"guarded" | "ready" | "sending">;
  /** Why the answer could not be given, "" when it could. */
  error: Accessor<string>;
  /** Gives the answer, unless one is under way or the question is too new. */
  give(reply: Reply): void;
}

/** Respond resolves to whether the answer was the first; onLate is called when it was not. */
export function createAnswer(
  requestId: string,
  respond: (params: PermissionRespondParams) => Promise<boolean>,
  onLate: () => void,
): Answer {
  const [phase, setPhase] = createSignal<"guarded" | "ready" | "sending">("guarded");
  const [error, setError] = createSignal("");
  const timer = setTimeout(() => setPhase("ready"), GUARD_MS);
  onCleanup(() => clearTimeout(timer));

  const send = async (reply: Reply) => {
    try {
      if (!(await respond({ requestId, ...reply }))) onLate();
    } catch (failure) {
      setError(messageOf(failure));
      setPhase("ready");
    }
  };
  return {
    phase,
    error,
    give(reply) {
      if (phase() !== "ready") return;
      setPhase("sending");
      setError("");
      void send(reply);
    },
  };
}
