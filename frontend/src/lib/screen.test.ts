import { Terminal } from "@xterm/headless";
import { expect, test } from "vitest";
import { parseAnsi, stripAnsi } from "./ansi";

/** The final screen of a terminal after a stream. */
async function shown(stream: string): Promise<string> {
  const terminal = new Terminal({ cols: 500, rows: 50, scrollback: 1000, convertEol: true, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(stream, done));
  const buffer = terminal.buffer.active;
  const lines = Array.from({ length: buffer.length }, (_, at) => buffer.getLine(at)?.translateToString(true) ?? "");
  terminal.dispose();
  return ended(lines.join("\n"));
}

/** Without invisible trailing blanks and empty lines. */
const ended = (text: string) => text.replaceAll(/ +$/gm, "").trimEnd();

/** A seeded generator: the same numbers in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const ESC = "\u001b";
const pieces: ((n: (below: number) => number) => string)[] = [
  (n) => ["a", "bc", "building… ", "10%", "中", "日本", "e\u0301", "=>", "   "][n(9)] ?? "",
  () => "\n",
  () => "\r",
  () => "\r\n",
  () => "\b",
  (n) => `${ESC}[${n(4)}${"ABCDEFG"[n(7)]}`,
  (n) => `${ESC}[${n(6)};${n(12)}H`,
  (n) => `${ESC}[${n(3)}K`,
  (n) => `${ESC}[${n(3)}J`,
  (n) => `${ESC}[${1 + n(3)}${"PX@LM"[n(5)]}`,
  (n) => `${ESC}[${["0", "1", "31", "38;5;200", "38;2;1;2;3", "39", ""][n(7)]}m`,
  (n) => [`${ESC}7`, `${ESC}8`, `${ESC}[s`, `${ESC}[u`][n(4)] ?? "",
  (n) => [`${ESC}]0;title\u0007`, `${ESC}[?25l`, `${ESC}(B`, `${ESC}[?2004h`][n(4)] ?? "",
];

test("2,000 random streams read as a terminal shows them", async () => {
  const n = random(7);
  for (let i = 0; i < 2000; i++) {
    const stream = Array.from({ length: 2 + n(40) }, () => pieces[n(3) === 0 ? n(pieces.length) : n(4)]?.(n) ?? "").join("");
    expect(ended(stripAnsi(stream)), JSON.stringify(stream)).toBe(await shown(stream));
  }
});

test("lines that left the screen stay as they are", async () => {
  const stream = `${Array.from({ length: 300 }, (_, i) => `line ${i}`).join("\n")}\n${ESC}[2A${ESC}[Kchanged${ESC}[H${ESC}[Ktop`;
  expect(ended(stripAnsi(stream))).toBe(await shown(stream));
});

test("a stream that is made to be large is not", () => {
  const far = `${ESC}[9999Cx\n`.repeat(6000);
  expect(stripAnsi(far).length).toBeLessThan(300_000);
  expect(stripAnsi(`${ESC}[9999L${ESC}[9999@`.repeat(5000)).trim()).toBe("");
  expect(parseAnsi(`x${ESC}[1m`.repeat(5000)).map((run) => run.text).join("")).toBe("x".repeat(5000));
});

// Each of these requests work on a long line, or on its own arguments, a hundred thousand times: without a limit it
// would not finish.
test.each([
  ["blanks before", "[1K"],
  ["characters taken away", "[G\u001b[P"],
  ["characters put between", "[G\u001b[9999@"],
  ["cells blanked", "[G\u001b[999999X"],
  ["a screen that is erased", "[1J"],
  ["colours in one sequence", `[${"38;5;1;".repeat(300_000)}m`],
])("what is made to take long ends: %s", (_, sequence) => {
  const times = sequence.length > 1000 ? 1 : 100_000;
  const text = stripAnsi(`${"x".repeat(1_000_000)}${`${ESC}${sequence}`.repeat(times)}end`);
  expect(text).toContain("end");
});
