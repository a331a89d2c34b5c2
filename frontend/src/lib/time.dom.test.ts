import { createRoot } from "solid-js";
import { afterEach, expect, test, vi } from "vitest";
import { setLanguage } from "../i18n";
import { ago } from "./ago";
import { createClock, formatAge, formatBytes, formatClock, formatCost, formatDuration, formatElapsed, formatTokens } from "./time";

afterEach(() => vi.useRealTimers());

test.each([
  [0, "0 s"], [-5, "0 s"], [Number.NaN, "0 s"], [11.2, "12 ms"], [94, "94 ms"], [96, "0.1 s"], [400, "0.4 s"], [9_949, "9.9 s"], [9_960, "10 s"],
  [59_400, "59 s"], [59_600, "1 m 00 s"], [125_000, "2 m 05 s"], [3_599_600, "1 h 00 m"], [7_800_000, "2 h 10 m"],
])("formatDuration(%d)", (ms, shown) => expect(formatDuration(ms)).toBe(shown));

test.each([[0, "0 s"], [999, "0 s"], [1000, "1 s"], [61_900, "1 m 01 s"]])("formatElapsed(%d)", (ms, shown) =>
  expect(formatElapsed(ms)).toBe(shown));

test.each([[0, "0 s"], [59_999, "59 s"], [60_000, "1 m"], [3_599_999, "59 m"], [7_260_000, "2 h 01 m"]])("formatAge(%d)", (ms, shown) =>
  expect(formatAge(ms)).toBe(shown));

test.each([
  [0, "0"], [840, "840"], [8_600, "8.6k"], [9_960, "10k"], [86_321, "86k"], [999_499, "999k"], [999_500, "1M"], [1_000_000, "1M"], [1_250_000, "1.3M"], [104_640_000, "104.6M"],
  [999_949_999, "999.9M"], [999_950_000, "1B"], [2_540_000_000, "2.5B"],
])("formatTokens(%d)", (tokens, shown) => expect(formatTokens(tokens)).toBe(shown));

test.each([[0, "$0.00"], [0.0004, "<$0.001"], [0.0042, "$0.004"], [0.01, "$0.01"], [12.345, "$12.35"]])("formatCost(%d)", (usd, shown) =>
  expect(formatCost(usd)).toBe(shown));

test.each([[0, "0 B"], [999, "999 B"], [12_300, "12 KB"], [1_400_000, "1.4 MB"], [2_100_000_000, "2.1 GB"]])("formatBytes(%d)", (bytes, shown) =>
  expect(formatBytes(bytes)).toBe(shown));

test("figures are written as the language does", async () => {
  await setLanguage("de");
  expect([formatDuration(400), formatDuration(125_000), formatTokens(8_600), formatBytes(1_400_000), formatCost(12.345).replace(/\s/, " "), ago(0, 120_000)]).toEqual([
    "0,4 s", "2 min 05 s", "8,6k", "1,4 MB", "12,35 $", "2 min",
  ]);
  await setLanguage("en");
});

test("a day other than today is named", () => {
  const now = new Date(2026, 10, 21, 14, 5).getTime();
  expect(formatClock(now, now)).toMatch(/^\d/);
  const friday = new Date(now - 86_400_000).toLocaleDateString([], { weekday: "short" });
  expect(formatClock(now - 86_400_000, now).startsWith(`${friday} `)).toBe(true);
  expect(formatClock(now + 30 * 86_400_000, now)).toMatch(/21/);
  expect(formatClock(now - 400 * 86_400_000, now)).toMatch(new RegExp(String(new Date(now - 400 * 86_400_000).getFullYear())));
  expect(formatClock(now - 30 * 86_400_000, now)).not.toContain(String(new Date(now).getFullYear()));
});

test("the clock stops with its owner", () => {
  vi.useFakeTimers();
  createRoot((dispose) => {
    const now = createClock(1000);
    const before = now();
    vi.advanceTimersByTime(3000);
    expect(now() - before).toBe(3000);
    dispose();
  });
  expect(vi.getTimerCount()).toBe(0);
});
