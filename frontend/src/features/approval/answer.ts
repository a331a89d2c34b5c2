// Answers a request exactly once.

import { type Accessor, createSignal, onCleanup } from "solid-js";
import type { PermissionRespondParams, PermissionRespondResult } from "../../host/border.gen";
import { messageOf } from "../../host/host";

/** Ignores clicks and keys meant for something else while a request has just appeared. */
export const GUARD_MS = 500;

export type Reply = Omit<PermissionRespondParams, "requestId"> & {
  /** The permission mode after an approved plan. */
  mode?: string;
};

/** The outcome of a request. */
export type Ending = Pick<PermissionRespondResult, "won" | "outcome" | "by">;

export type Respond = (params: { requestId: string } & Reply) => Promise<Ending>;

export interface Answer {
  /** "guarded" at first, "sending" once answered. */
  phase: Accessor<"guarded" | "ready" | "sending">;
  /** Why the answer could not be sent, "" for none. */
  error: Accessor<string>;
  /** Sends the answer, unless one is being sent or the request is too new. Resolves to the outcome, or null if nothing
   * was sent. */
  give(reply: Reply): Promise<Ending | null>;
  /** Clears the last error, because the answer is being changed. */
  clear(): void;
}

/** Respond resolves to the outcome; onLate is called when another answer came first. */
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
