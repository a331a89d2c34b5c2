// Parley's own tools in Chromium, with a headless Parley and the real CLI: a model creates a heartbeat when the user
// allows it, asks the user, starts another session, and has none of these where the user turned them off.

import { violations } from "./kit/axe.mjs";
import { openPage, place, shot, startBrowser, unexpected } from "./kit/browser.mjs";
import { equal, Suite, truth } from "./kit/checks.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const use = (name, input) => [tool(`mcp__parley__${name}`, input)];
const model = await startModel({
  "every morning": [use("manage_heartbeat", { action: "create", name: "mail", prompt: "Look at the mail and\nsay what is new.", cron: "30 9 * * mon-fri" }), [text("It is planned.")]],
  "ask me": [use("ask_user", { questions: [{ question: "Which colour?", header: "Colour", options: [{ label: "Red" }, { label: "Blue" }] }] }), [text("Thank you.")]],
  "share the work": [use("spawn_session", { prompt: "count the files", title: "Counting", wait_seconds: 60 }), [text("They are counted.")]],
  "count the files": [[text("There are three.")]],
  hello: [[text("Hello again.")]],
});

const sandbox = new Sandbox("own-tools");
let page;
let server;
let problems = [];
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });

const box = () => page.getByRole("textbox", { name: "Prompt", exact: true });
const log = () => page.getByRole("log", { name: "Conversation" });
const question = () => page.getByRole("region", { name: "Question" }).and(page.locator('[data-phase="ready"]'));
const allow = () => question().getByRole("button", { name: /^Allow Ctrl/ });
const list = () => page.getByRole("navigation", { name: "Sessions" });
const heading = (title) => list().locator('[data-slot="group"], [data-slot="heading"]').filter({ hasText: title });
const say = async (words) => {
  await box().fill(words);
  await page.keyboard.press("Enter");
};
/** The tool names the CLI last sent to the model: deferred tools are listed in a reminder. */
const offered = (name) => model.bodies().findLast((body) => body.includes("ToolSearch"))?.includes(`mcp__parley__${name}`) ?? false;

try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));
  await page.goto(server.link);
  await page.getByRole("button", { name: "Choose a folder…" }).click();
  await page.getByRole("combobox").fill(sandbox.work);
  await page.getByRole("button", { name: "Open project" }).click();
  await box().waitFor();

  await suite.check("a heartbeat is made when the user has read when it runs and what it says", async () => {
    await say("every morning, look at my mail");
    await question().waitFor();
    await question().getByRole("heading", { name: "Create a heartbeat?" }).waitFor();
    await question().getByText("When: At 09:30").first().waitFor();
    await question().getByText("Next: ").first().waitFor();
    await question().getByText("Look at the mail and").first().waitFor();
    equal(await violations(page), [], "what axe finds");
    await page.screenshot(shot(sandbox, "heartbeat"));
    await allow().click();
    await log().getByText("It is planned.").waitFor();
    await page.keyboard.press("Alt+h");
    await place(page, "Heartbeats").locator('[data-slot="row"]', { hasText: "mail" }).waitFor();
    await page.keyboard.press("Escape");
  });

  await suite.check("a question of the model’s tool is in the dialog of all questions", async () => {
    await say("ask me");
    await question().getByText("Which colour?").waitFor();
    await question().getByText("Blue", { exact: true }).click();
    await page.screenshot(shot(sandbox, "question"));
    await question().getByRole("button", { name: /^Answer/ }).click();
    await log().getByText("Thank you.").waitFor();
    truth(model.bodies().some((body) => body.includes('\\"answer\\":\\"Blue\\"')), "the model has the answer");
  });

  await suite.check("another session is started when the user allows it, and is on the list", async () => {
    await say("share the work");
    await question().getByRole("heading", { name: "Start another session?" }).waitFor();
    await page.screenshot(shot(sandbox, "session"));
    await allow().click();
    await log().getByText("They are counted.").waitFor();
    await list().getByText("Counting").first().waitFor();
    truth(model.bodies().some((body) => body.includes("There are three.") && body.includes("answer-of-session")), "the model has the other’s answer");
  });

  await suite.check("what the user switches off for a workspace is not offered to its next session", async () => {
    truth(offered("spawn_session"), "it was offered before");
    await heading("project").click({ button: "right" });
    await page.getByRole("menuitem", { name: /defaults/i }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radiogroup", { name: "Sessions" }).getByText("Off", { exact: true }).click();
    await dialog.getByText("Changes apply the next time a session’s process starts.").waitFor();
    equal(await violations(page), [], "what axe finds");
    await page.screenshot(shot(sandbox, "defaults"));
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("Control+,");
    await place(page, "Settings").getByRole("tab", { name: "New sessions" }).click();
    await page.getByRole("radiogroup", { name: "Sessions" }).scrollIntoViewIfNeeded();
    equal(await violations(page), [], "what axe finds");
    await page.screenshot(shot(sandbox, "settings"));
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 720, height: 480 });
    equal(await violations(page), [], "what axe finds in a small, dark window");
    await page.screenshot(shot(sandbox, "settings-small"));
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1180, height: 800 });
    await page.keyboard.press("Escape");
    await page.keyboard.press("Alt+n");
    await log().getByText("What should we work on?").waitFor();
    await say("hello");
    await log().getByText("Hello again.").waitFor();
    truth(!offered("spawn_session") && offered("ask_user"), "only the others are offered");
  });

  await suite.check("ends and leaves nothing", async () => {
    equal(unexpected(problems), [], "what the page complained of");
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
    await browser.close();
    await sandbox.leavesNothing();
  });
} finally {
  await model.close();
  await sandbox.close();
}
suite.end();
