// Closing the window while sessions work, on a desktop without a tray: the question and its answers, a page that can't
// ask, and what continues afterwards.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { By } from "selenium-webdriver";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { openWindow, startDisplay } from "./kit/display.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { Window, xdotool } from "./kit/window.mjs";

const binary = join(root, "build/bin/parley-e2e");
const traytest = process.env.PARLEY_E2E_TRAYTEST ?? join(root, "build/bin/traytest");

const sandbox = new Sandbox("window-closing");
const proof = (name) => join(sandbox.work, `${name}.txt`);
/** A turn that runs until the model is released, and then writes a file. */
const leaves = (name) => [[text("This takes a while. "), { type: "hold" }, tool("Write", { file_path: proof(name), content: "done\n" })], [text("It is written.")]];
const model = await startModel({
  "leave first": leaves("first"),
  "leave second": leaves("second"),
  "leave third": leaves("third"),
  "leave fourth": leaves("fourth"),
  "ask me": [[tool("Bash", { command: "echo asked > asked.txt", description: "Leave a mark" })], [text("It was allowed.")]],
});

let window;
const suite = new Suite({ onFailure: (name) => window?.screenshot(`failed-${name}`) });
try {
  const env = { ...(await startDisplay(sandbox)), ...modelEnv(model) };
  const xdo = xdotool(sandbox.env(env));
  const args = ["--data", sandbox.data];
  const notes = sandbox.start("notes", traytest, ["notes"], { env: sandbox.env(env) });
  await notes.line();

  let driver;
  const open = async () => {
    const opened = await openWindow(sandbox, binary, args, env);
    driver = opened.driver;
    window = new Window(opened.browser, sandbox);
    await window.find('[data-component="shell"]');
    await xdo.window("Parley");
  };
  const visible = () => xdo.visible("Parley").length > 0;
  const key = async (name) => xdo.run("windowactivate", "--sync", await xdo.window("Parley"), "key", name);
  /** Until the model has received it, it can't be released. */
  const prompt = async (sessionId, words) => {
    const before = model.bodies().length;
    await window.ask("session.prompt", { sessionId, text: words });
    await until(`the model to hear "${words}"`, () => model.bodies().slice(before).some((body) => body.includes(words)));
  };
  /** For a window that may close at any moment. */
  const keyIfVisible = (name) => {
    const [id] = xdo.visible("Parley");
    try {
      if (id) xdo.run("windowactivate", id, "key", name);
    } catch {
      // It is gone, which the caller notices.
    }
  };
  const work = async (words, title) => {
    const { id } = await window.ask("session.create", { cwd: sandbox.work, title, permissionMode: "acceptEdits" });
    await prompt(id, words);
    return id;
  };
  const dialog = '[role="dialog"]';
  const asks = (title) => window.find(By.xpath(`//*[@role="dialog"]//*[normalize-space(.)="${title}"]`));
  const rows = () => window.browser.executeScript(`return [...document.querySelectorAll('[data-component="closing-question"] li')].map((row) => row.innerText.replace(/\\s+/g, " ").trim())`);
  const close = async (title) => {
    await xdo.close("Parley");
    await asks(title);
  };
  const told = (title) => notes.lines.filter((said) => said === `note ${title}`).length;
  const background = "Parley is working in the background";
  const broken = "Parley's window stopped working";
  const again = async () => {
    const second = sandbox.start("second", binary, args, { env: sandbox.env(env) });
    equal((await second.exited).code, 0, "the exit code of the second start");
    await until("the window", visible);
  };
  const hidden = () => until("the window to be hidden", () => !visible());
  const gone = () => until("everything to be gone", () => running().length === 0);
  const page = () => Number(running().find((line) => line.includes("WebKitWebProcess")).split(" ")[0]);
  const loads = () => driver.said.split("The page is loaded").length - 1;

  await open();
  let first;
  let second;

  await suite.check("two sessions work: closing asks, and Esc leaves everything as it is", async () => {
    first = await work("leave first", "Fix the upload");
    second = await work("leave second", "Write the tests");
    await close("2 sessions are working");
    equal((await rows()).toSorted(), ["Fix the upload Working", "Write the tests Working"], "what it lists");
    equal(await window.browser.executeScript("return document.activeElement.textContent"), "Keep working in the background", "what Enter does");
    await window.screenshot("asks");
    await key("Escape");
    await window.gone(dialog);
    truth(visible(), "the window is gone");
    equal((await window.ask("session.get", { sessionId: first })).state, "running", "the session");
  });

  await suite.check("closed again while it asks, there is one question, and it keeps to the truth", async () => {
    await close("2 sessions are working");
    await xdo.close("Parley");
    await window.ask("session.interrupt", { sessionId: second });
    await asks("1 session is working");
    equal((await window.browser.findElements(By.css(dialog))).length, 1, "how many questions");
    equal(await rows(), ["Fix the upload Working"], "what it lists");
    await window.press("Cancel");
    await window.gone(dialog);
    truth(visible(), "the window is gone");
  });

  await suite.check("a question and a user's command are work, too", async () => {
    await window.ask("session.setPermissionMode", { sessionId: second, mode: "default" });
    await window.ask("session.prompt", { sessionId: second, text: "Please ask me" });
    await until("the question", async () => (await window.ask("session.get", { sessionId: second })).state === "waiting");
    await close("1 session is working, 1 waiting for your answer");
    equal((await rows())[0], "Write the tests Waiting for you", "what it lists first");
    await window.press("Cancel");
    await window.gone(dialog);
    await window.ask("session.interrupt", { sessionId: second });
    await window.ask("session.interrupt", { sessionId: first });
    const command = await window.ask("shell.run", { sessionId: first, command: "sleep 600" });
    await until("the turns to end", async () => (await window.ask("session.list")).sessions.every(({ state }) => state === "idle"));
    await close("1 session is working");
    equal(await rows(), ["Fix the upload Running your command"], "what it lists");
    await window.ask("shell.stop", command);
    await asks("Everything has finished");
    await window.press("Cancel");
    await window.gone(dialog);
    truth(visible(), "the window is gone");
  });

  await suite.check("Enter keeps it working in the background, and a second start brings the window back", async () => {
    await prompt(first, "leave first");
    await close("1 session is working");
    await key("Return");
    await hidden();
    await notes.says(`note ${background}`);
    await again();
    equal((await window.ask("session.get", { sessionId: first })).state, "running", "the session");
  });

  await suite.check("in the background the turn ends with its effect, and then Parley does", async () => {
    await close("1 session is working");
    await window.pressLast("Keep working in the background", xdo);
    await hidden();
    truth(!existsSync(proof("first")), "the file is there already");
    model.release();
    await until("the file", () => existsSync(proof("first")));
    await notes.says("note Parley is done");
    await gone();
    await driver.stop();
  });
  window = undefined;

  await suite.check("stopped, nothing is left, and the turn was cut", async () => {
    await open();
    await work("leave second", "Write the tests");
    await close("1 session is working");
    await window.pressLast("Stop and quit", xdo);
    window = undefined;
    await gone();
    truth(!existsSync(proof("second")), "the file is there");
    await driver.stop();
  });

  await suite.check("a page that hangs cuts nothing, and comes back with the window", async () => {
    await open();
    await work("leave third", "Fix the download");
    const before = told(background);
    window = undefined; // the driver can't reach a hung page
    process.kill(page(), "SIGSTOP");
    await xdo.close("Parley");
    await hidden();
    await until("the notification", () => told(background) > before);
    const pages = loads();
    await again();
    await until("the page to be loaded again", () => loads() > pages);
  });

  await suite.check("a page that dies while it asks asks again", async () => {
    const closes = () => driver.said.split("Window close requested").length - 1;
    const before = closes();
    await xdo.close("Parley");
    await until("Enter to be taken", async () => {
      await key("Escape"); // only its answer shows whether the question is open
      return closes() > before;
    }, { every: 300 });
    truth(driver.said.includes("outcome=cancel"), "Esc was not the answer");
    await xdo.close("Parley");
    const pages = loads();
    process.kill(page(), "SIGKILL");
    await until("the page to be loaded again", () => loads() > pages);
    await until("Enter to be taken", async () => {
      keyIfVisible("Return");
      return !visible();
    }, { every: 300 });
    // If the page takes too long to come back, the work continues without asking.
    await until("what becomes of it", () => closes() > before + 1);
    truth(/outcome=(background|stuck)(?![\s\S]*outcome=)/.test(driver.said), `the last outcome in ${driver.said}`);
    model.release();
    await until("the file", () => existsSync(proof("third")));
    await gone();
    await driver.stop();
  });

  await suite.check("a page that dies again and again cuts nothing, and comes back with the window", async () => {
    await open();
    await work("leave fourth", "Fix the list");
    const before = told(broken);
    window = undefined;
    for (let i = 1; i <= 3; i++) {
      const pages = loads();
      process.kill(page(), "SIGKILL");
      if (i < 3) await until("the page to be loaded again", () => loads() > pages);
    }
    await hidden();
    await until("the notification", () => told(broken) > before);
    const pages = loads();
    await again();
    await until("the page to be loaded again", () => loads() > pages);
    await xdo.close("Parley");
    await until("Enter to be taken", async () => {
      keyIfVisible("Return");
      return !visible();
    }, { every: 300 });
    model.release();
    await until("the file", () => existsSync(proof("fourth")));
    await gone();
    await driver.stop();
  });

  await suite.check("a signal ends it while it asks", async () => {
    await open();
    await work("leave second", "Write the tests");
    await close("1 session is working");
    const asked = Date.now();
    process.kill(Number(itself().split(" ")[0]), "SIGTERM");
    window = undefined;
    await gone();
    truth(Date.now() - asked < 6000, `it took ${Date.now() - asked} ms`);
    await driver.stop();
  });
} finally {
  await model.close();
  await sandbox.close();
}
suite.end();

/** Parley's running processes: itself, its web processes, the CLI. */
function running() {
  return sandbox.leftovers().filter((line) => /parley-e2e|WebKit(Web|Network)Process|claude|sleep/.test(line));
}

/** Parley itself. The CLI's command includes the binary's name too. */
function itself() {
  return running().find((line) => line.slice(line.indexOf(" ") + 1).startsWith(`${binary} --data`));
}
