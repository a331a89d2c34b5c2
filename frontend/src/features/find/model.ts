// Finds a text in one conversation. The program searches it part by part, from the end backwards, so that matches are
// found in messages that are not loaded. The page requests the next part until there are no more or the query changes.

import { type Accessor, batch, createSignal, onCleanup } from "solid-js";
import type { FindHit } from "../../host/border.gen";
import { type Host, messageOf } from "../../host/host";

/** Search starts this long after the last key. */
const REST_MS = 120;
/** The maximum number of hits kept; matches beyond are counted, but can't be visited. */
const MOST_HITS = 5000;

export interface Query {
  text: string;
  matchCase: boolean;
  words: boolean;
}

/** A match: its hit, and its index within the hit. */
export interface Spot {
  hit: FindHit;
  nth: number;
}

export interface Finder {
  query: Accessor<Query>;
  set(change: Partial<Query>): void;
  /** Whether more matches may follow. */
  busy: Accessor<boolean>;
  error: Accessor<string>;
  /** The number of matches, and the current one, from 1, the newest; 0 for none. */
  places: Accessor<number>;
  at: Accessor<number>;
  spot: Accessor<Spot | null>;
  messages: Accessor<{ done: number; total: number }>;
  /** Goes to the next older match (1) or the next newer one (-1), wrapping around. */
  step(by: 1 | -1): void;
}

export function createFinder(host: Host, sessionId: string, show: (spot: Spot) => void): Finder {
  const [query, setQuery] = createSignal<Query>({ text: "", matchCase: false, words: false });
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal("");
  const [places, setPlaces] = createSignal(0);
  const [at, setAt] = createSignal(0);
  const [spot, setSpot] = createSignal<Spot | null>(null);
  const [messages, setMessages] = createSignal({ done: 0, total: 0 });
  /** Newest first, with the number of matches before each. */
  let hits: { hit: FindHit; before: number }[] = [];
  let reachable = 0;
  let serial = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => {
    clearTimeout(timer);
    serial++;
  });

  function clear(): void {
    hits = [];
    reachable = 0;
    batch(() => {
      setPlaces(0);
      setAt(0);
      setSpot(null);
      setError("");
      setMessages({ done: 0, total: 0 });
    });
  }

  async function run(): Promise<void> {
    const mine = ++serial;
    clear();
    const { text, matchCase, words } = query();
    setBusy(text !== "");
    if (text === "") return;
    let before = "";
    try {
      for (;;) {
        const page = await host.call("session.find", { sessionId, text, matchCase, words, before });
        if (mine !== serial) return;
        const first = places() === 0 && page.places > 0;
        for (const hit of page.hits.toReversed()) {
          if (hits.length >= MOST_HITS) break;
          hits.push({ hit, before: reachable });
          reachable += hit.count;
        }
        batch(() => {
          setPlaces(places() + page.places);
          setMessages({ done: messages().done + page.messages, total: Math.max(messages().total, page.total) });
          if (first) go(1);
        });
        if (page.before === "" || page.before === before) break;
        ({ before } = page);
      }
    } catch (failure) {
      if (mine === serial) setError(messageOf(failure));
    }
    if (mine === serial) setBusy(false);
  }

  function go(to: number): void {
    // Binary search for the last hit that starts at or before it.
    let low = 0;
    let high = hits.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((hits[middle]?.before ?? 0) < to) low = middle;
      else high = middle - 1;
    }
    const found = hits[low];
    if (!found) return;
    // Within a block, order is top to bottom, while matches are counted from the end.
    const next = { hit: found.hit, nth: found.hit.count - (to - found.before) };
    batch(() => {
      setAt(to);
      setSpot(next);
    });
    show(next);
  }

  return {
    query,
    busy,
    error,
    places,
    at,
    spot,
    messages,
    set(change) {
      setQuery({ ...query(), ...change });
      clearTimeout(timer);
      serial++;
      timer = setTimeout(() => void run(), REST_MS);
    },
    step(by) {
      if (reachable === 0) return;
      go(((at() - 1 + by + reachable) % reachable) + 1);
    },
  };
}
