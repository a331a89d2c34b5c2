// The query and its results. They outlive the panel, so that a user who comes back for the next hit continues where
// they were.

import { batch, createEffect, createMemo, createSignal, on, onCleanup } from "solid-js";
import { createStore } from "solid-js/store";
import type { SearchHit, SearchParams, SearchResult } from "../../host/border.gen";
import { messageOf } from "../../host/host";
import type { App } from "../../store/context";
import { readLink } from "./link";

export interface Filters {
  workspaceId: string;
  /** The id of one of times. */
  time: string;
  /** A part of the model's name, "" for any. */
  model: string;
  hasError: boolean;
  /** The id of one of kinds. */
  kind: string;
}

export const times = [
  { id: "", days: 0 },
  { id: "day", days: 1 },
  { id: "week", days: 7 },
  { id: "month", days: 30 },
  { id: "year", days: 365 },
  { id: "older", days: -365 },
] as const;

export const kinds = [
  { id: "", kinds: [] },
  { id: "title", kinds: ["title"] },
  { id: "prompt", kinds: ["prompt"] },
  { id: "answer", kinds: ["answer", "thinking"] },
  { id: "input", kinds: ["tool_input"] },
  { id: "output", kinds: ["tool_output"] },
] as const;

export interface HitGroup {
  sessionId: string;
  title: string;
  cwd: string;
  hits: { hit: SearchHit; index: number }[];
}

const typingDelay = 80;
const pageSize = 30;
/** While conversations are still being read, the search is repeated. */
const again = 1500;
const day = 86_400_000;

export function createSearch({ host, state, actions }: App) {
  const [text, setText] = createSignal("");
  const [filters, setFilters] = createStore<Filters>({ workspaceId: "", time: "", model: "", hasError: false, kind: "" });
  const [result, setResult] = createSignal<SearchResult | null>(null);
  const [error, setError] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const [active, setActive] = createSignal(0);
  let request = 0;
  /** Incremented when the query or the filters change. */
  let version = 0;
  /** Whether the results are for the current query, or the user has chosen among them anyway. */
  let settled = true;
  /** An action requested before that. */
  let early: (() => void) | null = null;

  const link = createMemo(() => readLink(text()));
  const hits = () => result()?.hits ?? [];
  const groups = createMemo(() => grouped(hits()));
  /** The hits in display order. */
  const order = createMemo(() => groups().flatMap((group) => group.hits));
  const filtered = () => Object.values(filters).some((value) => value !== "" && value !== false);

  async function ask(offset: number): Promise<void> {
    const mine = ++request;
    const asked = version;
    const words = text().trim();
    if (words === "" || link()) {
      batch(() => {
        setResult(null);
        setError("");
        setBusy(false);
      });
      settle();
      return;
    }
    setBusy(true);
    try {
      const found = await host.call("search.query", { ...toParams(words, filters, Date.now()), limit: pageSize, offset });
      if (mine !== request) return;
      batch(() => {
        setResult(offset === 0 ? found : { ...found, hits: [...hits(), ...found.hits] });
        setError("");
        setBusy(false);
      });
      if (asked === version) settle();
    } catch (failure) {
      if (mine !== request) return;
      batch(() => {
        setError(messageOf(failure));
        setBusy(false);
      });
      // The pending action needs results for this query.
      if (asked === version) early = null;
    }
  }

  function settle(): void {
    const act = early;
    settled = true;
    early = null;
    act?.();
  }

  createEffect(
    on([text, () => Object.values(filters)], () => {
      setActive(0);
      version++;
      settled = false;
      early = null;
      const timer = setTimeout(() => void ask(0), typingDelay);
      onCleanup(() => clearTimeout(timer));
    }),
  );
  createEffect(
    on(
      () => [result()?.partial, state.library?.search.bytesDone] as const,
      ([partial]) => {
        // A repeated search would drop every page but the first.
        if (!partial || hits().length > pageSize) return;
        const timer = setTimeout(() => void ask(0), again);
        onCleanup(() => clearTimeout(timer));
      },
      { defer: true },
    ),
  );

  return {
    text,
    setText,
    filters,
    setFilters,
    filtered,
    clearFilters: () => setFilters({ workspaceId: "", time: "", model: "", hasError: false, kind: "" }),
    result,
    groups,
    order,
    link,
    error,
    busy,
    active,
    setActive,
    move(by: number) {
      const n = order().length;
      if (n === 0) return;
      setActive((active() + by + n) % n);
      settled = true;
      early = null;
    },
    /** Runs an action on the results for the current query: immediately, or once they have arrived. */
    whenSettled(act: () => void) {
      if (settled) act();
      else early = act;
    },
    /** Drops the pending action. */
    forget() {
      early = null;
    },
    hasMore: () => (result()?.total ?? 0) > hits().length || result()?.more === true,
    more: () => ask(hits().length),
    retry() {
      early = null;
      return ask(0);
    },
    /** Goes to a hit, or to the pasted link. */
    async go(hit: SearchHit | undefined): Promise<void> {
      const to = link();
      if (to) await actions.jump(to.sessionId, { messageId: to.messageId });
      else if (hit && (hit.target !== "" || hit.messageId !== "")) {
        await actions.jump(hit.sessionId, { target: hit.target, messageId: hit.messageId });
      } else if (hit) await actions.jump(hit.sessionId, {});
    },
  };
}

export type SearchModel = ReturnType<typeof createSearch>;

/** The request for the query and filters. */
export function toParams(text: string, filters: Filters, now: number): SearchParams {
  const days = times.find((t) => t.id === filters.time)?.days ?? 0;
  const list = kinds.find((k) => k.id === filters.kind)?.kinds ?? [];
  return {
    text,
    ...(filters.workspaceId && { workspaceId: filters.workspaceId }),
    ...(filters.model && { model: filters.model }),
    ...(filters.hasError && { hasError: true }),
    ...(days > 0 && { since: now - days * day }),
    ...(days < 0 && { until: now + days * day }),
    ...(list.length > 0 && { kinds: [...list] }),
  };
}

/** The hits by session; each session is placed where its best hit is. */
export function grouped(hits: readonly SearchHit[]): HitGroup[] {
  const made = new Map<string, HitGroup>();
  for (const hit of hits) {
    const { sessionId, title, cwd } = hit;
    let group = made.get(sessionId);
    if (!group) made.set(sessionId, (group = { sessionId, title, cwd, hits: [] }));
    group.hits.push({ hit, index: 0 });
  }
  let index = 0;
  for (const group of made.values()) for (const entry of group.hits) entry.index = index++;
  return [...made.values()];
}
