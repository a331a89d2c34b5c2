import { type Accessor, createSignal, onCleanup } from "solid-js";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago, in a few characters: "now", "5m", "3h", "2d", then the date. */
export function ago(at: number, now: number): string {
  const past = now - at;
  if (past < minute) return "now";
  if (past < hour) return `${Math.floor(past / minute)}m`;
  if (past < day) return `${Math.floor(past / hour)}h`;
  if (past < 7 * day) return `${Math.floor(past / day)}d`;
  return new Date(at).toLocaleDateString(undefined, { day: "numeric", month: "short" });
}

/** The time, renewed every so many milliseconds: for what changes by the minute. */
export function createSlowClock(every: number): Accessor<number> {
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), every);
  onCleanup(() => clearInterval(timer));
  return now;
}
