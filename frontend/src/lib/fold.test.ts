import { expect, test } from "vitest";
import pairs from "../../../backend/fold/testdata/same.jsonl?raw";
import { fold } from "./fold";

// What the back end takes for the same text, by the tables of Unicode, the page does, too.
test("texts are the same here and in the back end", () => {
  const differ = pairs
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as [string, string, boolean])
    .filter(([a, b, same]) => (fold(a) === fold(b)) !== same);
  expect(differ).toEqual([]);
});
