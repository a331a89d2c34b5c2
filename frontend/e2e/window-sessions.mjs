// Many sessions in the real window: tabs and panes, the ways to reach a session, what the plain CLI does in parallel,
// and what survives the page and Parley itself.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { By } from "selenium-webdriver";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { openWindow, startDisplay } from "./kit/display.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { Terminal } from "./kit/terminal.mjs";
import { dock, Window, xdotool } from "./kit/window.mjs";

const binary = join(root, "build/bin/parley-e2e");

const model = await startModel({
  left: [[text("The answer on the left.")]],
  right: [[text("The answer on the right.")]],
  outside: [[text("An answer in the terminal.")]],
  forever: [[text("This goes on "), { type: "hold" }]],
  later: [[text("The later answer.")]],
  "ask me": [[tool("Bash", { command: "echo asked > asked.txt", description: "Leave a mark" })], [text("It was allowed.")]],
});

const sandbox = new Sandbox("window-sessions");
const old = sandbox.folder("home/old");
const terminal = new Terminal(sandbox, old);
for (let i = 0; i < 200; i++) {
  const far = i === 10;
  terminal.say(far ? "where is the zanzibar switch" : `question number ${i}`, far ? "The zanzibar switch is in the cellar." : `Answer number ${i}. `.repeat(9));
}

let window;
let driver;
let place = "";
let xdo;
const env = {};
const suite = new Suite({ onFailure: (name) => window?.screenshot(`failed-${name}`) });

const browser = () => window.browser;
const tab = (title) => By.xpath(`//*[@role="tab"][contains(normalize-space(.), "${title}")]`);
const side = (name) => `[role="group"][aria-label="${name} pane"]`;
const texts = async (css) => await browser().executeScript("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent.trim())", css);
const tabs = (where = "") => texts(`${where} [role="tab"]`);
const active = async () => (await texts('[role="tab"][aria-selected="true"]'))[0];
const has = (what, css, words) => until(what, async () => (await texts(css)).some((found) => found.includes(words)));
const reads = (where, words) => has(`"${words}" in ${where}`, `${where} [role="log"]`, words);
const listed = (title) => has(`"${title}" in the list`, '[aria-label="Sessions"] [data-slot="title"]', title);
const middle = async (locator) => {
  const { x, y, width, height } = await (await window.find(locator)).getRect();
  return { x: x + width / 2, y: y + height / 2 };
};
/** Real keys, through the system. */
const activate = async () => xdo.run("windowactivate", "--sync", await xdo.window("Parley"));
const keys = async (...all) => {
  await activate();
  xdo.run("key", "--delay", "20", ...all);
};
const type = async (words) => {
  await activate();
  xdo.run("type", "--delay", "10", words);
};
const focusIs = (what, css) => until(what, () => browser().executeScript("return document.activeElement?.matches(arguments[0]) === true", css));
const create = async (words, answer) => {
  await window.press("New session", "Sessions");
  await window.press("Other folder…");
  await (await window.find('[role="combobox"]')).sendKeys(`${sandbox.work}/`);
  await window.press("Open ");
  await window.press("Create session");
  await window.gone('[role="dialog"]');
  await window.say(words);
  await window.reads(answer);
  await window.idle();
};
const draft = async (title) => {
  const { sessions } = await window.ask("session.list");
  const { id } = sessions.find((s) => s.title === title);
  return (await window.ask("draft.get", { sessionId: id })).text;
};
const layout = async () => (await window.ask("layout.get", { window: "main" })).layout;
const box = '[data-pane] textarea[aria-label="Prompt"]';
/** The divider between two panes. */
const between = '[data-component="panes"] > [data-slot="divider"]';
/** The sessions on the left and on the right. */
let order = ["left", "right"];
const home = (name) => side(order[0] === name ? "Left" : "Right");
const twoSides = async () => {
  for (const name of order) await reads(home(name), `The answer on the ${name}.`);
};
const typed = async (name) => await browser().executeScript("return document.querySelector(arguments[0]).value", `${home(name)} textarea`);
/** Moves to a pane by keyboard. */
const goTo = async (name) => {
  await twoSides();
  if (!(await browser().executeScript("return document.activeElement.closest(arguments[0]) !== null", home(name)))) await keys("F6");
  await focusIs(`the focus at ${name}`, `${home(name)} textarea`);
};
const start = async () => {
  const opened = await openWindow(sandbox, binary, ["--data", sandbox.data], env);
  driver = opened.driver;
  window = new Window(opened.browser, sandbox);
  await window.find('[data-component="shell"]');
  await xdo.window("Parley");
};
/** Ends Parley itself, and then its driver. */
const end = async (signal) => {
  // The CLI's command includes the binary's name too.
  const itself = () => running().find((line) => line.slice(line.indexOf(" ") + 1).startsWith(`${binary} --data`));
  process.kill(Number(itself().split(" ")[0]), signal);
  window = undefined;
  await until("Parley to be gone", () => !itself());
  await driver.stop();
};
/** Kills the web process. Parley keeps running and reloads the page; the driver has lost it. */
const killPage = async () => {
  const [page] = running().filter((line) => line.includes("WebKitWebProcess"));
  process.kill(Number(page.split(" ")[0]), "SIGKILL");
  window = undefined;
  await until("the page to come back", () => driver.said.includes("first=false"));
};

try {
  Object.assign(env, await startDisplay(sandbox), modelEnv(model));
  xdo = xdotool(sandbox.env(env));
  await start();

  await suite.check("each session that is made has its tab", async () => {
    await create("say it left", "The answer on the left.");
    await create("say it right", "The answer on the right.");
    equal(await tabs(), ["say it left", "say it right"], "the tabs");
  });

  await suite.check("Ctrl+Tab goes to the next tab and Ctrl+1 to the first", async () => {
    await keys("ctrl+Tab");
    await until("the first tab", async () => (await active()) === "say it left");
    await keys("ctrl+shift+Tab");
    await until("the last tab", async () => (await active()) === "say it right");
    await keys("ctrl+1");
    await until("the first tab again", async () => (await active()) === "say it left");
    await focusIs("the focus in the composer", box);
  });

  await suite.check("a tab is dragged behind the other, and the other behind it", async () => {
    const id = await xdo.window("Parley");
    for (const [moved, over] of [["left", "right"], ["right", "left"]]) {
      const to = await middle(tab(`say it ${over}`));
      xdo.drag(id, await middle(tab(`say it ${moved}`)), { x: to.x + 30, y: to.y });
      await until("the other order", async () => (await tabs()).join() === `say it ${over},say it ${moved}`);
    }
  });

  await suite.check("two stand side by side", async () => {
    await keys("ctrl+2");
    await until("the second tab", async () => (await active()) === "say it right");
    await keys("ctrl+backslash");
    await twoSides();
    await window.screenshot("split");
    await goTo("left");
    await type("half a thought");
    await until("the draft to be kept", async () => (await draft("say it left")) === "half a thought");
    equal(await typed("right"), "", "the other prompt");
  });

  await suite.check("a tab is dragged to the other side, and what is closed continues", async () => {
    const id = await xdo.window("Parley");
    xdo.drag(id, await middle(tab("say it left")), await middle(tab("say it right")));
    await until("one side", async () => (await texts(between)).length === 0 && (await tabs()).length === 2);
    const before = await active();
    await keys("ctrl+w");
    await until("one tab", async () => (await tabs()).length === 1);
    await listed(before);
  });

  await suite.check("the switcher opens a session by a few letters", async () => {
    for (const name of ["left", "right"]) {
      await keys("ctrl+k");
      await focusIs("the switcher", '[data-component="switcher"] input');
      await type(`it ${name}`);
      await has("the match", '[data-component="switcher"] [aria-selected="true"]', `say it ${name}`);
      if (name === "left") await window.screenshot("switcher");
      await keys("Return");
      await until(`the tab ${name}`, async () => (await active()) === `say it ${name}`);
      await focusIs("the focus in the composer", box);
    }
  });

  await suite.check("the search goes to a message far back", async () => {
    await keys("ctrl+shift+f");
    await focusIs("the search", '[aria-label="Search all conversations"]');
    await type("zanzibar cellar");
    await window.find('[role="option"] mark');
    await window.screenshot("search");
    await keys("Return");
    await window.reads("The zanzibar switch is in the cellar.");
    // Named "Back to latest" until everything in between is loaded, then "To the end".
    const back = By.css('[data-slot="new-below"]');
    await window.find(back);
    await window.screenshot("far");
    await window.press(back);
    await window.reads("question number 199");
  });

  await suite.check("the settings have the keyboard, and give it back", async () => {
    await keys("ctrl+comma");
    await window.find('[data-component="page"] [role="tab"]');
    await window.screenshot("settings");
    await keys("Escape");
    await window.gone('[data-component="page"]');
    await keys("ctrl+w");
    await until("two tabs", async () => (await tabs()).length === 2);
  });

  await suite.check("what the plain CLI does in a terminal shows at once", async () => {
    const cli = sandbox.env(env);
    const outside = sandbox.start("terminal", cli.PARLEY_CLAUDE_BIN, ["-p", "said outside"], { env: cli, cwd: old });
    equal((await outside.exited).code, 0, "its exit code");
    await listed("said outside");
    await window.press("said outside", "Sessions");
    await window.reads("An answer in the terminal.");
    await keys("ctrl+w");
    await until("two tabs", async () => (await tabs()).length === 2);
  });

  await suite.check("after an orderly end the window is where and as it was", async () => {
    await keys("ctrl+2", "ctrl+backslash");
    await until("two sides", async () => (await texts(between)).length === 1);
    order = (await tabs()).map((title) => title.split(" ").at(-1));
    await twoSides();
    const id = await xdo.window("Parley");
    xdo.run("windowsize", "--sync", id, "1100", "760", "windowmove", "--sync", id, "90", "60");
    await until("the new size", async () => (await browser().executeScript("return innerWidth")) === 1100);
    await until("the layout to be kept", async () => (await layout())?.panes?.length === 2);
    place = geometry(id);
    await end("SIGTERM");
    await start();
    await twoSides();
    equal(geometry(await xdo.window("Parley")), place, "the window's place");
    equal(await typed("left"), "half a thought", "the draft");
    equal(sandbox.leftovers().filter((line) => line.includes("claude")), [], "the CLIs that run");
  });

  await suite.check("killed in the middle of a turn, it says so, and holds what waited", async () => {
    await goTo("right");
    await type("go on forever");
    await keys("Return");
    await reads(home("right"), "This goes on");
    await type("and later");
    await keys("alt+Return");
    await has("the waiting prompt", '[aria-label="Queued prompts"] li', "and later");
    await end("SIGKILL");
    await start();
    await twoSides();
    await has("what is held", '[aria-label="Queued prompts"]', "On hold because Parley quit in the middle of a turn.");
    await window.screenshot("held");
    truth(!model.heard("and later"), "it was sent by itself");
    await window.press("Send now");
    await reads(home("right"), "The later answer.");
    await window.idle();
  });

  await suite.check("killed at rest, the page comes back, and what it showed is opened as usual", async () => {
    await killPage();
    await end("SIGTERM");
    await start();
    await twoSides();
  });

  await suite.check("killed while it draws a session, the page does not open that one automatically", async () => {
    // A page that never becomes idle after rendering the conversation.
    await browser().executeScript("window.requestIdleCallback = () => 0");
    await window.press("question number 0", "Sessions");
    await has("the conversation", '[role="log"]', "question number 199");
    await until("the layout to be kept", async () => JSON.stringify(await layout()).includes(terminal.id));
    await killPage();
    await end("SIGTERM");
    await start();
    await window.find(By.xpath('//h1[starts-with(., "The page crashed")]'));
    await window.screenshot("trouble");
    await window.press("Open in safe mode");
    await has("the plain text", '[data-component="safe-timeline"]', "question number 199");
    await window.screenshot("safe");
    await window.press("Open normally");
    await has("the conversation", '[role="log"]', "question number 199");
    await until("the note to be taken back", async () => (await window.ask("session.list")).sessions.every((s) => s.trouble === ""));
  });

  await suite.check("a question outlives the page's process, and what it is about runs when it is answered", async () => {
    const mark = join(old, "asked.txt");
    await (await window.find('textarea[aria-label="Prompt"]')).click();
    await type("ask me");
    await keys("Return");
    await window.find(`${dock}[data-phase="ready"]`);
    await killPage();
    truth(!existsSync(mark), "it ran unasked");
    // From here on, only the keyboard controls the page.
    await until("the answer", async () => {
      await keys("ctrl+Return");
      return existsSync(mark);
    }, { every: 700 });
  });

  await suite.check("ends and leaves nothing", async () => {
    await end("SIGTERM");
    await until("everything to be gone", () => running().length === 0).catch(() => {
      throw new Error(`still running: ${running().join("; ")}`);
    });
  });
} finally {
  await model.close();
  await sandbox.close();
}
suite.end();

/** The window's position and size. */
function geometry(id) {
  return xdo.run("getwindowgeometry", id).split("\n").slice(1).map((line) => line.trim()).join(", ");
}

/** Parley's running processes: itself, its web processes, the CLI. */
function running() {
  return sandbox.leftovers().filter((line) => /parley-e2e|WebKit(Web|Network)Process|claude/.test(line));
}
