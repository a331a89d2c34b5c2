// The one way to read what the program knows: as soon as there is a link and whenever one
// comes back, when an event says that it may have changed, and when events of its session
// were missed. Events of sessions are heard after the state reflects them.

import { type Accessor, createComputed, createEffect, createSignal, on, onCleanup, untrack } from "solid-js";
import type { GlobalEvent, SessionEvent } from "../host/border.gen";
import { messageOf, type Method, type Params, type Result } from "../host/host";
import { useApp } from "./context";

export interface Reading<T> {
  /** The newest answer, null before the first one. It stays while another is awaited. */
  answer: Accessor<T | null>;
  /** Why there is no newer one, "" for nothing. */
  error: Accessor<string>;
  busy: Accessor<boolean>;
  /** Asks once more. Settles when there is an answer, or none. */
  again: () => Promise<void>;
  /** Takes an answer that came another way, newer than any that is awaited. */
  put: (answer: T) => void;
}

export interface Until<T> {
  /** The global events after which it is read again. */
  globals?: readonly GlobalEvent["event"][];
  /** Which events of the session that the parameters name have it read again. */
  events?: (event: SessionEvent) => boolean;
  /** What an event says already is put into the answer, without another question. */
  take?: (now: T, event: GlobalEvent | SessionEvent) => T;
  /** Events within so many ms of each other are one; while they never end, it is read at each fourth of these. */
  settle?: number;
  /** Whenever this changes it is read again, with the same parameters. */
  anew?: Accessor<unknown>;
  /** What it is about: when that changes, the answer before says nothing any more. */
  about?: Accessor<unknown>;
}

const most = 4;

/** Asks what params say; null asks nothing. Runs inside an owner. */
export function createReading<M extends Method>(method: M, params: () => Params<M> | null, until: Until<Result<M>> = {}): Reading<Result<M>> {
  const { host, follow } = useApp();
  const { globals = [], events, take, settle = 0, anew, about } = until;
  const [answer, setAnswer] = createSignal<Result<M> | null>(null);
  const [error, setError] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  let asked = 0;
  /** An event changed the answer while another was on its way, which may know nothing of it. */
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

  /** The session that is read, if it is one's. */
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
