// Converts between the schedule a user chooses and the one stored for a heartbeat. Pure.

import type { Schedule } from "../../host/border.gen";

export const presets = ["every", "daily", "weekdays", "weekly", "monthly", "once", "cron"] as const;
type Preset = (typeof presets)[number];

export const units = ["s", "m", "h", "d"] as const;
export type Unit = (typeof units)[number];

const unitLength: Record<Unit, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A number of units; raw is the text if it is neither. */
export interface Span {
  n: string;
  unit: Unit;
  raw: string;
}

/** The user's choices. Every preset keeps its own fields, so that switching presets loses nothing. */
export interface When {
  preset: Preset;
  span: Span;
  /** "09:00". */
  time: string;
  /** 1 is Monday, 7 Sunday. */
  days: number[];
  /** Of the month. */
  day: number;
  /** "2026-11-21T09:00", in the zone. */
  moment: string;
  cron: string;
  zone: string;
  once: boolean;
}

export const usualWhen: When = {
  preset: "daily",
  span: { n: "1", unit: "h", raw: "" },
  time: "09:00",
  days: [1],
  day: 1,
  moment: "",
  cron: "0 9 * * *",
  zone: "",
  once: false,
};

/** A duration in milliseconds; null if invalid. */
export function parseDuration(words: string): number | null {
  const parts = [...words.trim().matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map(([all]) => all).join("") !== words.trim()) return null;
  return parts.reduce((sum, [, n, unit]) => sum + Number(n) * (unit === "ms" ? 1 : unitLength[unit as Unit]), 0);
}

/** A duration as a whole number of the largest possible unit. */
export function spanOf(words: string | undefined, usual: Unit = "m"): Span {
  if (!words) return { n: "", unit: usual, raw: "" };
  const ms = parseDuration(words);
  const unit = ms === null || ms <= 0 ? undefined : units.findLast((u) => ms % unitLength[u] === 0);
  // Anything else stays as written.
  if (ms === null || !unit) return { n: "", unit: usual, raw: words };
  return { n: String(ms / unitLength[unit]), unit, raw: "" };
}

export const durationOf = (span: Span): string => (span.raw !== "" ? span.raw : span.n.trim() === "" ? "" : `${span.n.trim()}${span.unit}`);

/** The choices for a schedule; missing parts get their defaults. */
export function whenOf(schedule: Schedule, machineZone = ""): When {
  const zone = schedule.zone ?? "";
  const when: When = { ...usualWhen, span: { ...usualWhen.span }, days: [...usualWhen.days], zone, once: schedule.once ?? false };
  if (schedule.every) return { ...when, preset: "every", span: spanOf(schedule.every, "h") };
  if (schedule.runAt) return { ...when, preset: "once", moment: momentOf(schedule.runAt, zone || machineZone) };
  if (!schedule.cron) return when;
  const cron = schedule.cron.trim();
  const known = { ...when, cron };
  const [, minute, hour, day, month, weekday] = /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) (\*) (\S+)$/.exec(cron) ?? [];
  if (minute === undefined || hour === undefined || month === undefined || Number(minute) > 59 || Number(hour) > 23) return { ...known, preset: "cron" };
  known.time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (day !== "*") return weekday === "*" && Number(day) >= 1 && Number(day) <= 31 ? { ...known, preset: "monthly", day: Number(day) } : { ...known, preset: "cron" };
  if (weekday === "*") return { ...known, preset: "daily" };
  if (weekday === "1-5") return { ...known, preset: "weekdays" };
  const days = (weekday ?? "").split(",").map((d) => (/^[0-7]$/.test(d) ? Number(d) || 7 : 0));
  if (days.includes(0)) return { ...known, preset: "cron" };
  return { ...known, preset: "weekly", days: [...new Set(days)].toSorted((a, b) => a - b) };
}

/** The schedule for the choices. */
export function scheduleOf(when: When): Schedule {
  const rest = { ...(when.zone ? { zone: when.zone } : {}), ...(when.once && when.preset !== "once" ? { once: true } : {}) };
  const [hour = "", minute = ""] = when.time.split(":");
  // An empty field stays empty, so that the program reports it as missing.
  const at = when.time === "" ? "" : `${Number(minute)} ${Number(hour)}`;
  const cron = (rest: string) => (at === "" ? "" : `${at} ${rest}`);
  switch (when.preset) {
    case "every":
      return { every: durationOf(when.span), ...rest };
    case "daily":
      return { cron: cron("* * *"), ...rest };
    case "weekdays":
      return { cron: cron("* * 1-5"), ...rest };
    case "weekly":
      return { cron: when.days.length === 0 ? "" : cron(`* * ${when.days.map((d) => d % 7).join(",")}`), ...rest };
    case "monthly":
      return { cron: cron(`${when.day} * *`), ...rest };
    case "once":
      return { runAt: when.moment.replace("T", " "), ...rest };
    case "cron":
      return { cron: when.cron.trim(), ...rest };
    default:
      return when.preset satisfies never;
  }
}

/** Converts a stored moment to the value of a date and time field. */
function momentOf(written: string, zone: string): string {
  const plain = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(?::\d{2})?$/.exec(written.trim());
  if (plain) return `${plain[1]}T${plain[2]}`;
  const at = Date.parse(written);
  return Number.isNaN(at) ? "" : wallTime(at, zone);
}

/** The local time in a zone: "2026-11-21T09:00". */
export function wallTime(at: number, zone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", {
    year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...(zone ? { timeZone: zone } : {}),
  }).formatToParts(at);
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return `${of("year")}-${of("month")}-${of("day")}T${of("hour")}:${of("minute")}`;
}

/** The available time zones by region, always including the chosen one. */
export function zoneGroups(chosen: string): { area: string; zones: string[] }[] {
  const all = new Set([...Intl.supportedValuesOf("timeZone"), "UTC", ...(chosen ? [chosen] : [])]);
  const groups = new Map<string, string[]>();
  for (const zone of [...all].toSorted((a, b) => a.localeCompare(b, "en"))) {
    const area = zone.includes("/") ? zone.slice(0, zone.indexOf("/")) : "";
    groups.set(area, [...(groups.get(area) ?? []), zone]);
  }
  const { "": others, ...areas } = Object.fromEntries(groups);
  return [...Object.entries(areas).map(([area, zones]) => ({ area, zones })), ...(others ? [{ area: "", zones: others }] : [])];
}
