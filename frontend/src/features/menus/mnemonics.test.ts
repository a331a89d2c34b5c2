import { expect, it } from "vitest";
import { withMnemonics } from "./mnemonics";

it.each<[string, string[], string[], string]>([
  ["the first letter", ["Undo", "Redo"], ["_Undo", "_Redo"], ""],
  ["another word's, then any other", ["Cut", "Copy", "Copy link"], ["_Cut", "C_opy", "Copy _link"], ""],
  ["none that is taken", ["File", "Edit"], ["F_ile", "E_dit"], "fe"],
  ["moved where another needs it", ["Edit", "Ee"], ["E_dit", "_Ee"], ""],
  ["moved through a row of others", ["ab", "bc", "cd", "a"], ["a_b", "b_c", "c_d", "_a"], ""],
  ["none where there is none", ["…", "Öl"], ["…", "Ö_l"], ""],
  ["an underscore that is shown", ["a_b"], ["_a__b"], ""],
])("marks %s", (_what, labels, want, taken) => {
  expect(withMnemonics(labels, new Set(taken))).toEqual(want);
});

it("gives no letter twice", () => {
  const labels = ["Zoom in", "Zoom out", "Actual size", "Archived sessions", "Trash", "Theme", "Split"];
  const letters = withMnemonics(labels).map((label) => /_(.)/.exec(label)?.[1]?.toLowerCase());
  expect(new Set(letters).size).toBe(labels.length);
  expect(letters).not.toContain(undefined);
});
