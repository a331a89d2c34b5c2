// What a user has begun to answer stays while they look at another session: a
// question that comes back on the page has its half-written texts. They are in the
// page's memory only, by the question.

import { type Accessor, createSignal } from "solid-js";

/** So many questions' texts are kept; the one begun first goes. */
const most = 100;
const begun = new Map<string, Map<string, unknown>>();

/** A value that a question's part keeps, by the part's name. */
export function createKept<T>(requestId: string, name: string, initial: T): [Accessor<T>, (value: T) => void] {
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

/** What a question's part keeps, undefined for nothing. */
export function keptOf<T>(requestId: string, name: string): T | undefined {
  return begun.get(requestId)?.get(name) as T | undefined;
}

/** Forgets all of them, for tests. */
export function forgetKept(): void {
  begun.clear();
}
