// Formats durations, clock times, tokens, money and sizes. Everything takes plain numbers (milliseconds, Unix
// milliseconds, US dollars, bytes).

import { locale, number, text } from "../i18n";
import { type Accessor, createSignal, onCleanup } from "solid-js";

/** "12 ms", "0.4 s", "12 s", "3 m 05 s", "2 h 10 m". */
export function formatDuration(ms: number): string {
  const words = text().figures;
  if (!(ms > 0)) return words.seconds(number(0));
  if (ms < 95) return words.milliseconds(number(Math.ceil(ms)));
  if (ms < 9_950) return words.seconds(number(ms / 1000, { minimumFractionDigits: 1, maximumFractionDigits: 1 }));
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return words.seconds(number(seconds));
  if (seconds < 3600) return words.minutesSeconds(number(Math.floor(seconds / 60)), pad(seconds % 60));
  return words.hoursMinutes(number(Math.floor(seconds / 3600)), pad(Math.floor((seconds % 3600) / 60)));
}

/** The elapsed time of something running, in whole seconds: "7 s", "1 m 02 s". */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? text().figures.seconds(number(seconds)) : formatDuration(seconds * 1000);
}

/** An age, without seconds from one minute on: "7 s", "42 m", "3 h 10 m". */
export function formatAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  return minutes > 0 && minutes < 60 ? text().figures.minutes(number(minutes)) : formatElapsed(ms);
}

function pad(n: number): string {
  return number(n, { minimumIntegerDigits: 2 });
}

let made: { locale: string; time: Intl.DateTimeFormat; weekday: Intl.DateTimeFormat; day: Intl.DateTimeFormat; dayOfYear: Intl.DateTimeFormat } | undefined;

/** The language's formats, cached: creating one takes longer than formatting a hundred dates. */
function formats(): NonNullable<typeof made> {
  const language = locale();
  if (made?.locale === language) return made;
  return (made = {
    locale: language,
    time: new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" }),
    weekday: new Intl.DateTimeFormat(language, { weekday: "short" }),
    day: new Intl.DateTimeFormat(language, { day: "numeric", month: "short" }),
    dayOfYear: new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric" }),
  });
}

const week = 7 * 24 * 3_600_000;

/** "14:05" in the user's time zone; with the day unless it is today, and the year unless it is the current one. */
export function formatClock(at: number, now = Date.now()): string {
  const date = new Date(at);
  const time = formats().time.format(date);
  if (date.toDateString() === new Date(now).toDateString()) return time;
  const near = Math.abs(at - now) < week;
  const far = date.getFullYear() === new Date(now).getFullYear() ? formats().day : formats().dayOfYear;
  const day = (near ? formats().weekday : far).format(date);
  return `${day} ${time}`;
}

/** "840", "8.6k", "86k", "1M", "1.2M", "2.5B". */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(Math.round(tokens));
  if (tokens < 9_950) return `${trim(tokens / 1000)}k`;
  if (tokens < 999_500) return `${Math.round(tokens / 1000)}k`;
  if (tokens < 999_950_000) return `${trim(tokens / 1_000_000)}M`;
  return `${trim(tokens / 1_000_000_000)}B`;
}

function trim(n: number): string {
  return number(n, { maximumFractionDigits: 1 });
}

/** "$0.00", "$0.004", "$1.25". */
export function formatCost(usd: number): string {
  if (usd > 0 && usd < 0.01) return usd < 0.001 ? `<${dollars(0.001, 3)}` : dollars(usd, 3);
  return dollars(usd, 2);
}

function dollars(usd: number, digits: number): string {
  return number(usd, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** "512 B", "12 KB", "1.4 MB", "2.1 GB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return text().figures.bytes(number(bytes));
  if (bytes < 999_500) return text().figures.kilobytes(number(Math.round(bytes / 1000)));
  if (bytes < 999_500_000) return text().figures.megabytes(trim(bytes / 1_000_000));
  return text().figures.gigabytes(trim(bytes / 1_000_000_000));
}

/** The current time, updated at an interval in milliseconds. */
export function createClock(every: number): Accessor<number> {
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), every);
  onCleanup(() => clearInterval(timer));
  return now;
}
