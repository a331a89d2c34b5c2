import { expect, it } from "vitest";
import { relative } from "./dates";

const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute).getTime();

it.each([
  ["the same evening", at(21, 20), "in 4 hours"],
  ["in the night", at(22, 1), "in 9 hours"],
  ["tomorrow, more than a day away", at(22, 18), "tomorrow"],
  ["the day after tomorrow, less than two days away", at(23, 9), "in 2 days"],
  ["three days ahead", at(24, 10), "in 3 days"],
  ["yesterday", at(20, 12), "yesterday"],
  ["two days ago, in the evening", at(19, 20), "2 days ago"],
  ["a moment ago", at(21, 15, 59), "1 minute ago"],
])("%s", (_, when, words) => expect(relative(when, at(21, 16))).toBe(words));
