// The page in Chromium, with a headless Parley and the real CLI. A scripted model answers: first our own, so that every
// number is known, then the demo's.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openPage, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const longCommand = `touch begin\n${"# a line of a long command\n".repeat(200)}touch end`;
const command = "printf 'made by %s\\n' parley > made.txt && cat made.txt";
const hostile = [
  "# Heading", "<script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 2'>",
  "[bad](javascript:window.hacked=3) [good](https://example.com/)", "```js\nconst answer = 42;\n```",
].join("\n\n");

const model = await startModel({
  greet: [[text("Hello from the scripted model. It says a few words more.")]],
  make: [[text("I make a file."), tool("Bash", { command, description: "Make a file" })], [text("The file is made.")]],
  remove: [[tool("Bash", { command: "rm -rf made.txt", description: "Remove it" })], [text("Then it stays.")]],
  long: [[tool("Bash", { command: longCommand, description: "A long one" })], [text("So be it.")]],
  edit: [[tool("Bash", { command: "echo unedited > edited.txt", description: "Write" })], [text("It was edited.")]],
  hostile: [[text(hostile)]],
  forever: [[text("This goes on "), { type: "hold" }, text("and is never read.")]],
});

const sandbox = new Sandbox("browser");
let page;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const say = async (words) => {
  await page.getByRole("textbox", { name: "Prompt" }).fill(words);
  await page.keyboard.press("Enter");
};
const log = () => page.getByRole("log", { name: "Conversation" });
const dock = () => page.getByRole("region", { name: "Question" });
const button = (name) => dock().getByRole("button", { name });
const idle = () => page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });

let problems = [];
try {
  const browser = await startBrowser(sandbox);
  let server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));

  await suite.check("without its token the page says how to open it", async () => {
    await page.goto(server.url);
    await page.getByRole("heading", { name: "Open Parley with its link" }).waitFor();
  });

  await suite.check("with its token the page asks for a folder, and hides the token", async () => {
    await page.goto("about:blank");
    // The browser reports the refused socket of the previous step.
    problems.length = 0;
    await page.goto(server.link);
    await page.getByRole("heading", { name: "Where should Claude work?" }).waitFor();
    truth(!page.url().includes(server.token), "the token stays in the address");
  });

  await suite.check("a folder is chosen by its path", async () => {
    await page.getByRole("button", { name: "Choose a folder…" }).click();
    await page.getByRole("combobox").fill(sandbox.work);
    await page.getByRole("option").or(page.getByText("No folders in here.")).first().waitFor();
    await page.getByRole("button", { name: "Open project" }).click();
    await page.getByRole("textbox", { name: "Prompt" }).waitFor();
  });

  await suite.check("a prompt is answered in full", async () => {
    await say("greet me");
    await log().getByText("Hello from the scripted model. It says a few words more.").waitFor();
    await log().getByText("greet me").waitFor();
    await idle();
  });

  await suite.check("the meter shows the last call, and its four figures on hover", async () => {
    const meter = page.locator('[data-component="meter"]');
    await until("the meter", async () => (await meter.getAttribute("aria-label"))?.includes("130k / 1M"));
    truth((await meter.getAttribute("aria-label")).includes("13%"), "the meter lacks the percentage");
    await meter.hover();
    const details = page.getByRole("tooltip");
    await details.waitFor();
    const words = (await details.innerText()).replace(/\s+/g, " ");
    for (const figure of ["1,000 ", "120,000", "8,500", "500", "130,000", "1,000,000"]) {
      truth(words.includes(figure), `the tooltip lacks ${figure}: ${words}`);
    }
    await page.mouse.move(400, 400);
  });

  await suite.check("a command waits for permission, whole, with the buttons on screen", async () => {
    await say("make something");
    await dock().waitFor();
    equal(await dock().getByRole("group", { name: "Command" }).innerText(), command, "the command");
    await button(/^Allow(?! and)/).waitFor();
    await button(/^Deny/).first().waitFor();
    await page.screenshot(shot(sandbox, "permission"));
  });

  await suite.check("opening the page again does not lose the question", async () => {
    await page.goto("about:blank");
    await page.goto(server.link);
    await page.getByRole("navigation", { name: "Sessions" }).getByRole("button", { name: "greet me" }).click();
    await dock().waitFor();
    equal(await dock().getByRole("group", { name: "Command" }).innerText(), command, "the command");
  });

  await suite.check("allowed, the command runs and its output is shown", async () => {
    await button(/^Allow(?! and)/).click();
    await log().getByText("The file is made.").waitFor();
    equal(readFileSync(join(sandbox.work, "made.txt"), "utf8"), "made by parley\n", "the file");
    await dock().waitFor({ state: "detached" });
    const card = log().locator('[data-component="tool-card"]').last();
    await card.getByRole("button").first().click();
    await card.locator('[aria-label="Output"]').getByText("made by parley").waitFor();
    await idle();
    await page.screenshot(shot(sandbox, "tool"));
  });

  await suite.check("denied with a reason, it does not run and the model reads why", async () => {
    await say("remove it");
    // Before that, text goes into the running turn, or nowhere.
    await page.locator('[data-component="question"][data-phase="ready"]').waitFor();
    await say("keep that file");
    await log().getByText("Then it stays.").waitFor();
    truth(existsSync(join(sandbox.work, "made.txt")), "the file is gone");
    truth(model.heard("keep that file"), "the model did not hear the reason");
    await idle();
  });

  await suite.check("edited, it runs as edited", async () => {
    await say("edit it");
    await button("More options").click();
    await page.getByRole("menuitem", { name: "Edit, then allow…" }).click();
    await dock().getByRole("textbox").fill("echo changed > edited.txt");
    await button("Allow edited version").click();
    await log().getByText("It was edited.").waitFor();
    equal(readFileSync(join(sandbox.work, "edited.txt"), "utf8"), "changed\n", "the file");
    await idle();
  });

  await suite.check("in the smallest window a long command scrolls and the buttons stay", async () => {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 720, height: 480 });
    await say("something long");
    await dock().waitFor();
    for (const name of [/^Allow(?! and)/, /^Deny/]) {
      const box = await button(name).first().boundingBox();
      truth(box && box.y >= 0 && box.y + box.height <= 480 && box.x + box.width <= 720, `${name} is off the screen`);
    }
    equal(await dock().getByRole("group", { name: "Command" }).innerText(), longCommand, "the command");
    await page.screenshot(shot(sandbox, "smallest"));
    await button(/^Deny/).first().click();
    await log().getByText("So be it.").waitFor();
    await idle();
    await page.setViewportSize(size);
  });

  await suite.check("hostile markdown stays text", async () => {
    await say("be hostile");
    await log().getByRole("heading", { name: "Heading" }).waitFor();
    await idle();
    equal(await page.evaluate(() => window.hacked ?? null), null, "window.hacked");
    equal(await log().locator("script, img, [onerror]").count(), 0, "the number of hostile elements");
    equal(await log().locator('a[href^="javascript"]').count(), 0, "the number of hostile links");
    await log().getByRole("link", { name: "good" }).waitFor();
  });

  await suite.check("Esc interrupts, and the session continues", async () => {
    await say("go on forever");
    await log().getByText("This goes on").waitFor();
    await page.keyboard.press("Escape");
    await idle();
    await say("greet me again");
    // The first one may be out of view.
    await log().getByText("greet me again").waitFor();
    await until("the answer", async () => (await log().locator("[data-message-id]").last().innerText()).includes("Hello from the scripted model."));
    await idle();
  });

  await suite.check("until here the page made no errors", async () => {
    equal(problems, [], "what went wrong");
  });

  await suite.check("the server ends cleanly with the session open", async () => {
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
    equal(sandbox.leftovers().filter((line) => line.includes("claude")), [], "what is left of the CLI");
  });

  await suite.check("light and dark are both drawn", async () => {
    // A separate data folder: the other one would reopen its last session.
    const args = ["--demo", "--data", sandbox.folder("demo")];
    server = await startServer(sandbox, { name: "demo", args });
    const colour = {};
    for (const colorScheme of ["dark", "light"]) {
      await page.context().close();
      ({ page, problems } = await openPage(browser, { colorScheme }));
      await page.goto(server.link);
      await page.getByRole("heading", { name: "Where should Claude work?" }).waitFor();
      colour[colorScheme] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      await page.screenshot(shot(sandbox, `start-${colorScheme}`));
    }
    truth(colour.light !== colour.dark, `both are ${colour.light}`);
  });

  await suite.check("demo mode greets, and asks to run a command", async () => {
    await page.getByRole("button", { name: "Take the tour" }).click();
    await page.getByRole("button", { name: "Next: run a command" }).waitFor();
    // Typed prompts play the remaining steps at once.
    await say("Show me the rest");
    await dock().getByRole("heading", { name: "Run this command?" }).waitFor();
    equal(await dock().getByRole("group", { name: "Command" }).innerText(), "sh receipt.sh", "the command");
    await button(/^Allow(?! and)/).click();
  });

  await suite.check("it asks a question", async () => {
    await dock().getByRole("heading", { name: "Claude has a question" }).waitFor();
    truth(await button(/^Answer/).isDisabled(), "it can be answered with nothing chosen");
    await dock().getByRole("radio", { name: /Change and comment/ }).check();
    await page.screenshot(shot(sandbox, "question"));
    await button(/^Answer/).click();
  });

  await suite.check("it proposes a plan", async () => {
    await dock().getByRole("heading", { name: "Review the plan" }).waitFor();
    await page.screenshot(shot(sandbox, "plan"));
    await button(/^Approve and start/).click();
  });

  await suite.check("it shows a change before it is made", async () => {
    await dock().getByRole("heading", { name: /^Edit receipt.sh/ }).waitFor();
    await dock().getByRole("group", { name: "Change" }).waitFor();
    await page.screenshot(shot(sandbox, "change"));
    await button(/^Allow(?! and)/).click();
  });

  await suite.check("it ends automatically", async () => {
    // It runs the command again to verify the change.
    await dock().getByRole("heading", { name: "Run this command?" }).waitFor();
    await button(/^Allow(?! and)/).click();
    await dock().waitFor({ state: "detached" });
    await idle();
    await page.screenshot(shot(sandbox, "tour"));
  });

  await suite.check("the page asked nobody else for anything and made no errors", async () => {
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
