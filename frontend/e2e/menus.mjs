// The menus of the real window: the context menu under the pointer or at the caret, and the menu bar. They are read
// through the accessibility API.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { By } from "selenium-webdriver";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { command } from "./kit/command.mjs";
import { openWindow, startDisplay } from "./kit/display.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { Window, xdotool } from "./kit/window.mjs";

const binary = join(root, "build/bin/parley-e2e");
const code = "func main() {\n\tprintln(1)\n}";
const answer = `Hello **you**, see [the manual](https://example.com/manual?a=1).\n\n\`\`\`go\n${code}\n\`\`\``;
const editing = ["Undo", "Redo", "Cut", "Copy", "Paste", "Select all"];

const model = await startModel({ hello: [[text(answer)]], forever: [[text("This goes on "), { type: "hold" }]] });
const sandbox = new Sandbox("menus");
const opened = sandbox.opener();

let window;
const suite = new Suite({ onFailure: (name) => window?.screenshot(`failed-${name}`) });
try {
  const display = await startDisplay(sandbox);
  const env = { ...display, ...modelEnv(model), NO_AT_BRIDGE: "0", GTK_A11Y: "atspi", PATH: `${join(sandbox.dir, "bin")}:${process.env.PATH}` };
  const { browser, driver } = await openWindow(sandbox, binary, ["--data", sandbox.data], env);
  window = new Window(browser, sandbox);
  const xdo = xdotool(sandbox.env(env));
  const id = await xdo.window("Parley");
  const run = (program, args, options) => command(program, args, { env: sandbox.env(env), ...options });
  const clipboard = () => {
    try {
      // If the owner changes during the request, nobody answers.
      return run("xclip", ["-selection", "clipboard", "-o"], { timeout: 1000 });
    } catch {
      return "";
    }
  };
  const box = () => window.find('textarea[aria-label="Prompt"]');
  const value = async () => (await box()).getAttribute("value");
  const writes = async (words) => {
    await browser.executeScript("arguments[0].focus(); arguments[0].select()", await box());
    xdo.run("key", "BackSpace");
    await until("an empty prompt", async () => (await value()) === "");
    xdo.run("type", "--delay", "20", words);
    await until(`the prompt "${words}"`, async () => (await value()) === words);
  };

  /** The existing menus, as {role, name, states, keys, children}. */
  const menus = () => JSON.parse(run("/usr/bin/python3", [join(root, "frontend/e2e/kit/atspi.py"), "parley"]));
  const bar = () => menus().find(({ role }) => role === "menu bar");
  const entries = (menu) => menu.children.filter(({ role }) => role !== "separator");
  const names = (menu) => entries(menu).map(({ name }) => name);
  const can = (entry) => entry.states.includes("sensitive");
  const able = (menu) => entries(menu).filter(can).map(({ name }) => name);
  const shows = (found) => found?.states.includes("showing") ?? false;
  const inBar = (menu, name) => entries(entries(bar()).find((each) => each.name === menu)).find((each) => each.name === name);
  const letter = (entry) => /^(?:<Alt>)?(\w)/.exec(entry.keys)[1];
  /** The keys that open a menu of the bar. */
  const opens = (menu) => `alt+${letter(entries(bar()).find(({ name }) => name === menu))}`;
  /** Chooses an entry of the menu bar by its mnemonics. */
  const chooseInBar = async (menu, name) => {
    xdo.run("key", opens(menu));
    await until("the menu", () => shows(inBar(menu, name)) && can(inBar(menu, name)));
    xdo.run("key", letter(inBar(menu, name)));
  };
  /** The open context menu. */
  const context = () => until("a context menu", () => menus().find((found) => found.role === "menu" && found.children.some(shows)));
  const closed = () => until("no menu", () => !menus().some((found) => found.role === "menu"));
  const dismiss = async () => {
    xdo.run("key", "Escape");
    await closed();
  };
  /** Clicks at the start of an element, or at its middle. */
  const click = async (element, { x = 8, y = 8, button = "3" } = {}) => {
    const rect = await element.getRect();
    xdo.run("mousemove", "--window", id, String(Math.round(rect.x + x)), String(Math.round(rect.y + y)), "click", button);
  };
  /** Chooses an entry of the context menu by its mnemonic. */
  const choose = async (name) => {
    const entry = entries(await context()).find((each) => each.name === name);
    truth(entry && can(entry), `${name} cannot be chosen`);
    xdo.run("key", letter(entry));
    await closed();
  };
  const copies = async (want) => until(`the clipboard to have ${JSON.stringify(want)}`, () => clipboard() === want);

  await window.ask("session.create", { cwd: sandbox.work });
  // The driver's first click in a new window is sometimes lost; a user's is not.
  await until("the session to be open", async () => {
    await window.press(By.xpath('//*[@data-component="sidebar"]//*[text()="New session"]'));
    return await until("it", async () => (await browser.findElements(By.css('textarea[aria-label="Prompt"]'))).length > 0, { timeout: 3000 }).catch(() => false);
  });
  await window.say("hello there");
  await window.reads("Hello you");
  await window.idle();
  await xdo.window("Parley");
  xdo.run("windowactivate", "--sync", id);
  await until("the menu bar to be made", () => bar());

  await suite.check("a text field offers what does something, by the pointer", async () => {
    await writes("one two");
    await click(await box(), { x: 300 });
    const menu = await context();
    equal(names(menu), editing, "the entries");
    equal(able(menu), ["Undo", "Select all"], "what can be chosen");
    await dismiss();
  });

  for (const key of ["shift+F10", "Menu"]) {
    await suite.check(`it opens at the caret by ${key}`, async () => {
      await browser.executeScript("arguments[0].focus(); arguments[0].setSelectionRange(0, 3)", await box());
      xdo.run("key", key);
      const menu = await context();
      equal(names(menu), editing, "the entries");
      truth(["Cut", "Copy"].every((name) => able(menu).includes(name)), able(menu).join());
      await dismiss();
    });
  }

  await suite.check("undo, cut and paste do what they say", async () => {
    await writes("first");
    await writes("one two");
    await click(await box(), { x: 300 });
    await choose("Undo");
    await until("what was typed to go", async () => (await value()) !== "one two");
    await writes("one two");
    await browser.executeScript("arguments[0].setSelectionRange(0, 4)", await box());
    xdo.run("key", "shift+F10");
    await choose("Cut");
    await until("it to be cut", async () => (await value()) === "two");
    await copies("one ");
    run("xclip", ["-selection", "clipboard"], { input: "and three" });
    await until("something to paste", async () => {
      await click(await box(), { x: 300 });
      const there = able(await context()).includes("Paste");
      if (!there) await dismiss();
      return there;
    });
    await choose("Paste");
    await until("it to be pasted", async () => (await value()).includes("and three"));
  });

  await suite.check("a misspelled word has suggestions", async () => {
    await writes("helo you ");
    await until("the suggestions", async () => {
      await click(await box(), { x: 30 });
      const found = names(await context());
      if (found.length > editing.length) return true;
      await dismiss();
      return false;
    });
    const menu = await context();
    const [first] = names(menu);
    equal(names(menu).slice(-editing.length), editing, "the entries after them");
    truth(names(menu).length <= editing.length + 6, names(menu).join());
    xdo.run("key", "Down", "Return");
    await closed();
    await until(`"${first}" in its place`, async () => (await value()) === `${first} you `);
  });

  const link = () => window.find(By.linkText("the manual"));
  await suite.check("a link is copied, and opened outside", async () => {
    await click(await link());
    equal(names(await context()), ["Open in browser", "Copy link", "Copy message as Markdown"], "the entries");
    await choose("Copy link");
    await copies("https://example.com/manual?a=1");
    await click(await link());
    await choose("Open in browser");
    await until("it to be opened", () => existsSync(opened));
    equal(readFileSync(opened, "utf8"), "https://example.com/manual?a=1\n", "what was opened");
  });

  await suite.check("code and the whole message are copied as they are", async () => {
    await click(await window.find('[data-component="code-block"] pre'));
    equal(names(await context()), ["Copy code", "Copy message as Markdown"], "the entries");
    await choose("Copy code");
    await copies(code);
    await click(await window.find('[data-component="code-block"] pre'));
    await choose("Copy message as Markdown");
    await copies(answer);
  });

  await suite.check("code has its menu by the key, where it has the focus", async () => {
    await browser.executeScript("arguments[0].focus()", await window.find('[data-component="code-block"] pre'));
    xdo.run("key", "shift+F10");
    equal(names(await context()), ["Copy code", "Copy message as Markdown"], "the entries");
    await choose("Copy code");
    await copies(code);
  });

  await suite.check("what is selected is copied", async () => {
    await browser.executeScript("getSelection().selectAllChildren(arguments[0])", await window.find('[data-role="assistant"] strong'));
    await click(await window.find('[data-role="assistant"] strong'));
    truth(names(await context())[0] === "Copy", "there is no Copy");
    await choose("Copy");
    await copies("you");
    await browser.executeScript("getSelection().removeAllRanges()");
  });

  await suite.check("where there is nothing, there is no menu", async () => {
    await click(await window.find('[data-component="session-header"]'), { x: 300 });
    await browser.executeScript("arguments[0].focus()", await box());
    xdo.run("key", "shift+F10");
    equal(names(await context()).slice(-editing.length), editing, "the entries");
    equal(menus().filter(({ role }) => role === "menu").length, 1, "the menus");
    await dismiss();
  });

  const height = () => browser.executeScript("return innerHeight");
  const geometry = () => xdo.run("getwindowgeometry", id).split("\n").at(-1).trim();

  await suite.check("the menu bar shows while it is used: F10, Alt, or Alt and a letter", async () => {
    const before = await height();
    truth(!shows(bar()), "it is shown all the time");
    for (const key of ["F10", "Alt_L", opens("File")]) {
      xdo.run("key", key);
      await until(`the bar by ${key}`, () => shows(bar()));
      xdo.run("key", "Escape", "Escape");
      await until(`the bar to go after ${key}`, () => !shows(bar()));
      await until("the page to have its room again", async () => (await height()) === before);
    }
    equal(entries(bar()).map(({ name }) => name), ["File", "Edit", "View", "Session", "Go", "Help"], "its menus");
  });

  await suite.check("it runs a command by its letters", async () => {
    await chooseInBar("Help", "Keyboard shortcuts");
    await window.find('[role="dialog"]');
    await until("the bar to go", () => !shows(bar()));
    // The dialog has the page to itself.
    xdo.run("key", opens("File"));
    await until("what cannot be done now", () => !can(inBar("File", "New session…")));
    xdo.run("key", "Escape", "Escape");
    await until("the bar to go", () => !shows(bar()));
    xdo.run("key", "Escape");
    await window.gone('[role="dialog"]');
  });

  await suite.check("it runs a command by its keys, which it shows", async () => {
    const entry = inBar("View", "Toggle sidebar");
    truth(/<(Primary|Control)>b$/.test(entry.keys), entry.keys);
    xdo.run("key", "ctrl+b");
    await window.gone('[data-component="sidebar"]');
    xdo.run("key", "ctrl+b");
    await window.find('[data-component="sidebar"]');
  });

  await suite.check("what cannot be done cannot be chosen", async () => {
    truth(!can(inBar("Session", "Interrupt")), "nothing runs");
    truth(can(inBar("Session", "Fork")), "there is a session");
    await writes("");
    await window.say("go on forever");
    await window.reads("This goes on");
    await chooseInBar("Session", "Interrupt");
    await window.idle();
    await until("nothing to interrupt", () => !can(inBar("Session", "Interrupt")));
  });

  await suite.check("its editing entries are those of the page", async () => {
    await writes("one two");
    xdo.run("key", opens("Edit"));
    await until("what can be done", () => can(inBar("Edit", "Undo")) && !can(inBar("Edit", "Copy")));
    xdo.run("key", letter(inBar("Edit", "Select all")));
    await until("all to be selected", async () => (await browser.executeScript("return arguments[0].selectionEnd - arguments[0].selectionStart", await box())) === 7);
  });

  await suite.check("other keys and another language change both", async () => {
    await window.ask("settings.set", { language: "de", shortcuts: { toggleSidebar: "Alt+Shift+Z" } });
    const entry = await until("the bar in German", () => entries(bar()).map(({ name }) => name).join() === "Datei,Bearbeiten,Ansicht,Sitzung,Gehe zu,Hilfe" && inBar("Ansicht", "Seitenleiste ein- oder ausblenden"));
    truth(entry.keys.endsWith("<Alt>z") && /<Shift>/.test(entry.keys), entry.keys);
    await click(await link());
    equal(names(await context()), ["Im Browser öffnen", "Link kopieren", "Nachricht als Markdown kopieren"], "the entries");
    await dismiss();
    await window.ask("settings.set", { language: "en", shortcuts: {} });
    await until("the bar in English", () => entries(bar())[0].name === "File");
  });

  await suite.check("set to be there, it takes its room from the page, not from the screen", async () => {
    const [before, size] = [await height(), geometry()];
    await window.ask("settings.set", { menuBar: true });
    await until("the bar", () => shows(bar()));
    await until("the page to be smaller", async () => (await height()) < before);
    equal(geometry(), size, "the window's size");
    truth(inBar("View", "Menu bar").states.includes("checked"), "it is not ticked");
    // It stays after it was used.
    xdo.run("key", "F10");
    xdo.run("key", "Escape", "Escape");
    await window.screenshot("bar");
    truth(shows(bar()), "it went");
  });

  await suite.check("the window's size is kept as it is", async () => {
    const [width, tall] = /(\d+)x(\d+)/.exec(geometry()).slice(1).map(Number);
    await xdo.close("Parley");
    await until("the program to end", () => !sandbox.leftovers().some((line) => line.includes("parley-e2e")));
    const { width: w, height: h } = JSON.parse(readFileSync(join(sandbox.data, "window.json"), "utf8"));
    equal([w, h], [width, tall], "what was kept");
    await driver.stop();
    window = undefined;
    const again = sandbox.start("again", binary, ["--data", sandbox.data], { env: sandbox.env(env) });
    await again.says("first=true");
    const next = await xdo.window("Parley");
    await until("the bar", () => shows(bar()));
    equal(/(\d+)x(\d+)/.exec(xdo.run("getwindowgeometry", next)).slice(1).map(Number), [width, tall], "its size");
    equal(await again.stop(), { code: 0, signal: null }, "the end");
  });
} finally {
  await model.close();
  await sandbox.close();
}
suite.end();
