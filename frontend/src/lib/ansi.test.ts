import { expect, test } from "vitest";
import { parseAnsi, stripAnsi } from "./ansi";

test.each([
  ["plain", "plain"],
  ["\u001b[31mred\u001b[0m", "red"],
  ["\u001b[2J\u001b[1;1Hcleared", "cleared"],
  ["\u001b]0;title\u0007after", "after"],
  ["\u001b]8;;https://x.org\u001b\\link\u001b]8;;\u001b\\", "link"],
  ["\u001b]0;never closed", ""],
  ["\u001bPq data\u001b\\x", "x"],
  ["10%\r50%\r100%\ndone\r\n", "100%\ndone\n"],
  ["half\r", "half"],
  ["ab\bc", "ac"],
  ["\u001b", ""],
  ["\u001b[", ""],
  ["bell\u0007 nul\u0000", "bell nul"],
  ["\u009b31mred", "red"],
  ["tab\tstays\n", "tab\tstays\n"],
  ["\u001b(Bx", "x"],
])("stripAnsi(%j)", (text, shown) => expect(stripAnsi(text)).toBe(shown));

test("colours become names", () => {
  expect(parseAnsi("a \u001b[1;31mbad\u001b[0m \u001b[92mgood\u001b[39m z")).toMatchObject([
    { text: "a ", color: "" },
    { text: "bad", color: "red", bold: true },
    { text: " ", color: "", bold: false },
    { text: "good", color: "bright-green" },
    { text: " z", color: "" },
  ]);
});

test("colours outside the sixteen are left out", () => {
  const runs = parseAnsi("\u001b[38;5;200mx\u001b[0m\u001b[38;2;1;2;3my\u001b[0m");
  expect(runs.map((r) => [r.text, r.color])).toEqual([["x", ""], ["y", ""]]);
});

test("markup stays text", () => {
  expect(parseAnsi("<b>\u001b[31m<script>\u001b[0m").map((r) => r.text)).toEqual(["<b>", "<script>"]);
});
