import { applyPatch } from "diff";
import { expect, it } from "vitest";
import { textRows } from "./diff";
import { patchOf } from "./patch";

const lines = (n: number, change: Record<number, string> = {}) => Array.from({ length: n }, (_, i) => change[i + 1] ?? `line ${i + 1}`).join("\n") + "\n";

const ended = (words: string) => (words === "" ? "" : words.replace(/\n?$/, "\n"));

it.each([
  ["two places", lines(60), lines(60, { 5: "five", 50: "fifty\nand more" })],
  ["a new file", "", "one\ntwo\n"],
  ["an emptied file", "one\ntwo\n", ""],
  ["no line's end", "one\ntwo", "one\nthree"],
])("gives a patch that applies: %s", (_, before, after) => {
  const patch = patchOf(textRows(before, after, true), "/src/a.ts");
  expect(patch).toMatch(/^--- a\/src\/a\.ts\n\+\+\+ b\/src\/a\.ts\n@@ /);
  expect(applyPatch(ended(before), patch, { fuzzFactor: 0 })).toBe(ended(after));
});

it("begins at line 1 where nobody knows the place", () => {
  expect(patchOf(textRows("a\n", "b\n", false), "x")).toBe("--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+b\n");
});
