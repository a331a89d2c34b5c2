// The composer in Chromium, with a headless Parley and the real CLI: queued and steered prompts, drafts that survive
// reloads and crashes, and the menus.

import { openPage, place, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const model = await startModel({
  busy: [[text("I am at it. "), { type: "hold" }, text("That was it.")]],
  steered: [[text("The steered answer.")]],
  "second thoughts": [[text("The answer to second thoughts.")]],
  third: [[text("The third answer.")]],
  kept: [[text("The kept answer.")]],
  greet: [[text("Hello.")]],
});

const sandbox = new Sandbox("composer");
let page;
let server;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });

const box = () => page.getByRole("textbox", { name: "Prompt", exact: true });
const log = () => page.getByRole("log", { name: "Conversation" });
const queue = () => page.getByRole("region", { name: "Queued prompts" });
const rows = async () => await queue().getByRole("listitem").evaluateAll((items) => items.map((i) => i.textContent.trim()));
const waits = async (...want) =>
  await until(`the queue to be ${JSON.stringify(want)}`, async () => JSON.stringify(await rows()) === JSON.stringify(want)).catch(async (error) => {
    throw new Error(`${error.message}; it is ${JSON.stringify(await rows())}`);
  });
const say = async (words, keys = "Enter") => {
  await box().fill(words);
  await page.keyboard.press(keys);
  await until("the box to be empty", async () => (await box().inputValue()) === "");
};
const idle = () => page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
/** Waits for an answer below the prompt: messages further up may be unmounted. */
const answered = async (prompt, words) =>
  await until(`"${words}" below "${prompt}"`, async () => {
    const said = await log().innerText();
    const at = said.lastIndexOf(prompt);
    return at >= 0 && said.includes(words, at);
  });
const button = (name) => page.getByRole("button", { name });
const open = async () => {
  await page.goto("about:blank");
  await page.goto(server.link);
};
const reopen = async (title) => {
  await open();
  await page.getByRole("navigation", { name: "Sessions" }).getByText(title).first().click();
  await box().waitFor();
};

let problems = [];
try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));
  const saved = followDrafts();
  await page.goto(server.link);
  await button("Choose a folder…").click();
  await page.getByRole("combobox").fill(sandbox.work);
  await button("Open project").click();
  await box().waitFor();

  await suite.check("while a turn runs, Alt+Enter queues: in order, with what becomes of it", async () => {
    await say("be busy");
    await log().getByText("I am at it.").waitFor();
    await say("the second", "Alt+Enter");
    await say("the third", "Alt+Enter");
    await waits("1the secondAfter this turn", "2the thirdAfter this turn");
    await page.screenshot(shot(sandbox, "queue"));
  });

  await suite.check("the up arrow changes the newest, the button another one", async () => {
    await box().press("ArrowUp");
    const newest = page.getByRole("textbox", { name: "Prompt 2" });
    equal(await newest.inputValue(), "the third", "the text");
    await newest.press("Escape");
    await button("Edit prompt 1").click();
    await page.getByRole("textbox", { name: "Prompt 1" }).fill("second thoughts");
    await page.keyboard.press("Enter");
    await waits("1second thoughtsAfter this turn", "2the thirdAfter this turn");
  });

  await suite.check("one is taken out, and its text comes back", async () => {
    await say("by mistake", "Alt+Enter");
    await button("Remove prompt 3").click();
    await waits("1second thoughtsAfter this turn", "2the thirdAfter this turn");
    await button("Move to composer").click();
    equal(await box().inputValue(), "by mistake", "the box");
    await box().fill("");
  });

  await suite.check("Enter steers: Claude has it and reads it at its next step", async () => {
    await say("be steered");
    await waits("1be steeredClaude reads this at its next step", "2second thoughtsAfter this turn", "3the thirdAfter this turn");
    await page.screenshot(shot(sandbox, "steer"));
  });

  await suite.check("each prompt gets its answer, in order, once the turn is over", async () => {
    model.release();
    await log().getByText("The third answer.").waitFor();
    await idle();
    await queue().waitFor({ state: "detached" });
    // Distant messages are not rendered, so the view has to be tall enough for all.
    await page.setViewportSize({ width: 1180, height: 1600 });
    await log().getByText("be busy").waitFor();
    const said = await log().innerText();
    await page.setViewportSize({ width: 1180, height: 800 });
    const order = ["be busy", "That was it.", "be steered", "The steered answer.", "second thoughts", "The answer to second thoughts.", "the third", "The third answer."];
    const places = order.map((words) => said.indexOf(words));
    truth(places.every((place, i) => place > (places[i - 1] ?? -1)), `the order is ${JSON.stringify(places)} in:\n${said}`);
    truth(!model.heard("by mistake"), "what was taken out was sent");
  });

  await suite.check("a draft outlives the page", async () => {
    await box().fill("half a thought");
    await saved("half a thought");
    await reopen("be busy");
    await until("the draft", async () => (await box().inputValue()) === "half a thought");
  });

  await suite.check("the arrow brings back what was said", async () => {
    await box().fill("");
    await box().press("ArrowUp");
    equal(await box().inputValue(), "the third", "the newest");
    await box().press("ArrowUp");
    equal(await box().inputValue(), "second thoughts", "the one before");
    await box().press("ArrowDown");
    await box().press("ArrowDown");
    equal(await box().inputValue(), "", "after the newest");
  });

  await suite.check("a crash loses neither draft nor queue: what waited is held", async () => {
    await say("be busy again");
    await answered("be busy again", "I am at it.");
    await say("kept for later", "Alt+Enter");
    await waits("1kept for laterAfter this turn");
    await box().fill("also kept");
    await saved("also kept");
    server.running.kill();
    await server.running.exited;
    server = await startServer(sandbox, { name: "again", env: modelEnv(model) });
    await reopen("be busy");
    // The page tried to reconnect while Parley was not running.
    problems.length = 0;
    await queue().getByText("On hold because Parley quit in the middle of a turn. It will be sent before your next prompt.").waitFor();
    await waits("1kept for laterOn hold");
    await until("the draft", async () => (await box().inputValue()) === "also kept");
    truth(!model.heard("kept for later"), "it was sent by itself");
    await page.screenshot(shot(sandbox, "held"));
  });

  await suite.check("what is held goes out when a user says so", async () => {
    await button(/^Send now/).click();
    await log().getByText("The kept answer.").waitFor();
    await queue().waitFor({ state: "detached" });
    await idle();
    equal(await box().inputValue(), "also kept", "the draft");
    await box().fill("");
  });

  await suite.check("commands are the CLI’s own, by keyboard", async () => {
    await box().pressSequentially("/comp");
    await page.getByRole("option", { name: /^\/compact / }).waitFor();
    await page.screenshot(shot(sandbox, "commands"));
    await page.keyboard.press("Tab");
    equal(await box().inputValue(), "/compact ", "the box");
    await box().fill("");
  });

  await suite.check("another model is chosen from what the CLI offers, and is applied", async () => {
    await button(/^Model:/).click();
    const haiku = page.getByRole("menuitemradio", { name: /^Haiku/ });
    await haiku.waitFor();
    await page.screenshot(shot(sandbox, "models"));
    await haiku.click();
    await say("greet me");
    await log().getByText("Hello.").waitFor();
    await idle();
    await button(/^Model: Haiku/).waitFor();
    await button(/^Model:/).click();
    await page.getByRole("menuitemradio", { name: /^Haiku/, checked: true }).waitFor();
    await page.keyboard.press("Escape");
  });

  await suite.check("Shift+Tab goes through the permission modes, as the CLI reports them", async () => {
    await box().focus();
    for (const name of ["Accept edits", "Plan", "Ask first"]) {
      await page.keyboard.press("Shift+Tab");
      await button(`Permission mode: ${name}`).waitFor();
    }
  });

  await suite.check("settings are applied at once, with a menu inside of them", async () => {
    await page.keyboard.press("Control+,");
    await page.getByRole("radio", { name: "Queue" }).check({ force: true });
    await page.getByRole("tab", { name: "New sessions" }).click();
    await place(page, "Settings").getByRole("button", { name: /^Model/ }).click();
    await page.getByRole("menuitemradio", { name: /^Sonnet/ }).click();
    await place(page, "Settings").getByRole("button", { name: /^Model: Sonnet/ }).waitFor();
    await page.getByRole("tab", { name: "Profiles" }).click();
    await button("Add profile").waitFor();
    await page.screenshot(shot(sandbox, "profiles"));
    await page.keyboard.press("Escape");
    await say("be busy at last");
    await answered("be busy at last", "I am at it.");
    await say("the third once more");
    await waits("1the third once moreAfter this turn");
    model.release();
    await answered("the third once more", "The third answer.");
    await idle();
  });

  await suite.check("the page made no errors", async () => {
    equal(problems, [], "what went wrong");
  });

  await suite.check("ends and leaves nothing", async () => {
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
    await browser.close();
    await sandbox.leavesNothing();
  });
} finally {
  await model.close();
  await sandbox.close();
}
suite.end();

/** Tracks which drafts the program has stored, by watching the socket. */
function followDrafts() {
  const sent = new Map();
  const taken = [];
  page.on("websocket", (socket) => {
    socket.on("framesent", ({ payload }) => {
      const { id, method, params } = JSON.parse(payload);
      if (method === "draft.set") sent.set(id, params.text);
    });
    socket.on("framereceived", ({ payload }) => {
      const { type, id, ok } = JSON.parse(payload);
      if (type === "res" && ok && sent.has(id)) taken.push(sent.get(id));
    });
  });
  return (words) => until(`the draft "${words}" to be saved`, () => taken.includes(words));
}
