import { expect, test } from "vitest";
import pairs from "../../../backend/fold/testdata/same.jsonl?raw";
import { fold } from "./fold";

// The page must fold texts exactly like the back end, by the Unicode tables.
test("texts are the same here and in the back end", () => {
  const differ = pairs
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as [string, string, boolean])
    .filter(([a, b, same]) => (fold(a) === fold(b)) !== same);
  expect(differ).toEqual([]);
});
