import { type Accessor, createSignal, onCleanup } from "solid-js";
import { locale, text } from "../i18n";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

let made: { locale: string; dayOfYear: Intl.DateTimeFormat; monthOfYear: Intl.DateTimeFormat } | undefined;

/** The language's formats, cached: creating one takes longer than formatting a hundred dates. */
function formats(): NonNullable<typeof made> {
  const language = locale();
  if (made?.locale === language) return made;
  return (made = {
    locale: language,
    dayOfYear: new Intl.DateTimeFormat(language, { month: "short", day: "numeric" }),
    monthOfYear: new Intl.DateTimeFormat(language, { month: "short", year: "numeric" }),
  });
}

/** How long ago, in a few characters: "now", "5m", "3h", "2d", then the date, with the year unless it is the current
 * one. */
export function ago(at: number, now: number): string {
  const past = now - at;
  const words = text().desk.ago;
  if (past < minute) return words.now;
  if (past < hour) return words.minutes(Math.floor(past / minute));
  if (past < day) return words.hours(Math.floor(past / hour));
  if (past < 7 * day) return words.days(Math.floor(past / day));
  const thisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (thisYear ? formats().dayOfYear : formats().monthOfYear).format(at);
}

/** The current time, updated at an interval in milliseconds. */
export function createSlowClock(every: number): Accessor<number> {
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), every);
  onCleanup(() => clearInterval(timer));
  return now;
}
