import { expect, test } from "vitest";
import { ago } from "./ago";

const now = new Date(2026, 5, 20, 12).getTime();
const minute = 60_000;

test.each([
  [0, "now"],
  [59_999, "now"],
  [minute, "1m"],
  [59 * minute, "59m"],
  [60 * minute, "1h"],
  [24 * 60 * minute, "1d"],
  [6 * 24 * 60 * minute, "6d"],
])("%i ms ago is %s", (past, want) => expect(ago(now - past, now)).toBe(want));

test("after a week it is the date, with the year when it is another", () => {
  const date = (at: number, options: Intl.DateTimeFormatOptions) => new Date(at).toLocaleDateString(undefined, { month: "short", ...options });
  const june = now - 8 * 24 * 60 * minute;
  const before = new Date(2025, 11, 31).getTime();
  expect(ago(june, now)).toBe(date(june, { day: "numeric" }));
  expect(ago(before, now)).toBe(date(before, { year: "numeric" }));
});
