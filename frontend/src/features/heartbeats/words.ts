// Texts for heartbeats and their outcomes.

import type { HeartbeatRecord, HeartbeatSpent, Schedule } from "../../host/border.gen";
import { text, translated } from "../../i18n";
import { cronWords } from "../../lib/cron";
import { dates } from "../../lib/dates";
import { formatCost } from "../../lib/time";
import { durationOf, spanOf } from "./schedule";

/** A schedule in words; said is the program's English description. */
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
  // In the time of its own zone.
  const own = /(?:[+-]\d{2}:?\d{2}|Z)$/.test(schedule.runAt) && schedule.zone ? { timeZone: schedule.zone } : {};
  return Number.isNaN(at) ? said || schedule.runAt : words.once(dates({ dateStyle: "medium", timeStyle: "short", ...own }).format(at));
}

export type Outcome = "due" | "started" | "found" | "nothing" | "skipped" | "late" | "missed" | "failed" | "cancelled";

/** The outcome's key in the catalog. */
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

/** The reason: the program's sentence, or the text for its code. */
export function reasonOf(record: Pick<HeartbeatRecord, "reason" | "code">): string {
  const codes: Record<string, string> = text().heartbeats.codes;
  return translated(record.reason) || (codes[record.code] ?? "");
}

/** The outcome groups distinguished in summaries. */
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
