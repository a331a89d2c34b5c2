// Answering one question once.

import { type Accessor, createSignal, onCleanup } from "solid-js";
import type { PermissionRespondParams, PermissionRespondResult } from "../../host/border.gen";
import { messageOf } from "../../host/host";

/** A click or key meant for something else must not answer a question that has just come up. */
export const GUARD_MS = 500;

export type Reply = Omit<PermissionRespondParams, "requestId"> & {
  /** The permission mode that follows an approved plan. */
  mode?: string;
};

/** How a question ended. */
export type Ending = Pick<PermissionRespondResult, "won" | "outcome" | "by">;

export type Respond = (params: { requestId: string } & Reply) => Promise<Ending>;

export interface Answer {
  /** "guarded" at first, "sending" from the answer on. */
  phase: Accessor<"guarded" | "ready" | "sending">;
  /** Why the answer could not be given, "" when it could. */
  error: Accessor<string>;
  /** Gives the answer, unless one is under way or the question is too new. Resolves to how the question ended, null when the answer was not given. */
  give(reply: Reply): Promise<Ending | null>;
  /** Takes the fault of the last answer back: another one is being written. */
  clear(): void;
}

/** Respond resolves to how the question ended; onLate is called when another answer was the first. */
export function createAnswer(requestId: string, respond: Respond, onLate: (ending: Ending) => void): Answer {
  const [phase, setPhase] = createSignal<"guarded" | "ready" | "sending">("guarded");
  const [error, setError] = createSignal("");
  const timer = setTimeout(() => setPhase("ready"), GUARD_MS);
  onCleanup(() => clearTimeout(timer));

  const send = async (reply: Reply) => {
    try {
      const ending = await respond({ requestId, ...reply });
      if (!ending.won) onLate(ending);
      return ending;
    } catch (failure) {
      setError(messageOf(failure));
      setPhase("ready");
      return null;
    }
  };
  return {
    phase,
    error,
    clear: () => setError(""),
    give(reply) {
      if (phase() !== "ready") return Promise.resolve(null);
      setPhase("sending");
      setError("");
      return send(reply);
    },
  };
}
