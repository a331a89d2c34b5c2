// How figures read: durations, clock times, tokens, money, sizes. Everything
// takes plain numbers (milliseconds, Unix milliseconds, US dollars, bytes).

import { type Accessor, createSignal, onCleanup } from "solid-js";

/** "12 ms", "0.4 s", "12 s", "3 m 05 s", "2 h 10 m". */
export function formatDuration(ms: number): string {
  if (!(ms > 0)) return "0 s";
  if (ms < 95) return `${Math.ceil(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${pad(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${pad(Math.floor((seconds % 3600) / 60))} m`;
}

/** Whole seconds of something that still runs: "7 s", "1 m 02 s". */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000);
}

function pad(n: number): string {
  return String(n).padStart(2, "0");
}

const week = 7 * 24 * 3_600_000;

/** "14:05" in the person's own clock; with the day when it is not today. */
export function formatClock(at: number, now = Date.now()): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  if (date.toDateString() === new Date(now).toDateString()) return time;
  const near = Math.abs(at - now) < week;
  const day = date.toLocaleDateString([], near ? { weekday: "short" } : { day: "numeric", month: "short" });
  return `${day} ${time}`;
}

/** "840", "8.6k", "86k", "1M", "1.2M". */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(Math.round(tokens));
  if (tokens < 9_950) return `${trim(tokens / 1000)}k`;
  if (tokens < 999_500) return `${Math.round(tokens / 1000)}k`;
  return `${trim(tokens / 1_000_000)}M`;
}

function trim(n: number): string {
  return n.toFixed(1).replace(/\.0$/, "");
}

/** "$0.00", "$0.004", "$1.25". */
export function formatCost(usd: number): string {
  if (usd > 0 && usd < 0.01) return usd < 0.001 ? "<$0.001" : `$${usd.toFixed(3)}`;
  return `$${usd.toFixed(2)}`;
}

/** "512 B", "12 KB", "1.4 MB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} KB`;
  return `${trim(bytes / 1_000_000)} MB`;
}

/** "1 line", "3 lines". */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

/** The time, renewed every so many milliseconds. */
export function createClock(every: number): Accessor<number> {
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), every);
  onCleanup(() => clearInterval(timer));
  return now;
}
