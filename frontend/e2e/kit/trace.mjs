// Analyzes a page's main thread from a Chromium trace. Other programs slow everything down, so the thread's CPU time is
// reported besides the wall time.

const timing = "blink.user_timing";
// Not "disabled-by-default-devtools.timeline": it counts all nodes of the page after every frame that changed any.
const categories = ["toplevel", "devtools.timeline", timing];
const task = "ThreadControllerImpl::RunTask";
const parts = { FunctionCall: "script", UpdateLayoutTree: "style", Layout: "layout", PrePaint: "paint", Paint: "paint", Layerize: "paint", MinorGC: "collections" };

/** Traces run; returns its result and the thread's activity. */
export async function traced(browser, page, run) {
  await browser.startTracing(page, { categories });
  let value;
  let buffer;
  try {
    await page.evaluate(() => performance.mark("trace-origin"));
    value = await run();
  } finally {
    buffer = await browser.stopTracing();
  }
  return { value, thread: new Thread(JSON.parse(buffer.toString()).traceEvents) };
}

class Thread {
  /** Tasks by start time in ms of the page's clock; cpu is the thread's time in them. */
  tasks = [];
  /** How often styles, layout and the like ran, and for how long in ms. */
  work = {};
  /** Events of more than 2 ms, to explain long tasks. */
  #parts = [];
  /** By start time in ms of the page's clock: the thread's time in each event without nested events. */
  #own = [];

  constructor(events) {
    const origin = events.find((e) => e.name === "trace-origin" && e.cat === timing);
    const clock = (ts) => (ts - origin.ts) / 1000 + origin.args.data.startTime;
    const mine = events.filter((e) => e.ph === "X" && e.pid === origin.pid && e.tid === origin.tid);
    mine.sort((a, b) => a.ts - b.ts || b.dur - a.dur);
    const around = [];
    for (const e of mine) {
      const cpu = (e.tdur ?? 0) / 1000;
      while (around.length > 0 && around.at(-1).end <= e.ts) around.pop();
      if (around.length > 0) around.at(-1).own.cpu -= cpu;
      const own = { from: clock(e.ts), cpu, event: e };
      around.push({ end: e.ts + e.dur, own });
      this.#own.push(own);
      if (e.name === task) this.tasks.push({ from: clock(e.ts), to: clock(e.ts + e.dur), cpu });
      else if (cpu > 2) this.#parts.push({ from: clock(e.ts), cpu, what: describe(e) });
      const part = parts[e.name];
      if (!part) continue;
      const sum = (this.work[part] ??= { count: 0, ms: 0, worst: 0 });
      sum.count++;
      sum.ms += cpu;
      sum.worst = Math.max(sum.worst, cpu);
    }
  }

  /** The longest task in ms of CPU time that started in this interval. */
  longest(from = -Infinity, to = Infinity) {
    return this.tasks.reduce((most, task) => (task.from >= from && task.from < to ? Math.max(most, task.cpu) : most), 0);
  }

  /** The longest task on one line, with its parts of more than 2 ms. */
  explain() {
    const task = this.tasks.reduce((most, each) => (each.cpu > most.cpu ? each : most), { from: 0, to: 0, cpu: 0 });
    const did = this.#parts.filter(({ from }) => from >= task.from && from < task.to).map(({ cpu, what }) => `${what} ${cpu.toFixed(0)}`);
    return `longest task ${task.cpu.toFixed(0)} ms, on the clock ${(task.to - task.from).toFixed(0)}: ${did.join(", ")}`;
  }

  /** What grew most between two groups of intervals of the same length, given by their start times: in ms, on one line. */
  grew(first, second, length) {
    const sums = new Map();
    const add = (from, sign) => {
      for (const each of this.#own) {
        if (each.from < from || each.from >= from + length) continue;
        const what = describe(each.event);
        sums.set(what, (sums.get(what) ?? 0) + sign * each.cpu);
      }
    };
    add(first, -1);
    add(second, 1);
    const most = [...sums].toSorted((a, b) => b[1] - a[1]).slice(0, 4);
    return `grew most: ${most.map(([what, ms]) => `${what} ${ms.toFixed(0)} ms`).join(", ")}`;
  }

  /** The median CPU time of a page function in ms, of its runs that started between two times. */
  runs(name, from, to) {
    const took = this.#own.filter((each) => each.from >= from && each.from < to && each.event.args?.data?.functionName === name).map(({ event }) => event.tdur / 1000);
    return took.toSorted((a, b) => a - b)[took.length >> 1];
  }

  /** The end of the task that contains a time; the time itself if there is none. */
  end(moment) {
    return this.tasks.find((task) => task.from <= moment && task.to > moment)?.to ?? moment;
  }

  /** The thread's CPU time in ms between two times of the page's clock. */
  ran(from, to) {
    let low = 0;
    for (let high = this.tasks.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (this.tasks[middle].to <= from) low = middle + 1;
      else high = middle;
    }
    let sum = 0;
    for (let i = low; i < this.tasks.length && this.tasks[i].from < to; i++) {
      const task = this.tasks[i];
      const share = (Math.min(to, task.to) - Math.max(from, task.from)) / (task.to - task.from || 1);
      sum += task.cpu * Math.max(0, share);
    }
    return sum;
  }

  /** The totals on one line. */
  toString() {
    return Object.entries(this.work).map(([name, { count, ms, worst }]) => `${name} ${count}× ${ms.toFixed(0)} ms (at most ${worst.toFixed(0)})`).join(", ");
  }
}

function describe({ name, args }) {
  const { functionName, lineNumber, columnNumber, type, src_func: posted } = args?.data ?? args ?? {};
  const where = functionName === undefined ? (type ?? posted) : `${functionName} ${lineNumber}:${columnNumber}`;
  return where ? `${name} (${where})` : name;
}
