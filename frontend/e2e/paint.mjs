// Measures the window's start: from the program's start to the first paint of the
// page, and what its processes hold in memory then. Prints a table.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./kit/checks.mjs";
import { openWindow, startDisplay } from "./kit/display.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";

const rounds = Number(process.argv[2] ?? 5);
const sandbox = new Sandbox("paint");
const paints = [];
const memory = [];
try {
  const display = await startDisplay(sandbox);
  for (let i = 0; i < rounds; i++) {
    const args = ["--rehearsal", "--data", sandbox.folder(`data${i}`)];
    const { browser, driver } = await openWindow(sandbox, join(root, "build/bin/parley-e2e"), args, display);
    const painted = await until("the first paint", () =>
      browser.executeScript(`
        const paint = performance.getEntriesByName("first-contentful-paint")[0];
        return paint ? performance.timeOrigin + paint.startTime : null;`),
    );
    const pid = childOf(driver.pid, "parley-e2e");
    paints.push(painted - startOf(pid));
    memory.push(resident(pid));
    // The program ends with the session, before it could answer.
    await browser.quit().catch(() => {});
    await until("the window to be gone", () => sandbox.leftovers().every((line) => !line.includes("parley-e2e")));
    await driver.stop();
  }
} finally {
  await sandbox.close();
}
console.log(`${"measurement".padEnd(40)}result    limit`);
console.log(`${"start to first paint, median".padEnd(40)}${Math.round(median(paints))} ms    500 ms`);
console.log(`${"start to first paint, worst".padEnd(40)}${Math.round(Math.max(...paints))} ms`);
console.log(`${"memory of Parley's own process".padEnd(40)}${median(memory).toFixed(1)} MB`);

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function stat(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name may hold anything; behind it there are only numbers.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { parent: Number(fields[1]), startTicks: Number(fields[19]) };
}

/** When a process started, in Unix milliseconds, to a hundredth of a second. */
function startOf(pid) {
  const uptime = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
  return Date.now() - (uptime - stat(pid).startTicks / 100) * 1000;
}

function childOf(parent, name) {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim().split(" ");
  const pid = children.find((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes(name));
  if (!pid) throw new Error(`the driver has no child ${name}`);
  return Number(pid);
}

function resident(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}
