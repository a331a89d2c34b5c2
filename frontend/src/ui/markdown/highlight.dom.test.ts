import { expect, test, vi } from "vitest";
import { kinds, paint, RunReader, type Runs } from "./colour";
import { Highlighter } from "./highlight";
import { findRuns } from "./highlighter";

/** The text split into its runs, each with its kind. */
function read(text: string, lang: string): string[] {
  const runs = findRuns(text, lang);
  if (!runs) return ["plain"];
  let at = 0;
  return new RunReader(runs).take(text.length).map(([length, kind]) => `${kinds[kind]}:${text.slice(at, (at += length))}`);
}

test.each([
  ["ts", "const a = `b ${c} d`; // e", ["keyword:const", ": a = ", "string:`b ", ":${c}", "string: d`", ":; ", "comment:// e"]],
  ["go", 'return "x"', ["keyword:return", ": ", "string:\"x\""]],
  ["diff", "-a\n+b", ["deletion:-a", ":\n", "addition:+b"]],
  ["nothing anybody knows", "a", ["plain"]],
])("%s", (lang, text, want) => expect(read(text, lang)).toEqual(want));

test("the runs are the whole text, also where one language holds another", () => {
  const text = "<script>let a = 1;</script>\n<style>b { color: red }</style>\n<p title='x'>&amp; 🙂</p>";
  const runs = findRuns(text, "html") ?? new Uint32Array();
  expect(runs.reduce((sum, n, i) => (i % 2 === 0 ? sum + n : sum), 0)).toBe(text.length);
  expect(read(text, "html")).toContain("keyword:let");
});

test("pieces of the runs join to the whole", () => {
  const runs: Runs = Uint32Array.from([3, 1, 4, 0, 2, 2]);
  const reader = new RunReader(runs);
  expect([reader.take(2), reader.take(3), reader.take(9)]).toEqual([[[2, 1]], [[1, 1], [2, 0]], [[2, 0], [2, 2]]]);
});

test("what is painted is text, whatever it says", () => {
  const element = document.createElement("div");
  paint(element, "<b>x</b> rest", [[8, 2]]);
  expect(element.children).toHaveLength(1);
  expect(element.textContent).toBe("<b>x</b> rest");
});

/** A fake worker that answers when the test says so. */
function stub() {
  const asked: { id: number; text: string }[] = [];
  const listeners: Record<string, (event: never) => void> = {};
  const port = {
    postMessage: (message: unknown) => void asked.push(message as { id: number; text: string }),
    terminate: vi.fn<() => void>(),
    addEventListener: (type: string, listener: (event: never) => void) => void (listeners[type] = listener),
  };
  const answer = (id: number, runs: Runs | null = Uint32Array.from([1, 1])) => listeners["message"]?.({ data: { id, runs } } as never);
  return { asked, port, answer, fail: () => listeners["error"]?.({} as never) };
}

const plain = async () => null;

test("one text at a time, the newest first, and what was found is kept", async () => {
  const { asked, port, answer } = stub();
  const highlighter = new Highlighter({ startWorker: () => port, here: plain });
  const all = ["a", "b", "c"].map((text) => highlighter.highlight(text, "go"));
  expect(asked.map((a) => a.text)).toEqual(["a"]);
  answer(1);
  answer(2);
  answer(3);
  await Promise.all(all);
  expect(asked.map((a) => a.text)).toEqual(["a", "c", "b"]);
  await highlighter.highlight("a", "GO");
  expect(asked).toHaveLength(3);
});

test("what nobody waits for is never begun, and what is too much is forgotten", async () => {
  const { asked, port, answer } = stub();
  const highlighter = new Highlighter({ startWorker: () => port, here: plain });
  const stop = new AbortController();
  const first = highlighter.highlight("running", "go");
  const dropped = highlighter.highlight("dropped", "go", stop.signal);
  stop.abort();
  expect(await dropped).toBeNull();
  const many = Array.from({ length: 100 }, (_, i) => highlighter.highlight(`text ${i}`, "go"));
  for (let i = 1; i <= 65; i++) answer(i);
  await first;
  const found = await Promise.all(many);
  expect(found.filter(Boolean)).toHaveLength(64);
  expect(asked.map((a) => a.text)).not.toContain("dropped");
});

test("a worker that never comes up is done without; one that gets stuck is ended", async () => {
  vi.useFakeTimers();
  const broken = stub();
  const here = vi.fn<() => Promise<Runs | null>>(async () => Uint32Array.from([1, 1]));
  const without = new Highlighter({ startWorker: () => broken.port, here });
  const runs = without.highlight("a", "go");
  broken.fail();
  expect(await runs).not.toBeNull();
  expect(here).toHaveBeenCalledOnce();

  const stuck = stub();
  const start = vi.fn<() => typeof stuck.port>(() => stuck.port);
  const highlighter = new Highlighter({ startWorker: start, here });
  const first = highlighter.highlight("a", "go");
  stuck.answer(0);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await first).toBeNull();
  expect(stuck.port.terminate).toHaveBeenCalled();
  void highlighter.highlight("b", "go");
  expect(start).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
});

test("texts that would take too long stay plain", async () => {
  const start = vi.fn<() => never>();
  const highlighter = new Highlighter({ startWorker: start, here: plain });
  expect(await highlighter.highlight("x".repeat(5000), "go")).toBeNull();
  expect(await highlighter.highlight("x\n".repeat(300_000), "go")).toBeNull();
  expect(start).not.toHaveBeenCalled();
});
