// Describes cron schedules in words. Only common patterns are described; anything else is shown as it is, which is
// better than an imprecise sentence.

import { locale, text } from "../i18n";

const aliases: Record<string, string> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** The maximum number of times of day listed individually. */
const mostTimes = 4;

/** Describes a cron expression of five fields; returns it unchanged if there is no description. */
export function cronWords(cron: string): string {
  const fields = (aliases[cron.trim().toLowerCase()] ?? cron).trim().toLowerCase().split(/\s+/);
  if (fields.length !== 5) return cron;
  const [minute = "", hour = "", day = "", monthName = "", weekdayName = ""] = fields;
  const month = numbered(monthName, months, 1);
  const weekday = numbered(weekdayName, days, 0);
  const words = text().tools.cron;
  const times = clockTimes(minute, hour);
  const often = times === "" ? repetition(minute, hour) : "";
  if (times === "" && often === "") return cron;
  const every = [day, month, weekday].every((field) => field === "*");
  if (every) return times === "" ? often : words.daily(times);
  const restriction = restrictionOf(day, month, weekday);
  if (!restriction) return cron;
  switch (restriction.kind) {
    case "weekdays":
      return times === "" ? words.oftenOn(often, words.only.weekdays) : words.weekdays(times);
    case "weekend":
      return times === "" ? words.oftenOn(often, words.only.weekend) : words.weekend(times);
    case "days":
      return times === "" ? words.oftenOn(often, words.only.days(restriction.days)) : words.onDays(restriction.days, times);
    case "monthly":
      return times === "" ? words.oftenOn(often, words.only.monthly(restriction.day)) : words.monthly(restriction.day, times);
    case "date":
      return times === "" ? words.oftenOn(often, words.only.date(restriction.date)) : words.onDate(restriction.date, times);
    default:
      return restriction satisfies never;
  }
}

type Restriction =
  | { kind: "weekdays" }
  | { kind: "weekend" }
  | { kind: "days"; days: string }
  | { kind: "monthly"; day: number }
  | { kind: "date"; date: string };

/** The days, null if they can't be described. */
function restrictionOf(day: string, month: string, weekday: string): Restriction | null {
  if (day === "*" && month === "*") {
    if (weekday === "1-5") return { kind: "weekdays" };
    if (weekday === "0,6" || weekday === "6,0" || weekday === "6,7" || weekday === "6-7") return { kind: "weekend" };
    const found = weekdaysOf(weekday);
    return found.length > 0 ? { kind: "days", days: list(found.map(dayName)) } : null;
  }
  const d = whole(day, 31);
  if (d === null || d === 0 || weekday !== "*") return null;
  if (month === "*") return { kind: "monthly", day: d };
  const n = whole(month, 12);
  if (n === null || n === 0) return null;
  const date = new Date(2024, n - 1, d);
  return date.getDate() === d ? { kind: "date", date: date.toLocaleDateString(locale(), { day: "numeric", month: "long" }) } : null;
}

/** The weekdays in a list of days and ranges, empty for anything else. */
function weekdaysOf(field: string): number[] {
  const found: number[] = [];
  for (const part of field.split(",")) {
    const [, from, to] = /^([0-7])(?:-([0-7]))?$/.exec(part) ?? [];
    if (from === undefined || Number(to ?? from) < Number(from)) return [];
    for (let day = Number(from); day <= Number(to ?? from); day++) found.push(day);
  }
  return found.length < 7 ? found : [];
}

/** The times of day, "" if there are none or too many. */
function clockTimes(minute: string, hour: string): string {
  const m = whole(minute, 59);
  const hours = hour.split(",").map((h) => whole(h, 23));
  if (m === null || hours.length > mostTimes || hours.includes(null)) return "";
  return list(hours.map((h) => clock(h ?? 0, m)));
}

/** The repetition within a day, "" if it can't be described. */
function repetition(minute: string, hour: string): string {
  const words = text().tools.cron;
  const m = whole(minute, 59);
  const minutes = minute === "*" ? 1 : step(minute, 59);
  const hours = step(hour, 23);
  const [, first, last] = /^(\d{1,2})-(\d{1,2})$/.exec(hour) ?? [];
  if (hour === "*") {
    if (minutes !== null) return minutes === 1 ? words.everyMinute : words.everyMinutes(minutes);
    return m === null ? "" : words.hourly(pad(m));
  }
  if (m !== null && hours !== null && hours > 1) return words.everyHours(hours, pad(m));
  const from = whole(first ?? "", 23);
  const to = whole(last ?? "", 23);
  if (from === null || to === null || to < from) return "";
  if (m !== null) return words.between(words.eachHour, clock(from, m), clock(to, m));
  if (minutes === null) return "";
  const lastMinute = minutes === 1 ? 59 : 59 - (59 % minutes);
  return words.between(minutes === 1 ? words.everyMinute : words.everyMinutes(minutes), clock(from, 0), clock(to, lastMinute));
}

/** Replaces names by their numbers. */
function numbered(field: string, names: readonly string[], first: number): string {
  return field.replace(/[a-z]{3}/g, (name) => {
    const at = names.indexOf(name);
    return at < 0 ? name : String(at + first);
  });
}

function whole(field: string, most: number): number | null {
  return /^\d{1,2}$/.test(field) && Number(field) <= most ? Number(field) : null;
}

function step(field: string, most: number): number | null {
  const n = /^\*\/(\d{1,2})$/.exec(field)?.[1];
  return n === undefined || Number(n) === 0 || Number(n) > most ? null : Number(n);
}

function clock(hour: number, minute: number): string {
  return new Date(2024, 0, 1, hour, minute).toLocaleTimeString(locale(), { timeStyle: "short" });
}

function dayName(day: number): string {
  // January 7, 2024 was a Sunday, which is both 0 and 7.
  return new Date(2024, 0, 7 + day).toLocaleDateString(locale(), { weekday: "long" });
}

function list(words: string[]): string {
  return new Intl.ListFormat(locale(), { type: "conjunction" }).format(words);
}

function pad(n: number): string {
  return String(n).padStart(2, "0");
}
