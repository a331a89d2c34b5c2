// The main workflow with the keyboard only, in Chromium, with a headless Parley, the real CLI and the demo's model.
// After every key, the focus is checked: it is never lost to the page, and always visible.

import { cpSync } from "node:fs";
import { join } from "node:path";
import { violations } from "./kit/axe.mjs";
import { openPage, place, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const sandbox = new Sandbox("keyboard");
let page;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });

const log = () => page.getByRole("log", { name: "Conversation" });
const dock = () => page.getByRole("region", { name: "Question", exact: true });
const asks = (name) => dock().getByRole("heading", { name }).waitFor();
const dialogs = () => page.getByRole("dialog").count();

/** The focused element: its role or tag, its name, and whether it is visible. */
const focus = () =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return { what: "nothing", name: "", seen: false };
    const outlined = (each) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(each);
      return outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
    };
    // A text field shows its caret, and an option the list's highlight.
    const written = element.matches("input:not([type=radio]):not([type=checkbox]):not([type=range]), textarea, [contenteditable]");
    const around = [element, element.parentElement, element.parentElement?.parentElement, element.closest("label")].filter(Boolean);
    const whole = element.matches('[role="dialog"], [role="menu"], [data-highlighted], [role="menuitem"], [role="menuitemradio"]');
    const label = element.labels?.[0]?.textContent ?? "";
    return {
      what: element.getAttribute("role") ?? element.tagName.toLowerCase(),
      name: (element.getAttribute("aria-label") ?? (label || element.textContent) ?? "").trim().replace(/\s+/g, " ").slice(0, 80),
      seen: written || whole || around.some(outlined),
    };
  });

/** Presses keys one by one; afterwards something visible must have the focus. */
async function press(...keys) {
  for (const key of keys) await page.keyboard.press(key);
  await seen(`after ${keys.join(", ")}`);
}

async function seen(when) {
  // Menus and dialogs return the focus shortly after they close, and a place takes it when it is rendered.
  let at = await focus();
  await until(() => `the focus to be seen ${when}: it is on ${at.what} "${at.name}"`, async () => (at = await focus()).seen);
  return at;
}

const write = (words) => page.keyboard.type(words);

/** Checks the current page with axe. */
async function accessible() {
  const found = await violations(page);
  truth(found.length === 0, found.join("\n"));
}

/** Presses Tab until an element with this name has the focus. */
async function tabTo(name, key = "Tab", most = 40) {
  const passed = [];
  for (let i = 0; i < most; i++) {
    const at = await focus();
    if (name.test(at.name)) return at;
    passed.push(`${at.what} "${at.name}"`);
    await press(key);
  }
  throw new Error(`${name} is not reached with ${most} times ${key}: ${passed.join(", ")}`);
}

const toComposer = () => until("the composer to have the focus", () => page.evaluate(() => document.activeElement?.matches('[data-component="composer"] textarea')));

let problems = [];
try {
  cpSync(join(root, "backend/demo/demo"), sandbox.work, { recursive: true });
  const browser = await startBrowser(sandbox);
  const server = await startServer(sandbox, { args: ["--demo"] });
  ({ page, problems } = await openPage(browser));
  await page.goto(server.link);
  await page.getByRole("heading", { name: "Where should Claude work?" }).waitFor();

  await suite.check("a session begins in a folder", async () => {
    await accessible();
    await page.keyboard.press("Tab");
    await tabTo(/^Choose a folder/);
    await press("Enter");
    await page.getByRole("dialog").waitFor();
    await write(sandbox.work);
    await page.getByText("No folders in here.").or(page.getByRole("option")).first().waitFor();
    await page.keyboard.press("Enter");
    await toComposer();
    equal(await dialogs(), 0, "the open dialogs");
  });

  await suite.check("a prompt asks to run a command, which is allowed", async () => {
    await write("Show me around");
    await page.keyboard.press("Enter");
    await asks("Run this command?");
    await until("the question to take answers", () => dock().getByRole("button", { name: /^Allow/ }).first().getAttribute("aria-disabled").then((v) => v !== "true"));
    // From the composer, without leaving it.
    await press("Control+Enter");
  });

  await suite.check("a question is answered with the arrow keys", async () => {
    await asks("Claude has a question");
    await until("a choice to be there", () => dock().getByRole("radio").count().then((n) => n > 1));
    await ready();
    await reach(dock().getByRole("radio"), "Shift+Tab");
    await press("ArrowUp");
    truth(await dock().getByRole("radio").nth(2).isChecked(), "the arrow chose nothing");
    await press("Control+Enter");
  });

  await suite.check("a plan is read, and approved", async () => {
    await asks("Review the plan");
    await ready();
    await accessible();
    await reach(dock().getByRole("button", { name: /^Approve/ }).first(), "Shift+Tab");
    await press("Enter");
  });

  await suite.check("a change is looked at, and allowed", async () => {
    await asks(/^Edit receipt.sh/);
    await ready();
    await reach(dock().getByRole("button", { name: /^Allow/ }).first(), "Shift+Tab");
    await press("Enter");
    await asks("Run this command?");
    await ready();
    await press("Control+Enter");
    await dock().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
    await seen("after the last answer");
    await accessible();
  });

  await suite.check("the answer is read message by message, a card opened and code copied", async () => {
    await press("Alt+Shift+ArrowUp");
    equal(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), "solid", "the ring of what has the focus");
    const last = await seen("on a message");
    truth(["article", "section", "div"].includes(last.what) || last.name !== "", `the focus is on ${JSON.stringify(last)}`);
    await press("Alt+Shift+ArrowUp");
    await press("Alt+Shift+ArrowDown");
    const card = log().locator('[data-component="tool-card"] > [data-slot="line"]').filter({ hasText: "receipt.sh" }).last();
    await reach(card, "Shift+Tab");
    const was = await card.getAttribute("aria-expanded");
    await press("Enter");
    await until("the card to open or close", async () => (await card.getAttribute("aria-expanded")) !== was);
    await press("Alt+Shift+ArrowUp");
    await reach(log().getByRole("button", { name: /^Copy/ }));
    await press("Enter");
  });

  await suite.check("find looks through the conversation, and gives the focus back", async () => {
    await press("Control+f");
    await write("receipt");
    await until("a count", async () => /\d/.test(await page.locator('[data-component="find-bar"] [data-slot="count"]').innerText()));
    await press("Enter");
    await press("Escape");
    await page.getByRole("search").waitFor({ state: "detached" });
    await seen("after finding");
  });

  await suite.check("the panel beside the conversation, tab by tab", async () => {
    await press("Control+Shift+b");
    const tabs = page.getByRole("tablist", { name: /inspector|panel|Inspector/i }).or(page.locator('[data-component="inspector"] [role="tablist"]'));
    await tabs.first().waitFor();
    await reach(tabs.first().getByRole("tab"));
    await press("ArrowRight");
    await press("ArrowRight");
    await press("Control+Shift+b");
    await tabs.first().waitFor({ state: "detached" });
    await seen("after the panel is closed");
  });

  await suite.check("the model, the prompt and what one does with a session have their keys, and stand in the palette", async () => {
    const models = page.getByRole("menu").filter({ has: page.getByRole("menuitemradio") });
    await press("Alt+p");
    await models.waitFor();
    await press("Escape");
    await models.waitFor({ state: "detached" });
    await press("Control+k");
    await page.getByRole("combobox").waitFor();
    await write("choose model");
    await press("Enter");
    await models.waitFor();
    await press("Escape");
    await models.waitFor({ state: "detached" });
    await press("Alt+i");
    equal((await focus()).name, "Prompt", "what has the focus");
    await press("Alt+Shift+p");
    await page.getByText("Pinned", { exact: true }).waitFor();
    await press("Alt+Shift+p");
    await page.getByText("Pinned", { exact: true }).waitFor({ state: "detached" });
    await press("Alt+l");
    await place(page, "Settings").getByText("Copy diagnostics").first().waitFor();
    await escape();
  });

  await suite.check("settings, the list of shortcuts and the palette open, close and give the focus back", async () => {
    await press("Control+,");
    await place(page, "Settings").waitFor();
    await tabTo(/^General$/);
    await press("ArrowDown");
    await escape();
    await press("Control+/");
    await page.getByRole("dialog").waitFor();
    await escape();
    await press("Control+k");
    await page.getByRole("combobox").waitFor();
    await write("side by side");
    await press("Enter");
  });

  await suite.check("a second side, a new session there, and a command that is denied with a reason", async () => {
    await until("two sides", () => page.locator("[data-pane]").count().then((n) => n === 2));
    await press("Alt+n");
    await page.getByRole("tab", { name: /New session/, selected: true }).waitFor();
    await toComposer();
    await write("Show me around once more");
    await page.keyboard.press("Enter");
    await asks("Run this command?");
    await ready();
    await press("Alt+i");
    await toComposer();
    await write("not today");
    await press("Enter");
    await log().last().getByText("not today").or(dock().getByRole("heading", { name: "Claude has a question" })).first().waitFor();
  });

  await suite.check("Esc interrupts the turn, and the tab is closed", async () => {
    await accessible();
    await press("Escape");
    await page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
    await seen("after the interruption");
    await press("F6");
    await press("F6");
    const tabs = await page.locator("[data-tab]").count();
    await press("Alt+w");
    await until("a tab less", async () => (await page.locator("[data-tab]").count()) === tabs - 1);
  });

  await suite.check("every stop of a walk through the page is to be seen", async () => {
    const stops = new Set();
    for (let i = 0; i < 45; i++) {
      await page.keyboard.press("Tab");
      const at = await focus();
      if (at.what === "nothing") continue; // At the end, the browser's own controls have the focus.
      truth(at.seen, `the focus is on ${at.what} "${at.name}", and is not to be seen`);
      truth(at.name !== "", `a ${at.what} has no name`);
      stops.add(`${at.what} ${at.name}`);
    }
    truth(stops.size > 8, `there are only ${stops.size} stops`);
  });

  await suite.check("the page made no errors", async () => {
    equal(problems, [], "what went wrong");
  });

  await server.running.stop();
  await browser.close();
} finally {
  await sandbox.close();
}
suite.end();

/** Waits until the request accepts an answer. */
async function ready() {
  await until("the question to take an answer", () => page.locator('[data-component="question"]').last().getAttribute("data-phase").then((phase) => phase === "ready"));
}

/** Presses Tab until the first of these has the focus. */
async function reach(locator, key = "Tab", most = 60) {
  for (let i = 0; i < most; i++) {
    if (await locator.evaluateAll((all) => all.includes(document.activeElement))) return;
    // Past the end of the page, the browser's own controls have the focus.
    await page.keyboard.press(key);
    const at = await focus();
    truth(at.what === "nothing" || at.seen, `on the way the focus is on ${at.what} "${at.name}", and is not to be seen`);
  }
  throw new Error(`it is not reached with ${most} times ${key}; the focus is on ${JSON.stringify(await focus())}`);
}

async function escape() {
  await until("the dialog to be closed", async () => {
    await page.keyboard.press("Escape");
    return (await dialogs()) === 0;
  }, { every: 200 });
  await seen("after the dialog");
}
