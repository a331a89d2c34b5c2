import { expect, it } from "vitest";
import { isQuiet, quietUntil } from "./quiet";

it.each([
  [0, 5, false],
  [-1, 5, true],
  [6, 5, true],
  [5, 5, false],
])("until %i, at %i", (until, now, want) => {
  expect(isQuiet(until, now)).toBe(want);
});

it("counts from the moment that it is chosen", () => {
  const now = new Date(2026, 2, 28, 23, 30);
  expect(quietUntil("hour", now)).toBe(now.getTime() + 3_600_000);
  expect(quietUntil("tomorrow", now)).toBe(new Date(2026, 2, 29, 8).getTime());
  expect([quietUntil("on"), quietUntil("off")]).toEqual([-1, 0]);
});
