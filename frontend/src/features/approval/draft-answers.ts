// Keeps unfinished answers while the user visits another session: a request that reappears still has its drafts. They
// live in the page's memory only, keyed by request.

import { type Accessor, createSignal } from "solid-js";

/** Drafts are kept for this many requests; the oldest is dropped first. */
const most = 100;
const begun = new Map<string, Map<string, unknown>>();

/** A value kept for a part of a request, by the part's name. */
export function createPinnedRows<T>(requestId: string, name: string, initial: T): [Accessor<T>, (value: T) => void] {
  const before = begun.get(requestId);
  const [value, set] = createSignal<T>(before?.has(name) ? (before.get(name) as T) : initial);
  return [
    value,
    (next) => {
      const mine = begun.get(requestId) ?? new Map<string, unknown>();
      begun.set(requestId, mine.set(name, next));
      const first = begun.keys().next().value;
      if (begun.size > most && first !== undefined) begun.delete(first);
      set(() => next);
    },
  ];
}

/** The kept value of a part, undefined for none. */
export function keptOf<T>(requestId: string, name: string): T | undefined {
  return begun.get(requestId)?.get(name) as T | undefined;
}

/** Clears everything, for tests. */
export function forgetKept(): void {
  begun.clear();
}
