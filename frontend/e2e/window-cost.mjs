// Measures the cost of an open window: the CPU time of Parley and of the page's process, in
// percent of one core, while idle and while an answer streams, visible and hidden. Prints a
// table.
//
//   node e2e/window-cost.mjs [PROGRAM [SECONDS]]

import { readdirSync, readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { until } from "./kit/checks.mjs";
import { openWindow, startDisplay } from "./kit/display.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { button, Window, xdotool } from "./kit/window.mjs";

const program = process.argv[2] ?? join(root, "build/bin/parley-e2e");
const seconds = Number(process.argv[3] ?? 8);

const paragraph = (i) => `What follows is **part ${i}** of many, with \`code\`, a [link](https://example.org/${i}) and words that say ${"little of much interest ".repeat(5 + (i % 4))}to anybody.\n\n`;
const part = (i) => `## Part ${i}\n\n${paragraph(i)}- one of the points\n- another one of them\n\n${i % 3 === 0 ? `\`\`\`go\nfunc part${i}() error {\n\treturn run(${i})\n}\n\`\`\`\n\n` : paragraph(i + 1)}`;
const words = Array.from({ length: 400 }, (_, i) => part(i)).join("").split(/(?<=\s)/);
/** An answer with this many tokens per second, which runs until it is interrupted. */
const spoken = (perSecond) => [[{ ...text(""), pieces: words, every: 1000 / perSecond }]];
const model = await startModel({ slow: spoken(50), fast: spoken(500) });

const sandbox = new Sandbox("window-cost");
const rows = [];
try {
  const display = await startDisplay(sandbox);
  const env = { ...display, ...modelEnv(model) };
  const xdo = xdotool(sandbox.env(env));
  const { browser, driver } = await openWindow(sandbox, program, ["--data", sandbox.data], env);
  const window = new Window(browser, sandbox);
  const { id } = await window.ask("session.create", { cwd: sandbox.work, title: "Costs" });
  await browser.navigate().refresh();
  await window.find(button("Costs", "Sessions"));
  await window.press("Costs", "Sessions");
  await window.say("hello");
  await window.reads("I have no words");
  await window.idle();
  const frame = await xdo.window("Parley");

  const parley = below(driver.pid).find((pid) => command(pid).includes("parley-e2e"));
  const page = below(parley).find((pid) => command(pid).includes("WebKitWebProcess"));
  const watch = async (what, limit = "") => {
    await pause(1500);
    const before = [parley, page].map(used);
    const began = performance.now();
    await pause(seconds * 1000);
    const share = [parley, page].map((pid, i) => (used(pid) - before[i]) / ((performance.now() - began) / 100));
    rows.push([what, ...share.map(percent), percent(share[0] + share[1]), limit]);
  };
  const stream = async (prompt) => {
    await window.ask("session.prompt", { sessionId: id, text: prompt });
    await until("the answer to begin", async () => (await window.ask("session.get", { sessionId: id })).state === "running");
  };
  const stop = async () => {
    await window.ask("session.interrupt", { sessionId: id });
    await window.idle();
  };

  await pause(3000);
  await watch("nothing happens, seen");
  await stream("slow");
  await watch("50 tokens a second, seen", "25 %");
  xdo.run("windowminimize", frame);
  await watch("50 tokens a second, minimised");
  await window.ask("session.interrupt", { sessionId: id });
  await watch("nothing happens, minimised");
  xdo.run("windowmap", frame, "windowactivate", frame);
  await pause(1000);
  await window.idle();
  await stream("fast");
  await watch("500 tokens a second, seen");
  await stop();
  await browser.quit().catch(() => {});
} finally {
  await model.close();
  await sandbox.close();
}
console.log(`${cpus().length} processors, load ${loadavg()[0].toFixed(1)}, ${seconds} s each; percent of one core`);
line("measurement", "Parley", "page", "together", "limit");
for (const row of rows) line(...row);

function line(what, ...cells) {
  console.log(what.padEnd(34) + cells.map((cell) => cell.padEnd(10)).join("").trimEnd());
}
function percent(share) {
  return `${share.toFixed(1)} %`;
}
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
function command(pid) {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8");
}
/** A process's descendants. */
function below(pid) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number));
  return [...children, ...children.flatMap(below)];
}
/** The CPU time of a process, in ms. */
function used(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
process.exit(); // the model may still have much to send, to nobody
