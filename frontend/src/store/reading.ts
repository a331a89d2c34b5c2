// The standard way to read data from the program: it loads once connected and after each reconnect, when an event says
// that it may have changed, and when events of its session were missed. Session events are handled after the state
// reflects them.

import { type Accessor, createComputed, createEffect, createSignal, on, onCleanup, untrack } from "solid-js";
import type { GlobalEvent, SessionEvent } from "../host/border.gen";
import { messageOf, type Method, type Params, type Result } from "../host/host";
import { useApp } from "./context";

export interface Reading<T> {
  /** The latest answer, null before the first. It stays while a new one is pending. */
  answer: Accessor<T | null>;
  /** Why the last request failed, "" for none. */
  error: Accessor<string>;
  busy: Accessor<boolean>;
  /** Reloads. Settles on success or failure. */
  again: () => Promise<void>;
  /** Sets an answer obtained elsewhere, which is newer than any pending one. */
  put: (answer: T) => void;
}

export interface Until<T> {
  /** The global events that cause a reload. */
  globals?: readonly GlobalEvent["event"][];
  /** Which events of the session in the parameters cause a reload. */
  events?: (event: SessionEvent) => boolean;
  /** Applies an event to the answer directly, without a reload. */
  take?: (now: T, event: GlobalEvent | SessionEvent) => T;
  /** Debounce time in ms; during continuous events, it reloads at every fourth interval. */
  settle?: number;
  /** Reloads with the same parameters when this changes. */
  anew?: Accessor<unknown>;
  /** The subject: when it changes, the previous answer is dropped. */
  about?: Accessor<unknown>;
}

const most = 4;

/** Requests what params returns; null requests nothing. Runs inside an owner. */
export function createReading<M extends Method>(method: M, params: () => Params<M> | null, until: Until<Result<M>> = {}): Reading<Result<M>> {
  const { host, follow } = useApp();
  const { globals = [], events, take, settle = 0, anew, about } = until;
  const [answer, setAnswer] = createSignal<Result<M> | null>(null);
  const [error, setError] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  let asked = 0;
  /** An event changed the answer while a request was pending, which may not reflect it. */
  let taken = false;

  async function read(what = untrack(params)): Promise<void> {
    const mine = ++asked;
    if (!what || untrack(host.status).kind !== "open") {
      setBusy(false);
      return;
    }
    taken = false;
    setBusy(true);
    try {
      const found = await host.call(method, what);
      if (mine !== asked) return;
      setError("");
      setAnswer(() => found);
    } catch (failure) {
      if (mine === asked) setError(messageOf(failure));
    } finally {
      if (mine === asked) setBusy(false);
    }
    if (mine === asked && taken) await read();
  }

  let timer: ReturnType<typeof setTimeout> | undefined;
  let first = 0;
  function soon(): void {
    if (settle === 0) {
      void read();
      return;
    }
    clearTimeout(timer);
    const now = Date.now();
    first ||= now;
    if (now - first >= most * settle) {
      first = now;
      void read();
    }
    timer = setTimeout(() => {
      first = 0;
      void read();
    }, settle);
  }

  function hear(event: GlobalEvent | SessionEvent): void {
    const now = untrack(answer);
    if (!take || now === null) return;
    const next = take(now, event);
    if (next === now) return;
    taken = true;
    setAnswer(() => next);
  }

  /** The session in the parameters, if any. */
  const session = (): unknown => {
    const what: object | null = untrack(params);
    return what && "sessionId" in what ? what.sessionId : undefined;
  };

  if (about) createComputed(on(about, () => setAnswer(null), { defer: true }));
  createEffect(on([params, () => host.status().kind, () => anew?.()], ([what]) => void read(what)));
  if (globals.length > 0 || take) {
    onCleanup(
      host.onGlobal((event) => {
        hear(event);
        if (globals.includes(event.event)) soon();
      }),
    );
  }
  if (events || take) {
    onCleanup(
      follow({
        applied(batch) {
          const id = session();
          for (const event of batch) {
            if (event.payload.sessionId !== id) continue;
            hear(event);
            if (events?.(event)) soon();
          }
        },
        missed: (id) => id === session() && void read(),
      }),
    );
  }
  onCleanup(() => {
    asked++;
    clearTimeout(timer);
  });
  function put(found: Result<M>): void {
    asked++;
    setBusy(false);
    setError("");
    setAnswer(() => found);
  }
  return { answer, error, busy, again: () => read(), put };
}
