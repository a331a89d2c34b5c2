// The run history: pages of records, the days of the last weeks, and one day as a timeline.

import { createEffect, createSignal, on, onCleanup } from "solid-js";
import type { Heartbeat, HeartbeatRecord } from "../../host/border.gen";
import { type Host, messageOf } from "../../host/host";
import { type Group, groupOf, groups } from "./words";

export const days = 28;
const pageSize = 1000;
/** The maximum number of pages read at once: for the plot, and for rare outcomes. */
const mostPages = 10;
/** How many more records the table shows at a time. */
export const tableSize = 50;
/** The maximum number of bars in a day's timeline. */
export const mostBars = 400;

export const atOf = (record: Pick<HeartbeatRecord, "dueAt" | "startedAt">): number => record.dueAt || record.startedAt;

/** Midnight of a time's day, or of a number of days before. */
export function midnight(at: number, before = 0): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - before).getTime();
}

export interface Plot {
  /** Midnights, oldest first. */
  days: number[];
  /** How often each occurred, by day. */
  counts: Record<(typeof groups)[number], number[]>;
}

export function plotOf(records: readonly HeartbeatRecord[], now: number): Plot {
  const starts = Array.from({ length: days }, (_, i) => midnight(now, days - 1 - i));
  const index = new Map(starts.map((start, i) => [start, i]));
  const counts: Plot["counts"] = { found: [], nothing: [], failed: [], cancelled: [], notRun: [] };
  for (const group of groups) counts[group] = starts.map(() => 0);
  for (const record of records) {
    const day = index.get(midnight(atOf(record)));
    const group = groupOf(record);
    if (day === undefined || group === "underway") continue;
    counts[group][day] = (counts[group][day] ?? 0) + Math.max(1, record.count);
  }
  return { days: starts, counts };
}

interface Bar {
  record: HeartbeatRecord;
  /** Its start and width, in percent of the day. */
  start: number;
  width: number;
}

export interface Lane {
  name: string;
  bars: Bar[];
}

/** A day as timelines, one per heartbeat. If there are too many runs, only the newest are drawn. */
export function lanesOf(records: readonly HeartbeatRecord[], day: number, now: number): { lanes: Lane[]; cut: boolean } {
  const end = midnight(day, -1);
  const length = end - day;
  const found = records.filter((record) => atOf(record) >= day && atOf(record) < end).toSorted((a, b) => atOf(b) - atOf(a));
  const lanes = new Map<string, Lane>();
  for (const record of found.slice(0, mostBars)) {
    const from = Math.max(day, record.startedAt || record.dueAt);
    const to = record.startedAt === 0 ? from : Math.min(end, record.endedAt || now);
    const lane = lanes.get(record.name) ?? { name: record.name, bars: [] };
    lanes.set(record.name, lane);
    lane.bars.unshift({ record, start: (100 * (Math.min(from, end) - day)) / length, width: (100 * Math.max(0, to - from)) / length });
  }
  return { lanes: [...lanes.values()].toSorted((a, b) => a.name.localeCompare(b.name)), cut: found.length > mostBars };
}

export interface Due {
  name: string;
  at: number;
}

/** The next due times over all heartbeats. */
export function nextOf(due: readonly Due[], most = 10): Due[] {
  return due.toSorted((a, b) => a.at - b.at || a.name.localeCompare(b.name)).slice(0, most);
}

/** Only these can be among the next ten. */
export const soonest = (heartbeats: readonly Heartbeat[], name: string, most = 10): Heartbeat[] =>
  heartbeats
    .filter((heartbeat) => heartbeat.next > 0 && (name === "" || heartbeat.name === name))
    .toSorted((a, b) => a.next - b.next)
    .slice(0, most);

export interface Filter {
  name: string;
  group: Group | "";
}

export interface History {
  /** The records read so far that match the filter, newest first. */
  records: () => readonly HeartbeatRecord[];
  /** All records of the last weeks, whatever the filter for outcomes. */
  recent: () => readonly HeartbeatRecord[];
  /** Days before this one are incomplete, 0 if all are complete. */
  completeFrom: () => number;
  more: () => boolean;
  busy: () => boolean;
  read: () => boolean;
  error: () => string;
  older: () => void;
  again: () => void;
}

/** Reads the records: the last weeks immediately, older pages on demand. */
export function createHistory(host: Host, filter: () => Filter): History {
  const [all, setAll] = createSignal<readonly HeartbeatRecord[]>([]);
  const [more, setMore] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [read, setRead] = createSignal(false);
  const [error, setError] = createSignal("");
  const [turn, setTurn] = createSignal(0);
  let asked = 0;
  const name = () => filter().name;
  let soon: ReturnType<typeof setTimeout> | undefined;
  // Debounced: many runs may end within a second.
  const again = () => {
    soon ??= setTimeout(() => {
      soon = undefined;
      setTurn((n) => n + 1);
    }, 300);
  };
  onCleanup(() => {
    clearTimeout(soon);
    asked++;
  });
  onCleanup(host.onGlobal((event) => event.event === "heartbeats.changed" && again()));

  async function run(mine: number, begin: readonly HeartbeatRecord[], done: (records: readonly HeartbeatRecord[]) => boolean): Promise<void> {
    setBusy(true);
    try {
      let records = begin;
      for (let page = 0; page < mostPages; page++) {
        const last = records.at(-1);
        const found = await host.call("heartbeat.history", { limit: pageSize, ...(name() ? { name: name() } : {}), ...(last ? { before: last.id } : {}) });
        if (mine !== asked) return;
        records = [...records, ...found.records];
        setMore(found.more);
        if (!found.more || done(records)) break;
      }
      setAll(records);
      setError("");
      setRead(true);
    } catch (failure) {
      if (mine === asked) setError(messageOf(failure));
    } finally {
      if (mine === asked) setBusy(false);
    }
  }

  createEffect(
    on([name, turn, () => host.status().kind], ([, , link], before) => {
      if (link !== "open") return;
      if (before && before[0] !== name()) {
        setAll([]);
        setRead(false);
      }
      const first = midnight(Date.now(), days - 1);
      const had = all().length;
      void run(++asked, [], (records) => atOf(records.at(-1) ?? { dueAt: 0, startedAt: 0 }) < first && records.length >= had);
    }),
  );

  const fits = (record: HeartbeatRecord) => filter().group === "" || groupOf(record) === filter().group;
  return {
    records: () => all().filter(fits),
    recent: all,
    completeFrom() {
      const last = all().at(-1);
      const first = midnight(Date.now(), days - 1);
      return more() && last && atOf(last) > first ? midnight(atOf(last), -1) : 0;
    },
    more,
    busy,
    read,
    error,
    again,
    older() {
      if (busy() || !more()) return;
      const had = all().filter(fits).length;
      void run(++asked, all(), (records) => records.filter(fits).length >= had + tableSize);
    },
  };
}
