// The real window while it is hidden: its page receives no events, and has everything when it is shown again. Also the
// keys that go to the ends of a very long conversation.

import { join } from "node:path";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { openWindow, startDisplay } from "./kit/display.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { longPast, writePast } from "./kit/transcripts.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { Window, xdotool } from "./kit/window.mjs";

const binary = join(root, "build/bin/parley-e2e");
/** An answer of numbered words, so that missing or repeated ones are noticed. */
const count = (name, n) => Array.from({ length: n }, (_, i) => `${name}${i} `);
const answers = { minimised: count("m", 150), long: count("l", 900), covered: count("c", 400) };
const model = await startModel(Object.fromEntries(Object.entries(answers).map(([prompt, pieces]) => [prompt, [[{ ...text(""), pieces, every: 15 }]]])));

const sandbox = new Sandbox("window-hidden");
const many = sandbox.folder("home/many");
writePast(sandbox, longPast(10_000), { cwd: many });

let window;
const suite = new Suite({ onFailure: (name) => window?.screenshot(`failed-${name}`) });
try {
  const display = await startDisplay(sandbox);
  const env = { ...display, ...modelEnv(model) };
  const { browser, driver } = await openWindow(sandbox, binary, ["--data", sandbox.data], env);
  window = new Window(browser, sandbox);
  const xdo = xdotool(sandbox.env(env));
  const run = (script, ...args) => browser.executeScript(script, ...args);
  const frame = await xdo.window("Parley");
  let session;

  /** The text of the latest answer, in Parley or on the page. */
  const had = async () => {
    const { messages } = await window.ask("session.history", { sessionId: session, limit: 2 });
    return messages.findLast((m) => m.role === "assistant")?.blocks.map((b) => b.text ?? "").join("").trim() ?? "";
  };
  const shown = () => run(`return [...document.querySelectorAll('[role="log"] [data-role="assistant"] [data-slot="text"]')].at(-1)?.textContent.trim() ?? ""`);
  /** How often the page received events. */
  const fed = () => run("return window.fed");
  const begin = async (prompt) => {
    await window.ask("session.prompt", { sessionId: session, text: prompt });
    await until("the page to show it", async () => (await shown()).startsWith(prompt[0] + "0 "));
  };
  /** Waits until Parley has this many more words that the page does not know of. */
  const streams = async (prompt, words) => {
    const wanted = answers[prompt][Math.min(words, answers[prompt].length) - 1].trim();
    await until(`Parley to have ${wanted}`, async () => (await had()).includes(wanted));
  };
  const showsAll = async (prompt) => {
    const all = answers[prompt].join("").trim();
    await until("the page to show all of it", async () => (await shown()) === all);
    await window.idle();
    equal(await had(), all, "what Parley has");
  };
  const hidden = (is) => until(`the page to be ${is ? "hidden" : "shown"}`, async () => (await run("return document.hidden")) === is);

  await suite.check("a session is open, and counts what it is handed", async () => {
    session = (await window.ask("session.create", { cwd: sandbox.work, title: "Counting" })).id;
    await window.open("Counting");
    await window.find('textarea[aria-label="Prompt"]');
    await run("window.fed = 0; const notify = window.wails.EventsNotify; window.wails.EventsNotify = (message) => { window.fed++; notify(message); };");
  });

  for (const [prompt, words] of [["minimised", 60], ["long", 800]]) {
    await suite.check(`minimised, it is handed nothing, and shown it has all: ${prompt}`, async () => {
      await begin(prompt);
      truth((await fed()) > 0, "nothing was counted");
      xdo.run("windowminimize", "--sync", frame);
      await hidden(true);
      await streams(prompt, 20);
      const before = await fed();
      await streams(prompt, words);
      equal(await fed(), before, "what the hidden page was handed");
      xdo.run("windowmap", "--sync", frame);
      await hidden(false);
      await showsAll(prompt);
      truth((await fed()) > before, "it was handed nothing at all");
    });
  }

  await suite.check("covered by another window, it is handed nothing, and uncovered it has all", async () => {
    const cover = sandbox.start("cover", binary, ["--data", sandbox.folder("cover")], { env: sandbox.env(env) });
    const over = await until("the other window", () => {
      try {
        return xdo.run("search", "--onlyvisible", "--name", "Parley").split("\n").find((id) => id !== frame) ?? null;
      } catch {
        return null; // none is visible right now
      }
    });
    xdo.run("windowactivate", "--sync", frame);
    await begin("covered");
    xdo.run("windowmove", over, "0", "0", "windowsize", over, "100%", "100%", "windowactivate", "--sync", over);
    let last = -1;
    await until("the page to be handed nothing more", async () => last === (last = await fed()), { every: 400 });
    // On a busy machine it may already be finished.
    const began = await had();
    await until("the answer to go on, or to be over", async () => (await had()).length > began.length + 200 || (await had()) === answers.covered.join("").trim());
    equal(await fed(), last, "what the covered page was handed");
    await cover.stop();
    await showsAll("covered");
  });

  const ends = () => run(`
    const log = document.querySelector('[role="log"]');
    if (!log) return { first: "", last: "" }; // the session is being opened
    const rows = [...log.querySelectorAll("[data-row]")].map((row) => ({ top: row.getBoundingClientRect().top - log.getBoundingClientRect().top, text: row.textContent }));
    const seen = rows.filter((row) => row.top < log.clientHeight);
    return { top: log.scrollTop, below: log.scrollHeight - log.scrollTop - log.clientHeight, first: seen[0]?.text ?? "", last: seen.at(-1)?.text ?? "" };`);
  const atStart = async () => {
    const { top, first } = await ends();
    return top === 0 && first.includes("Prompt number 0.");
  };
  const atEnd = async () => {
    const { below, last } = await ends();
    return below <= 1 && /Answer number 4\d\d\d/.test(last);
  };
  const took = [];
  for (const [key, what, there] of [["Home", "the very first message", atStart], ["End", "the last", atEnd], ["ctrl+Home", "the very first message", atStart], ["ctrl+End", "the last", atEnd]]) {
    await suite.check(`10,000 messages: ${key} goes to ${what}`, async () => {
      if (took.length === 0) {
        await window.open("Prompt number 0");
        await until("the end", atEnd);
      }
      await run(`document.querySelector('[role="log"]').focus()`);
      xdo.run("windowactivate", "--sync", frame);
      const pressed = Date.now();
      xdo.run("key", key);
      await until(what, there, { every: 20 });
      took.push(`${key} ${Date.now() - pressed} ms`);
      // It stays there, whatever else is loaded.
      await until("it to rest", async () => !(await run(`return document.querySelector('[role="log"]').ariaBusy === "true"`)));
      truth(await there(), JSON.stringify(await ends()));
    });
  }
  console.log(`      ${took.join(", ")}`);

  await suite.check("ends and leaves nothing", async () => {
    await xdo.close("Parley");
    await sandbox.leavesNothing(/parley-e2e/);
    await driver.stop();
  });
} finally {
  await model.close();
  await sandbox.close();
}
suite.end();
