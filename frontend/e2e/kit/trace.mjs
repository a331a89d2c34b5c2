// What the main thread of a page does, from Chromium's own trace. Other programs that
// want the same processors make everything take longer, so that beside the time on the
// clock there is the time that the thread really ran.

const timing = "blink.user_timing";
// Not "disabled-by-default-devtools.timeline": it counts all nodes of the page after every frame that changed any.
const categories = ["toplevel", "devtools.timeline", timing];
const task = "ThreadControllerImpl::RunTask";
const parts = { FunctionCall: "script", UpdateLayoutTree: "style", Layout: "layout", PrePaint: "paint", Paint: "paint", Layerize: "paint", MinorGC: "collections" };

/** Traces what run does; returns its value and what the thread did meanwhile. */
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
  /** Tasks by their beginning in ms of the page's clock; cpu is what the thread ran in them. */
  tasks = [];
  /** How often there were style, layout and the like, and how long in ms they ran. */
  work = {};
  /** What took more than 2 ms, to say what a long task did. */
  #parts = [];
  /** By their beginning in ms of the page's clock: what the thread ran in each event and not in one inside it. */
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

  /** The longest task in ms that the thread ran, of those that began in this time. */
  longest(from = -Infinity, to = Infinity) {
    return this.tasks.reduce((most, task) => (task.from >= from && task.from < to ? Math.max(most, task.cpu) : most), 0);
  }

  /** The longest task in a line, with what it did for more than 2 ms. */
  explain() {
    const task = this.tasks.reduce((most, each) => (each.cpu > most.cpu ? each : most), { from: 0, to: 0, cpu: 0 });
    const did = this.#parts.filter(({ from }) => from >= task.from && from < task.to).map(({ cpu, what }) => `${what} ${cpu.toFixed(0)}`);
    return `longest task ${task.cpu.toFixed(0)} ms, on the clock ${(task.to - task.from).toFixed(0)}: ${did.join(", ")}`;
  }

  /** What grew most between two times of the same length, of which the first ones began at these moments: in ms, in a line. */
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

  /** What a function of the page ran in the middle, in ms, of its runs that began between two moments. */
  runs(name, from, to) {
    const took = this.#own.filter((each) => each.from >= from && each.from < to && each.event.args?.data?.functionName === name).map(({ event }) => event.tdur / 1000);
    return took.toSorted((a, b) => a - b)[took.length >> 1];
  }

  /** The end of the task that a moment is in; the moment itself if it is in none. */
  end(moment) {
    return this.tasks.find((task) => task.from <= moment && task.to > moment)?.to ?? moment;
  }

  /** How long in ms the thread ran between two moments of the page's clock. */
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

  /** The parts of the work in a line. */
  toString() {
    return Object.entries(this.work).map(([name, { count, ms, worst }]) => `${name} ${count}× ${ms.toFixed(0)} ms (at most ${worst.toFixed(0)})`).join(", ");
  }
}

function describe({ name, args }) {
  const { functionName, lineNumber, columnNumber, type, src_func: posted } = args?.data ?? args ?? {};
  const where = functionName === undefined ? (type ?? posted) : `${functionName} ${lineNumber}:${columnNumber}`;
  return where ? `${name} (${where})` : name;
}
