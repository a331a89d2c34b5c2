import { afterEach, expect, test } from "vitest";
import { isRightToLeft, readingKey, readingOffset } from "./direction";

afterEach(() => document.documentElement.removeAttribute("dir"));

const press = (key: string) => readingKey(new KeyboardEvent("keydown", { key }));

test("arrows and places are those of the page's direction", () => {
  expect([isRightToLeft(), press("ArrowLeft"), press("Home"), readingOffset(30, { left: 10, right: 110 })]).toEqual([false, "ArrowLeft", "Home", 20]);
  document.documentElement.dir = "rtl";
  expect([isRightToLeft(), press("ArrowLeft"), press("ArrowRight"), press("Home"), readingOffset(30, { left: 10, right: 110 })]).toEqual([
    true, "ArrowRight", "ArrowLeft", "Home", 80,
  ]);
});
