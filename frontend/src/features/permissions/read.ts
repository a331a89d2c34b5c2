// Reads something of the program, again whenever it may have changed.

import { type Accessor, createEffect, createSignal, on, onCleanup } from "solid-js";
import type { GlobalEvent } from "../../host/border.gen";
import { messageOf, type Method, type Params, type Result } from "../../host/host";
import { useApp } from "../../store/context";

export interface Reading<T> {
  /** The newest answer, null before the first one. It stays while another is awaited. */
  answer: Accessor<T | null>;
  /** Why there is no newer one, "" for nothing. */
  error: Accessor<string>;
  busy: Accessor<boolean>;
  again: () => void;
}

/** Asks what params say while there is a link, again after the events; null asks nothing. */
export function createReading<M extends Method>(
  method: M,
  params: () => Params<M> | null,
  events: readonly GlobalEvent["event"][] = [],
): Reading<Result<M>> {
  const { host } = useApp();
  const [answer, setAnswer] = createSignal<Result<M> | null>(null);
  const [error, setError] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const [turn, setTurn] = createSignal(0);
  let asked = 0;
  const again = () => setTurn((n) => n + 1);
  onCleanup(host.onGlobal((event) => events.includes(event.event) && again()));
  onCleanup(() => asked++);
  createEffect(
    on([params, turn, () => host.status().kind], ([what, , link]) => {
      const mine = ++asked;
      if (!what || link !== "open") return;
      setBusy(true);
      host
        .call(method, what)
        .then(
          (found) => {
            if (mine !== asked) return;
            setError("");
            setAnswer(() => found);
          },
          (failure: unknown) => mine === asked && setError(messageOf(failure)),
        )
        .finally(() => mine === asked && setBusy(false));
    }),
  );
  return { answer, error, busy, again };
}
