// The first minutes in the real window: the number of clicks and keys from an empty home to the first tool output, with
// and without an account, signing in, and what a screen reader announces.

import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { By, Key } from "selenium-webdriver";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { command } from "./kit/command.mjs";
import { openWindow, startDisplay } from "./kit/display.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { button, dock, Window } from "./kit/window.mjs";

const binary = join(root, "build/bin/parley-e2e");
const counts = "wc -w notes.md | tee count.txt";
const model = await startModel({ count: [[text("I count them."), tool("Bash", { command: counts, description: "Count words" })], [text("There are six words.")]] });
let window;
const suite = new Suite({ onFailure: (name) => window?.screenshot(`failed-${name}`) });

/** A window with an empty home. Counts the user's clicks and keys. */
async function first(name, env) {
  const sandbox = new Sandbox(name);
  writeFileSync(join(sandbox.work, "notes.md"), "one two three four five six\n");
  // The fake browser opener for logins.
  sandbox.opener();
  const display = { ...(await startDisplay(sandbox)), NO_AT_BRIDGE: "0", GTK_A11Y: "atspi", ...env, PATH: `${join(sandbox.dir, "bin")}:${process.env.PATH}` };
  const { browser, driver } = await openWindow(sandbox, binary, ["--data", sandbox.data], display);
  window = new Window(browser, sandbox);
  await window.find('[data-component="start-page"] h1');
  const begun = performance.now();
  let steps = 0;
  return {
    sandbox,
    browser,
    driver,
    /** A user's click. */
    async press(what, scope) {
      steps++;
      await window.press(what, scope);
    },
    /** A key press, or a typed text, which counts as one. */
    async type(keys) {
      steps++;
      await (await browser.switchTo().activeElement()).sendKeys(keys);
    },
    took() {
      console.log(`      ${steps} clicks and keys, ${((performance.now() - begun) / 1000).toFixed(1)} s after the window was there`);
      return steps;
    },
    /** The focused element in the accessibility tree. Role names differ between versions of AT-SPI. */
    async focused(roles, name) {
      const read = () => JSON.parse(command("/usr/bin/python3", [join(root, "frontend/e2e/kit/atspi.py"), "parley", "focus"], { env: sandbox.env(display) }));
      let last;
      await until(`the focus on ${roles[0]} "${name}"`, () => {
        last = read();
        return last.some((node) => roles.includes(node.role) && node.name === name && node.states.includes("focused") && node.states.includes("showing"));
      }, { every: 300 }).catch((failure) => {
        throw new Error(`${failure.message}; read: ${JSON.stringify(last)}`);
      });
    },
    /** The names of the visible elements, by role. */
    shown(role) {
      const read = JSON.parse(command("/usr/bin/python3", [join(root, "frontend/e2e/kit/atspi.py"), "parley", "page"], { env: sandbox.env(display) }));
      return read.filter((node) => node.role === role).map(({ name: said }) => said);
    },
  };
}

/** Presses Tab until a button with this name has the focus. */
async function tabTo(browser, name, most = 30) {
  for (let i = 0; i < most; i++) {
    const at = await browser.executeScript("const at = document.activeElement; return (at.getAttribute('aria-label') ?? at.textContent ?? '').trim()");
    if (at.startsWith(name)) return;
    await browser.actions().sendKeys(Key.TAB).perform();
  }
  throw new Error(`the tab key does not come to ${name}`);
}

let run;
try {
  run = await first("first-start", {});

  await suite.check("without an account: signing in is a button, up to the code of the web page", async () => {
    await window.find(By.xpath('//h1[contains(., "signed in")]'));
    await window.screenshot("no-account");
    await window.press("Sign in");
    const field = await window.find('[data-component="sign-in"] input');
    const address = await run.browser.executeScript(`return document.querySelector('[data-component="sign-in"] code').textContent`);
    truth(address.startsWith("https://claude.com/"), `the address is ${address}`);
    await run.focused(["entry", "text"], "Code");
    await field.sendKeys("half a code".replaceAll(" ", ""), Key.ENTER);
    await until("what is wrong with it", async () => (await (await window.find('[data-component="sign-in"]')).getText()).includes("full code"));
    await window.screenshot("half-a-code");
    await window.press("Cancel");
    await until("the login to end", () => run.sandbox.leftovers().every((line) => !line.includes("auth login")));
    truth(!run.driver.said.includes("halfacode"), "the code is in the log");
  });

  await suite.check("without an account: at most five clicks to the first output of a tool", async () => {
    await run.press("Try without an account");
    await run.press("Next: run a command");
    await run.press("Allow", "Question");
    await window.reads("3 + 2 + 4 is not 4");
    const steps = run.took();
    truth(steps <= 5, `${steps} clicks and keys`);
  });
  await run.sandbox.close();
  window = undefined;

  run = await first("first-start-account", modelEnv(model));
  const { browser } = run;
  await suite.check("with an account: at most four clicks and keys to the first output of a tool", async () => {
    await window.find(By.xpath('//h1[text()="Where should Claude work?"]'));
    await run.press("Take the tour");
    await run.press("Next: run a command");
    await run.press("Allow", "Question");
    await window.reads("3 + 2 + 4 is not 4");
    const steps = run.took();
    truth(steps <= 4, `${steps} clicks and keys`);
    await window.press("Skip tour");
    await window.press("Start a session");
    await window.find(By.xpath('//h1[text()="Where should Claude work?"]'));
  });

  await suite.check("a screen reader reads the way from the start page to the answer, by the keyboard", async () => {
    truth(run.shown("heading").includes("Where should Claude work?"), `headings: ${run.shown("heading")}`);
    await tabTo(browser, "Choose a folder…");
    await run.focused(["button", "push button"], "Choose a folder…");
    await browser.actions().sendKeys(Key.ENTER).perform();
    const path = await window.find('[data-component="folder-picker"] input');
    await path.sendKeys(run.sandbox.work);
    // With the mouse, as most users do; typing afterwards must still work.
    await window.press(`Open ${basename(run.sandbox.work)}`);
    await window.find('textarea[aria-label="Prompt"]');
    const made = await until("the session", async () => (await window.ask("session.list")).sessions[0]);
    await run.focused(["entry", "text"], "Prompt");
    await (await browser.switchTo().activeElement()).sendKeys("Please count the words", Key.ENTER);
    await window.find(dock);
    await until("the question to be read", () => run.shown("heading").includes("Run this command?"));
    await window.find(button("Allow", "Question"));
    await tabTo(browser, "Allow", 60);
    await run.focused(["button", "push button"], "Allow Ctrl+Enter");
    await window.screenshot("allow-focused");
    await until("the guard of the first half second", async () => {
      await browser.actions().sendKeys(Key.ENTER).perform();
      return (await window.ask("permission.list")).requests.length === 0;
    }, { every: 300 });
    await window.reads("There are six words.");
    equal((await window.ask("session.get", { sessionId: made.id })).state, "idle", "the session");
    await window.screenshot("answer");
  });
} finally {
  await run?.sandbox.close();
  await model.close();
}
suite.end();
