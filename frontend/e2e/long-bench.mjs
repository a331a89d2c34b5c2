// Measures long conversations in Chromium with software rendering: opening one,
// scrolling through it, and an answer of 6,000 lines that streams while the user types.
// Prints a table with the wall time, and the CPU time of the page's thread, which other
// work on the machine does not affect. Everything runs twice, because tracing takes time
// itself: the wall time is measured without it.
//
//   node e2e/long-bench.mjs [scroll] [stream] [flood]

import { cpus, loadavg } from "node:os";
import { openPage, startBrowser } from "./kit/browser.mjs";
import { until } from "./kit/checks.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { longPast, writePast } from "./kit/transcripts.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";
import { traced } from "./kit/trace.mjs";

const wanted = process.argv.slice(2);
const wants = (what) => wanted.length === 0 || wanted.includes(what);
const part = (i) => `## Part ${i}\n\nWhat follows is **part ${i}** of many, with \`code\` and a [link](https://example.org/${i}).\n\n- one\n- two\n\n\`\`\`go\nfunc part${i}() error {\n\treturn run(${i})\n}\n\`\`\`\n\n`;
/** An answer in pieces, each a number of ms apart. */
const spoken = (lines, size, every) => {
  const answer = Array.from({ length: lines / 12 }, (_, i) => part(i)).join("");
  return [[{ ...text(answer), pieces: answer.match(new RegExp(`[^]{1,${size}}`, "g")), every }, text("\n\nThat was all.")]];
};
/** By prompt: one as fast as a fast model, and one ten times as fast. */
const answers = {
  stream: { name: "6000 lines at 1 KB a second", pieces: spoken(6000, 30, 30) },
  flood: { name: "6000 lines at 10 KB a second", pieces: spoken(6000, 150, 15) },
};

/** By name: the values, and the limit. */
const figures = new Map();
const note = (name, limit, { clock, thread }, unit = " ms") => {
  const known = figures.get(name);
  figures.set(name, { limit, unit, clock: clock ?? known?.clock, thread: thread ?? known?.thread });
};
/** The duration of each opening. */
const opened = { clock: [], thread: [] };
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const most = (values) => values.reduce((a, b) => Math.max(a, b), 0);
const over = (values) => values.filter((ms) => ms > 50.5).length;

const untraced = async (_browser, _page, run) => ({ value: await run() });
for (const part of ["scroll", ...Object.keys(answers)]) {
  if (!wants(part)) continue;
  await pass(part, untraced);
  await pass(part, traced);
}

/** Runs one part, with its own server, browser and conversation. */
async function pass(part, watched) {
  const model = await startModel(Object.fromEntries(Object.entries(answers).map(([prompt, { pieces }]) => [prompt, pieces])));
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
    const watch = (run) => watched(browser, page, run);
    // What the page prepares while idle is not part of the measurement.
    await page.evaluate(() => window.prepared.then(window.idle));
    await opening(page, watch);
    await page.evaluate(() => window.idle());
    await (part === "scroll" ? scrolling(page, watch) : streaming(page, watch, part));
  } finally {
    await browser?.close();
    await model.close();
    await sandbox.close();
  }
}

const line = (...cells) => console.log(cells[0].padEnd(62) + cells.slice(1).map((cell) => cell.padEnd(13)).join(""));
console.log(`\n${cpus().length} processors, load ${loadavg()[0].toFixed(1)}`);
line("measurement", "clock", "thread", "limit");
for (const [name, { limit, clock, thread, unit }] of figures) {
  const cell = (value) => value === undefined ? "" : `${value.toFixed(unit === " ms" || unit === "" ? 0 : 2)}${unit.trimEnd() === "" ? "" : unit}`;
  line(name, cell(clock), cell(thread), limit);
}

/** In the page: records when a page of history arrives, long tasks, paints, and idleness. */
function measure() {
  window.measured = { data: 0, tasks: [], keys: [] };
  new PerformanceObserver((list) => window.measured.tasks.push(...list.getEntries().map((e) => ({ at: e.startTime, ms: e.duration })))).observe({ entryTypes: ["longtask"] });
  // Up to the frame that shows it, in steps of 8 ms; durations below 16 ms are not reported.
  new PerformanceObserver((list) => window.measured.keys.push(...list.getEntries().filter((e) => e.name === "keydown").map((e) => ({ at: e.startTime, ms: e.duration })))).observe({ type: "event", durationThreshold: 16 });
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
  // The same work each time, below a millisecond: measures the machine's current speed.
  window.sameWork = function sameWork() {
    let seed = 1;
    for (let i = 0; i < 200_000; i++) seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
    window.seed = seed;
  };
  // By now it is compiled.
  for (let i = 0; i < 200; i++) window.sameWork();
  window.idle = async () => {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => requestIdleCallback(() => resolve()));
  };
  // Messages are laid out and removed once, before any is opened.
  window.prepared = new Promise((resolve) => {
    const gone = ({ removedNodes }) => [...removedNodes].some((node) => node.dataset?.component === "warm-up");
    new MutationObserver((records) => records.some(gone) && resolve()).observe(document, { childList: true, subtree: true });
  });
}

/** Opens the long session: from its data to the first frame with its end in view. */
async function opening(page, watch) {
  const { value, thread } = await watch(() =>
    page.evaluate(async () => {
      const button = [...document.querySelectorAll('[data-slot="session"]')].find((e) => e.textContent.includes("Prompt number 0"));
      window.measured.data = 0;
      (button.querySelector("button") ?? button).click();
      for (;;) {
        const now = await window.painted();
        const log = document.querySelector('[role="log"]');
        const rows = log ? [...log.querySelectorAll("[data-row]")].filter((row) => row.parentElement.style.opacity !== "0") : [];
        const [first, last] = [rows.at(0), rows.at(-1)].map((row) => row?.getBoundingClientRect());
        const view = log?.getBoundingClientRect();
        // The view is full of rows, and ends with the last one.
        const shown = view && first && last && first.top <= view.top + 24 && last.bottom > view.top;
        if (window.measured.data && shown && log.scrollHeight - log.scrollTop - log.clientHeight <= 1) return [window.measured.data, now, rows.length];
      }
    }),
  );
  const [data, shown, rows] = value;
  const column = thread ? "thread" : "clock";
  opened[column].push(thread?.ran(data, shown) ?? shown - data);
  note("10,000 messages: data to first correct paint, median", "60 ms", { [column]: median(opened[column]) });
  if (thread) console.log(`opening drew ${rows} rows: ${thread}`);
}

/** From the end to the very beginning and back, like a wheel. */
async function scrolling(page, watch) {
  const { value: frames, thread } = await watch(() =>
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
  const column = thread ? "thread" : "clock";
  const took = pairs.map(([from, to]) => thread?.ran(from, to) ?? to - from);
  note("scrolling end to end: longest frame", "50 ms", { [column]: most(took) });
  note("scrolling end to end: frames over 50 ms", "0", { [column]: over(took) }, "");
  if (thread) console.log(`scrolling, ${frames.length} frames: ${thread}; ${thread.explain()}`);
  else await scrollingNothing(page, frames.length);
}

/** The same number of frames of an idle page: long ones are due to the machine. */
async function scrollingNothing(page, count) {
  const { page: plain } = await openPage(page.context().browser());
  await plain.setContent(`<div style="height: 600px; overflow: auto">${"<p>Some words.</p>".repeat(20_000)}</div>`);
  const frames = await plain.evaluate(async (count) => {
    const frames = [];
    while (frames.length < count) {
      document.querySelector("div").scrollTop += 20;
      frames.push(await new Promise((resolve) => requestAnimationFrame(resolve)));
    }
    return frames;
  }, count);
  const took = frames.slice(1).map((to, i) => to - frames[i]);
  note("a page without any work, as many frames: longest", "", { clock: most(took) });
  note("a page without any work, as many frames: over 50 ms", "", { clock: over(took) }, "");
  await plain.context().close();
}

/** An answer streams while the user types; said is the prompt that requests it. */
async function streaming(page, watch, said) {
  const { name } = answers[said];
  await page.getByRole("button", { name: "New session", exact: true }).first().waitFor();
  const { value, thread } = await watch(async () => {
    const prompt = page.getByRole("textbox", { name: "Prompt" });
    await prompt.fill(said);
    await page.evaluate(() => {
      const samples = (window.samples = { chunks: [], keys: [], from: performance.now(), done: false });
      // Only in the composer: searching the whole page costs more the larger it is.
      const composer = document.querySelector('[data-component="composer"]');
      let running = false;
      // The cost of a chunk: from the start of the frame that applies it, to after its paint.
      const tick = async (start) => {
        const end = await window.painted();
        const height = document.querySelector('[role="log"]')?.scrollHeight ?? 0;
        if (height !== samples.height) samples.chunks.push([start, end]);
        samples.height = height;
        const was = running;
        running = composer.querySelector('[data-slot="stop"]') !== null;
        samples.ended ||= was && !running;
        if (samples.chunks.length % 10 === 0) setTimeout(window.sameWork);
        if (!samples.done) tick(end);
      };
      tick(performance.now());
      // The next frame shows a key; its task ends when it is painted.
      document.addEventListener("keydown", ({ timeStamp }) => requestAnimationFrame((frame) => samples.keys.push([timeStamp, Math.max(frame, performance.now())])), { capture: true });
    });
    await page.keyboard.press("Enter");
    await until("the end of the stream", async () => {
      await page.keyboard.press("x");
      return await page.evaluate(() => window.samples.ended);
    }, { timeout: 180_000, every: 60 });
    // As one text: transferring every value separately is work for the page's thread.
    const samples = await page.evaluate(() => JSON.stringify({ ...window.samples, tasks: window.measured.tasks, shown: window.measured.keys, done: (window.samples.done = true) }));
    return JSON.parse(samples);
  });
  await page.getByRole("textbox", { name: "Prompt" }).fill("");
  const { chunks, keys, shown, tasks, from } = value;
  const tenth = Math.max(1, Math.floor(chunks.length / 10));
  const column = thread ? "thread" : "clock";
  // Incoming text is paced, so that equal times have equal amounts. The first samples are the prompt, before any text.
  const [begun, ended] = [chunks.at(10)[0], chunks.at(-1)[1]];
  const span = (ended - begun) / 10;
  // A shared machine's speed varies: the CPU time is compared with constant work.
  const slower = thread ? thread.runs("sameWork", ended - span, ended) / thread.runs("sameWork", begun, begun + span) : 1;
  if (thread) note(`${name}: last tenth to first, work that is always the same`, "", { thread: slower }, "×");
  const costs = chunks.map(([start, end]) => thread?.ran(start, end) ?? end - start);
  note(`${name}: a chunk of the last tenth`, "", { [column]: median(costs.slice(-tenth)) });
  note(`${name}: last tenth to first, per frame`, "1.3", { [column]: median(costs.slice(-tenth)) / median(costs.slice(0, tenth)) / slower }, "×");
  if (thread) {
    note(`${name}: last tenth to first, all that ran`, "1.3", { thread: thread.ran(ended - span, ended) / thread.ran(begun, begun + span) / slower }, "×");
    console.log(`${name}: ${thread.grew(begun, ended - span, span)}`);
  }
  const longest = thread ? thread.longest(from) : most(tasks.filter((t) => t.at >= from).map((t) => t.ms));
  note(`${name}: longest task`, "50 ms", { [column]: longest });
  // The first one sends the prompt.
  const shownIn = thread ? keys.slice(1).map(([key, frame]) => thread.ran(key, thread.end(frame))) : shown.filter((key) => key.at > from).slice(1).map((key) => key.ms);
  note(`${name}: key to paint, worst`, "50 ms", { [column]: most(shownIn) });
  const quick = thread ? 0 : keys.length - 1 - shownIn.length;
  note(`${name}: key to paint, median`, "", { [column]: median([...shownIn, ...Array.from({ length: Math.max(0, quick) }, () => 8)]) });
  if (thread) console.log(`${name}, ${chunks.length} chunks: ${thread}; ${thread.explain()}`);
}
