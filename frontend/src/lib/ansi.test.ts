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
  ["10%\b\b\b20%", "20%"],
  ["10%\b\b\b\b\b5%", "5%%"],
  ["50%\r\u001b[K60%", "60%"],
  ["50%\r\u001b[2K\u001b[32m60%\u001b[0m", "60%"],
  ["longer line\rshort", "shortr line"],
  ["a\nb\nc\u001b[2A\rA\u001b[B\rB\u001b[B\rC", "A\nB\nC"],
  ["one 1%\ntwo 1%\n\u001b[2A\u001b[Kone 9%\n\u001b[Ktwo 9%\n", "one 9%\ntwo 9%\n"],
  ["a\u001b[5Cb", "a     b"],
  ["abc\u001b[1D\u001b[1Pd", "abd"],
  ["ab\u001b7cd\u001b8x", "abxd"],
  ["abcdef\u001b[3G\u001b[1K", "   def"],
  ["x\ny\u001b[H\u001b[JZ", "Z"],
  ["中文\r日", "日文"],
  ["e\u0301x", "e\u0301x"],
  ["\u001b[?25lspin\u001b[?25h", "spin"],
  ["\u001b[99999999A\u001b[99999999Cx".slice(0, 12), ""],
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

test("a line break and the plain text after it have no style", () => {
  expect(parseAnsi("\u001b[32mgreen\u001b[0m\nplain\nmore\u001b[1m bold\n").map((r) => [r.text, r.color, r.bold])).toEqual([["green", "green", false], ["\nplain\nmore", "", false], [" bold", "", true], ["\n", "", false]]);
});

test("all other colours are figures", () => {
  const runs = parseAnsi("\u001b[38;5;200mx\u001b[0m\u001b[38;2;1;2;3my\u001b[0m\u001b[38;5;9mz\u001b[38:5:244mg\u001b[48;5;1mh");
  expect(runs.map((r) => [r.text, r.color])).toEqual([["x", "#ff00d7"], ["y", "#010203"], ["z", "bright-red"], ["gh", "#808080"]]);
});

test("markup stays text", () => {
  expect(parseAnsi("<b>\u001b[31m<script>\u001b[0m").map((r) => r.text)).toEqual(["<b>", "<script>"]);
});
