import { describe, expect, test } from "vitest";
import { countChanges, patchRows, sideBySide, textRows, wordMarks } from "./diff";

const shape = (rows: ReturnType<typeof patchRows>) =>
  rows.map((r) => `${r.oldLine ?? "-"}:${r.newLine ?? "-"} ${{ add: "+", remove: "-", same: " ", gap: "~" }[r.kind]}${r.text}`);

test("a patch's lines carry the numbers of both sides", () => {
  const rows = patchRows([
    { oldStart: 3, newStart: 3, lines: [" a", "-b", "+c", "+d", " e"] },
    { oldStart: 20, newStart: 21, lines: ["-x", "\\ No newline at end of file"] },
  ]);
  expect(shape(rows)).toEqual(["3:3  a", "4:- -b", "-:4 +c", "-:5 +d", "5:6  e", "-:- ~", "20:- -x", "-:- ~No newline at end of file"]);
  expect(countChanges(rows)).toEqual({ added: 2, removed: 2 });
});

test("two texts are compared by lines", () => {
  expect(shape(textRows("a\nb\nc\n", "a\nB\nc\n", true))).toEqual(["1:1  a", "2:- -b", "-:2 +B", "3:3  c"]);
});

test("a part of a file has no line numbers", () => {
  expect(shape(textRows("b", "B", false))).toEqual(["-:- -b", "-:- +B"]);
});

test.each([
  ["", "a\nb\n", ["-:1 +a", "-:2 +b"]],
  ["a\nb", "", ["1:- -a", "2:- -b"]],
  ["same", "same", []],
])("%j to %j", (before, after, rows) => expect(shape(textRows(before, after, true))).toEqual(rows));

test("unlike texts of great length are shown as a replacement", () => {
  const lines = (word: string) => Array.from({ length: 6000 }, (_, i) => `${word} ${i}`).join("\n");
  const rows = textRows(lines("old"), lines("new"), true);
  expect(countChanges(rows)).toEqual({ added: 6000, removed: 6000 });
});

const rowsOf = (before: string, after: string) => textRows(before, after, true);

test("two columns have what was removed beside what came in its place", () => {
  const pairs = sideBySide(rowsOf("a\nb\nc\nd\n", "a\nB\nC\nX\nd\n"));
  expect(pairs.map(({ left, right }) => [left?.text, right?.text])).toEqual([
    ["a", "a"], ["b", "B"], ["c", "C"], [undefined, "X"], ["d", "d"],
  ]);
});

describe("words that changed within a line", () => {
  const found = (before: string, after: string) => {
    const rows = rowsOf(before, after);
    return [...wordMarks(rows)].map(([row, marks]) => [row.kind, marks.map(([from, to]) => row.text.slice(from, to))]);
  };
  test("are marked on both sides", () => {
    expect(found("return post(ctx, part)\n", "return send(ctx, part)\n")).toEqual([["remove", ["post"]], ["add", ["send"]]]);
  });
  test("are not where the lines have little in common", () => expect(found("alpha beta\n", "one two three four\n")).toEqual([]));
  test("are not where lines were added too", () => expect(found("let a = 1;\n", "let a = 2;\nlet b = 3;\n")).toEqual([]));
  test("are not in very long lines", () => expect(found(`${"x ".repeat(400)}a\n`, `${"x ".repeat(400)}b\n`)).toEqual([]));
});
