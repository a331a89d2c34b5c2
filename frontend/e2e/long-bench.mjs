// Measures long conversations in Chromium with software rendering: opening one,
// scrolling through it, and an answer of 6,000 lines that streams while somebody types.
// Prints a table: what the clock says, and what the page's thread ran, which other work
// on the machine does not change.
//
//   node e2e/long-bench.mjs [scroll] [stream]

import { cpus, loadavg } from "node:os";
import { openPage, startBrowser } from "./kit/browser.mjs";
import { until } from "./kit/checks.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { longPast, writePast } from "./kit/past.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";
import { traced } from "./kit/trace.mjs";

const wanted = process.argv.slice(2);
const wants = (what) => wanted.length === 0 || wanted.includes(what);
const lines = 6000;
const part = (i) => `## Part ${i}\n\nWhat follows is **part ${i}** of many, with \`code\` and a [link](https://example.org/${i}).\n\n- one\n- two\n\n\`\`\`go\nfunc part${i}() error {\n\treturn run(${i})\n}\n\`\`\`\n\n`;
const answer = Array.from({ length: lines / 12 }, (_, i) => part(i)).join("");

/** By name: the figures, and the limit. */
const figures = new Map();
const note = (name, limit, clock, thread, unit = " ms") => figures.set(name, { limit, unit, clock, thread });
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const most = (values) => values.reduce((a, b) => Math.max(a, b), 0);

const model = await startModel({ stream: [[{ ...text(answer), pieces: answer.match(/[^]{1,150}/g), every: 15 }, text("\n\nThat was all.")]] });
const sandbox = new Sandbox("long-bench");
let browser;
try {
  writePast(sandbox, longPast(10_000));
  const server = await startServer(sandbox, { env: modelEnv(model) });
  browser = await startBrowser(sandbox);
  const { page } = await openPage(browser);
  await page.addInitScript(measure);
  await page.goto(server.link);
  await page.locator('[data-slot="session"]').filter({ hasText: "Prompt number 0" }).first().waitFor();
  // What the page prepares while nothing happens is not part of what follows.
  await page.waitForTimeout(1000);
  await opening(page);
  await page.waitForTimeout(500);
  if (wants("scroll")) await scrolling(page);
  if (wants("stream")) await streaming(page);
} finally {
  await browser?.close();
  await model.close();
  await sandbox.close();
}

const line = (...cells) => console.log(cells[0].padEnd(52) + cells.slice(1).map((cell) => cell.padEnd(13)).join(""));
console.log(`\n${cpus().length} processors, load ${loadavg()[0].toFixed(1)}`);
line("measurement", "clock", "thread", "limit");
for (const [name, { limit, clock, thread, unit }] of figures) {
  const cell = (value) => `${value.toFixed(unit === " ms" || unit === "" ? 0 : 2)}${unit.trimEnd() === "" ? "" : unit}`;
  line(name, cell(clock), cell(thread), limit);
}

/** In the page: the moment at which it has a page of history, long tasks, and what comes after a paint. */
function measure() {
  window.measured = { data: 0, tasks: [] };
  new PerformanceObserver((list) => window.measured.tasks.push(...list.getEntries().map((e) => ({ at: e.startTime, ms: e.duration })))).observe({ entryTypes: ["longtask"] });
  const parse = JSON.parse;
  JSON.parse = (...args) => {
    const value = parse(...args);
    if (value?.payload?.messages && !window.measured.data) window.measured.data = performance.now();
    return value;
  };
  window.painted = async () => {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    await new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(0);
    });
    return performance.now();
  };
}

/** Opens the long session: from its data to the first frame in which its end is in view. */
async function opening(page) {
  const { value, thread } = await traced(browser, page, () =>
    page.evaluate(async () => {
      const button = [...document.querySelectorAll('[data-slot="session"]')].find((e) => e.textContent.includes("Prompt number 0"));
      window.measured.data = 0;
      (button.querySelector("button") ?? button).click();
      for (;;) {
        const now = await window.painted();
        const log = document.querySelector('[role="log"]');
        const rows = log ? [...log.querySelectorAll("[data-row]")].filter((row) => getComputedStyle(row).visibility === "visible") : [];
        const [first, last] = [rows.at(0), rows.at(-1)].map((row) => row?.getBoundingClientRect());
        const view = log?.getBoundingClientRect();
        // The view is full of rows, and ends with the last one.
        const shown = view && first && last && first.top <= view.top + 24 && last.bottom > view.top;
        if (window.measured.data && shown && log.scrollHeight - log.scrollTop - log.clientHeight <= 1) return [window.measured.data, now, rows.length];
      }
    }),
  );
  const [data, shown, rows] = value;
  note("10,000 messages: data to first correct paint", "60 ms", shown - data, thread.ran(data, shown));
  console.log(`opening drew ${rows} rows: ${thread}`);
}

/** From the end to the very beginning and back, as by a wheel. */
async function scrolling(page) {
  const { value: frames, thread } = await traced(browser, page, () =>
    page.evaluate(async () => {
      const log = document.querySelector('[role="log"]');
      const frames = [];
      const run = async (by, done) => {
        for (let still = 0; still < 60; ) {
          log.scrollTop += by;
          frames.push(await new Promise((resolve) => requestAnimationFrame(resolve)));
          still = done() ? still + 1 : 0;
        }
      };
      await run(-1200, () => log.scrollTop === 0);
      await run(1200, () => log.scrollHeight - log.scrollTop - log.clientHeight <= 1);
      return frames;
    }),
  );
  const pairs = frames.slice(1).map((to, i) => [frames[i], to]);
  const clock = pairs.map(([from, to]) => to - from);
  const ran = pairs.map(([from, to]) => thread.ran(from, to));
  const over = (values) => values.filter((ms) => ms > 50.5).length;
  note("scrolling end to end: longest frame", "50 ms", most(clock), most(ran));
  note("scrolling end to end: frames over 50 ms", "0", over(clock), over(ran), "");
  console.log(`scrolling, ${frames.length} frames: ${thread}`);
}

/** An answer streams while somebody types. */
async function streaming(page) {
  await page.getByRole("button", { name: "New session", exact: true }).first().waitFor();
  const { value, thread } = await traced(browser, page, async () => {
    const prompt = page.getByRole("textbox", { name: "Prompt" });
    await prompt.fill("stream");
    await page.evaluate(() => {
      const samples = (window.samples = { chunks: [], keys: [], from: performance.now(), done: false });
      // What a chunk costs: from the frame's beginning, in which it is taken in, to after its paint.
      const tick = async (start) => {
        const end = await window.painted();
        const height = document.querySelector('[role="log"]')?.scrollHeight ?? 0;
        if (height !== samples.height) samples.chunks.push([start, end]);
        samples.height = height;
        if (!samples.done) tick(end);
      };
      tick(performance.now());
      document.addEventListener("keydown", async ({ timeStamp }) => samples.keys.push([timeStamp, await window.painted()]), { capture: true });
    });
    const footers = () => page.evaluate(() => document.querySelectorAll('[role="log"] [data-component="turn-footer"]').length);
    const before = await footers();
    await page.keyboard.press("Enter");
    await until("the end of the stream", async () => {
      await page.keyboard.press("x");
      return (await footers()) > before;
    }, { timeout: 180_000, every: 60 });
    // As one text: to hand over every figure by itself is work of the page's thread.
    const samples = await page.evaluate(() => JSON.stringify({ ...window.samples, tasks: window.measured.tasks, done: (window.samples.done = true) }));
    return JSON.parse(samples);
  });
  await page.getByRole("textbox", { name: "Prompt" }).fill("");
  const { chunks, keys, tasks, from } = value;
  const tenth = Math.max(1, Math.floor(chunks.length / 10));
  const ratio = (cost) => median(chunks.slice(-tenth).map(cost)) / median(chunks.slice(0, tenth).map(cost));
  // What comes in is paced, so that as much comes in a tenth of the time. The first are the prompt, before anything comes in.
  const [begun, ended] = [chunks.at(10)[0], chunks.at(-1)[1]];
  const span = (ended - begun) / 10;
  const busy = thread.ran(ended - span, ended) / thread.ran(begun, begun + span);
  const clock = ([from, to]) => to - from;
  const ran = ([from, to]) => thread.ran(from, to);
  note(`${lines} lines streamed: a chunk of the last tenth`, "", median(chunks.slice(-tenth).map(clock)), median(chunks.slice(-tenth).map(ran)));
  note(`${lines} lines streamed: last tenth to first, per frame`, "1.3", ratio(clock), ratio(ran), "×");
  note(`${lines} lines streamed: last tenth to first, all that ran`, "1.3", busy, busy, "×");
  note(`${lines} lines streamed: longest task`, "50 ms", most(tasks.filter((t) => t.at >= from).map((t) => t.ms)), thread.longest(from));
  note(`${lines} lines streamed: key to paint, worst`, "50 ms", most(keys.slice(1).map(clock)), most(keys.slice(1).map(ran)));
  note(`${lines} lines streamed: key to paint, median`, "", median(keys.slice(1).map(clock)), median(keys.slice(1).map(ran)));
  console.log(`streaming, ${chunks.length} chunks: ${thread}`);
}
