// Dates and relative times in the current language.

import { locale } from "../i18n";

// Creating a formatter takes longer than formatting a hundred dates. There is one per set of options and time zone in
// use.
const formats = new Map<string, Intl.DateTimeFormat>();

/** A formatter for the current language. */
export function dates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = locale() + JSON.stringify(options);
  const made = formats.get(key) ?? new Intl.DateTimeFormat(locale(), options);
  formats.set(key, made);
  return made;
}

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];

/** "in 3 hours", "2 days ago". From a day on, days are those of the calendar: "tomorrow" is never the day after. */
export function relative(at: number, now: number): string {
  const distance = at - now;
  const [unit, length] = steps.find(([, length]) => Math.abs(distance) >= length) ?? (["second", 1000] as const);
  const n = unit === "day" ? Math.round((midnight(at) - midnight(now)) / length) : Math.trunc(distance / length);
  return new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }).format(n, unit);
}

/** When the day of a moment began. With the clock change, a day has 23 or 25 hours. */
const midnight = (at: number): number => new Date(at).setHours(0, 0, 0, 0);

/** A moment with its day, with the year unless it is the current one, and the zone if given. */
export function moment(at: number, zone = ""): string {
  const year = new Date(at).getFullYear() === new Date().getFullYear() ? {} : ({ year: "numeric" } as const);
  return dates({
    weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", ...year, ...(zone && known(zone) ? { timeZone: zone, timeZoneName: "short" } : {}),
  }).format(at);
}

/** A day and a time, in the language's short form. */
export const dayAndTime = (at: number): string => dates({ dateStyle: "medium", timeStyle: "short" }).format(at);

/** The time of day, optionally with seconds. */
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
