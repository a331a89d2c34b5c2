import { type Accessor, createSignal, onCleanup } from "solid-js";
import { locale, text } from "../i18n";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

let made: { locale: string; dayOfYear: Intl.DateTimeFormat; monthOfYear: Intl.DateTimeFormat } | undefined;

/** The formats of the language. Made once: making one takes longer than a hundred dates do. */
function formats(): NonNullable<typeof made> {
  const language = locale();
  if (made?.locale === language) return made;
  return (made = {
    locale: language,
    dayOfYear: new Intl.DateTimeFormat(language, { month: "short", day: "numeric" }),
    monthOfYear: new Intl.DateTimeFormat(language, { month: "short", year: "numeric" }),
  });
}

/** How long ago, in a few characters: "now", "5m", "3h", "2d", then the date, with the year when it is another. */
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

/** The time, renewed every so many milliseconds: for what changes by the minute. */
export function createSlowClock(every: number): Accessor<number> {
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), every);
  onCleanup(() => clearInterval(timer));
  return now;
}
