// Measures the window's start against that of a bare Wails window (app/bench/bare),
// alternately in the same run, because only the ratio is meaningful on a machine that does
// other work too: from the program's start to the first paint, and to the composer of the
// restored session. Warm, and cold: with the programs and libraries evicted from memory, as
// far as the system allows. Prints tables.
//
//   node e2e/paint.mjs [ROUNDS] [phases]

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { until } from "./kit/checks.mjs";
import { command } from "./kit/command.mjs";
import { openWindow, startDisplay } from "./kit/display.mjs";
import { longPast, writePast } from "./kit/transcripts.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { Window } from "./kit/window.mjs";

const rounds = Number(process.argv[2] ?? 5);
const phases = process.argv[3] === "phases";
const programs = { bare: join(root, "build/bin/bare-e2e"), parley: join(root, "build/bin/parley-e2e") };
const sandbox = new Sandbox("paint");
const figures = { warm: { bare: [], parley: [] }, cold: { bare: [], parley: [] } };
try {
  const env = { ...(await startDisplay(sandbox)), PARLEY_GPU: "off" };
  const args = { bare: [], parley: ["--data", sandbox.data] };

  /** Starts a program, and ends it after the measurement. */
  async function run(name, measure) {
    const { browser, driver } = await openWindow(sandbox, programs[name], args[name], env);
    const pid = childOf(driver.pid, `${name}-e2e`);
    try {
      return await measure(browser, pid);
    } finally {
      // The driver would kill it, which Parley treats as a crash.
      process.kill(pid);
      await until("the program to end", () => !existsSync(`/proc/${pid}/exe`));
      await browser.quit().catch(() => {});
      await until("the window to be gone", () => sandbox.leftovers().every((line) => !line.includes("-e2e ")));
      await driver.stop();
    }
  }

  const measure = async (browser, pid) => {
    const composer = programs.parley === realpathSync(`/proc/${pid}/exe`);
    const page = await until("the page", () =>
      browser.executeScript(
        `const at = (name) => performance.getEntriesByName(name)[0]?.startTime;
         const page = performance.getEntriesByType("navigation")[0];
         const paint = at("first-contentful-paint"), composer = at("composer");
         if (paint === undefined || (arguments[0] && composer === undefined)) return null;
         return { origin: performance.timeOrigin, paint, composer, document: page.responseEnd, parsed: page.domInteractive, loaded: page.domContentLoadedEventEnd };`,
        composer,
      ),
      { every: 200 }, // polling costs the page time
    );
    const started = page.origin - startOf(pid);
    return {
      paint: started + page.paint, composer: started + (page.composer ?? page.paint),
      started, document: started + page.document, parsed: started + page.parsed, loaded: started + page.loaded,
      cpu: processorTime(pid), memory: resident(pid),
    };
  };

  const id = writePast(sandbox, longPast(40));
  await run("parley", async (browser) => {
    const window = new Window(browser, sandbox);
    await window.press("Prompt number 0", "Sessions");
    await window.find('textarea[aria-label="Prompt"]');
    await until("the tab to be kept", async () => JSON.stringify(await window.ask("layout.get", { window: "main" })).includes(id.slice(0, 8)) || null);
  });
  for (const how of ["warm", "cold"]) {
    for (let i = 0; i < rounds; i++) {
      for (const name of i % 2 === 0 ? ["bare", "parley"] : ["parley", "bare"]) {
        if (how === "cold") letGo();
        figures[how][name].push(await run(name, measure));
      }
    }
  }
} finally {
  await sandbox.close();
}

console.log(`${"measurement".padEnd(34)}${"bare".padStart(9)}${"Parley".padStart(12)}    ratio    limit`);
for (const [how, { bare, parley }] of Object.entries(figures)) {
  const row = (what, name, base, limit = "") => {
    const [a, b] = [median(bare, base), median(parley, name)];
    console.log(`${`${how}, ${what}`.padEnd(34)}${`${Math.round(a)} ms`.padStart(9)}${`${Math.round(b)} ms`.padStart(12)}    ${(b / a).toFixed(2).padEnd(9)}${limit}`);
  };
  if (phases) for (const name of ["started", "document", "parsed", "loaded"]) row(name, name, name);
  row("first paint", "paint", "paint", "1.20");
  row("composer ready", "composer", "paint", "1.40");
  row("processor time until then", "cpu", "cpu");
}
console.log(`${"memory of Parley's own process".padEnd(34)}${`${median(figures.warm.parley, "memory").toFixed(1)} MB`.padStart(21)}`);

function median(runs, name) {
  return runs.map((run) => run[name]).toSorted((a, b) => a - b)[Math.floor(runs.length / 2)];
}

/** Makes the system evict the programs and all libraries that they and WebKit's processes use. */
function letGo() {
  const helpers = readdirSync("/usr/lib", { recursive: false }).flatMap((folder) => {
    const place = `/usr/lib/${folder}/webkit2gtk-4.1`;
    try {
      return readdirSync(place).filter((name) => name.startsWith("WebKit")).map((name) => join(place, name));
    } catch {
      return []; // not in here
    }
  });
  const started = [...Object.values(programs), ...helpers];
  const files = new Set(started);
  for (const program of started) {
    for (const [, path] of command("ldd", [program]).matchAll(/(\/\S+) \(0x/g)) files.add(realpathSync(path));
  }
  for (const path of files) spawnSync("dd", [`if=${path}`, "iflag=nocache", "count=0"], { stdio: "ignore" });
}

function stat(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name may contain anything; after it there are only numbers.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { startTicks: Number(fields[19]), ticks: Number(fields[11]) + Number(fields[12]) };
}

/** When a process started, in Unix milliseconds, to a hundredth of a second. */
function startOf(pid) {
  const uptime = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
  return Date.now() - (uptime - stat(pid).startTicks / 100) * 1000;
}

/** The CPU time of a process and its descendants, in milliseconds. */
function processorTime(pid) {
  return childrenOf(pid).reduce((sum, child) => sum + processorTime(child), stat(pid).ticks * 10);
}

function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number));
}

function childOf(parent, name) {
  const pid = childrenOf(parent).find((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes(name));
  if (!pid) throw new Error(`the driver has no child ${name}`);
  return pid;
}

function resident(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}
