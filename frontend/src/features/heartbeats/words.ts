// Heartbeats and what became of them, as a person reads it.

import type { HeartbeatRecord, HeartbeatSpent, Schedule } from "../../host/border.gen";
import { locale, text } from "../../i18n";
import { cronWords } from "../../lib/cron";
import { formatCost } from "../../lib/time";
import { durationOf, spanOf } from "./schedule";

// Making one takes longer than a hundred dates do. There are as many as there are ways of
// writing dates in this feature, and zones that are looked at.
const formats = new Map<string, Intl.DateTimeFormat>();

/** Writes dates as the language does. */
export function dates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = locale() + JSON.stringify(options);
  const made = formats.get(key) ?? new Intl.DateTimeFormat(locale(), options);
  formats.set(key, made);
  return made;
}

/** A schedule in words; said is what the program says of it, in English. */
export function scheduleWords(schedule: Schedule, said = ""): string {
  const words = text().heartbeats.schedule;
  const plain = plainWords(schedule, said);
  const zoned = schedule.zone && !schedule.every ? words.inZone(plain, schedule.zone) : plain;
  return schedule.once && !schedule.runAt ? words.justOnce(zoned) : zoned;
}

function plainWords(schedule: Schedule, said: string): string {
  const words = text().heartbeats.schedule;
  if (schedule.cron) {
    const found = cronWords(schedule.cron);
    return found === schedule.cron ? said || schedule.cron : found;
  }
  if (schedule.every) {
    const span = spanOf(schedule.every);
    const n = Number(span.n);
    if (durationOf(span) === span.raw || !(n > 0)) return said || schedule.every;
    switch (span.unit) {
      case "s":
        return words.everySeconds(n);
      case "m":
        return words.everyMinutes(n);
      case "h":
        return words.everyHours(n);
      case "d":
        return words.everyDays(n);
      default:
        return span.unit satisfies never;
    }
  }
  if (!schedule.runAt) return said;
  const at = Date.parse(schedule.runAt.trim().replace(" ", "T"));
  // As the clocks of its zone show it, whatever that is.
  const own = /(?:[+-]\d{2}:?\d{2}|Z)$/.test(schedule.runAt) && schedule.zone ? { timeZone: schedule.zone } : {};
  return Number.isNaN(at) ? said || schedule.runAt : words.once(dates({ dateStyle: "medium", timeStyle: "short", ...own }).format(at));
}

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];

/** "in 3 hours", "2 days ago". */
export function relative(at: number, now: number): string {
  const distance = at - now;
  const [unit, length] = steps.find(([, length]) => Math.abs(distance) >= length) ?? (["second", 1000] as const);
  return new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }).format(Math.trunc(distance / length), unit);
}

/** A moment with its day, its year when it is another one, and the zone when one is given. */
export function moment(at: number, zone = ""): string {
  const year = new Date(at).getFullYear() === new Date().getFullYear() ? {} : ({ year: "numeric" } as const);
  return dates({
    weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", ...year, ...(zone && known(zone) ? { timeZone: zone, timeZoneName: "short" } : {}),
  }).format(at);
}

/** The time of day, with seconds where they are wanted. */
export const clockTime = (at: number, seconds = false): string =>
  dates({ hour: "2-digit", minute: "2-digit", ...(seconds ? { second: "2-digit" } : {}) }).format(at);

/** A day with its weekday. */
export const dayWords = (at: number): string => dates({ weekday: "long", day: "numeric", month: "long" }).format(at);

function known(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions();
    return true;
  } catch {
    return false;
  }
}

export type Outcome = "due" | "started" | "found" | "nothing" | "skipped" | "late" | "missed" | "failed" | "cancelled";

/** What became of a due time, in one word of the catalogue. */
export function outcomeOf(record: Pick<HeartbeatRecord, "state" | "found">): Outcome {
  switch (record.state) {
    case "due":
    case "started":
    case "skipped":
    case "late":
    case "missed":
    case "failed":
    case "cancelled":
      return record.state;
    default:
      return record.found ? "found" : "nothing";
  }
}

export const outcomeName = (record: Pick<HeartbeatRecord, "state" | "found">): string => text().heartbeats.outcomes[outcomeOf(record)];

/** Why it came so: the program's sentence, or the words for its code. */
export function reasonOf(record: Pick<HeartbeatRecord, "reason" | "code">): string {
  const codes: Record<string, string> = text().heartbeats.codes;
  return record.reason || (codes[record.code] ?? "");
}

/** The groups of outcomes that are told apart where there are many. */
export const groups = ["found", "nothing", "failed", "cancelled", "notRun"] as const;
export type Group = (typeof groups)[number] | "underway";

export function groupOf(record: Pick<HeartbeatRecord, "state" | "found">): Group {
  const outcome = outcomeOf(record);
  switch (outcome) {
    case "due":
    case "started":
      return "underway";
    case "skipped":
    case "late":
    case "missed":
      return "notRun";
    default:
      return outcome;
  }
}

/** "$0.12". */
export const spentWords = (spent: HeartbeatSpent): string => formatCost(spent.costUSD);
