// The guided tour in Chromium, from the start page to its end, by clicks only. The real CLI runs, the scripted model
// answers.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openPage, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const sandbox = new Sandbox("tour");
let page;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const log = () => page.getByRole("log", { name: "Conversation" });
const dock = () => page.getByRole("region", { name: "Question" });
const button = (name) => dock().getByRole("button", { name });
const steps = () => page.getByRole("group", { name: "Tour" });
const step = (name) => steps().getByRole("button", { name });
const script = () => readFileSync(join(sandbox.data, "rehearsal/demo/receipt.sh"), "utf8");

/** Screenshots at the smallest and at a common window size, in light and dark. */
async function pictures(name) {
  for (const [width, height] of [[720, 480], [1280, 800]]) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.screenshot(shot(sandbox, `${name}-${width}-${colorScheme}`));
    }
  }
}

/** The next step is visible in the smallest window. */
async function inSight(locator) {
  await page.setViewportSize({ width: 720, height: 480 });
  await locator.waitFor();
  await until("the next step in sight", async () => {
    const [box, view] = [await locator.boundingBox(), await log().boundingBox()];
    return box !== null && box.y >= view.y && box.y + box.height <= view.y + view.height;
  });
}

const ask = (method, params) =>
  page.evaluate(async ([method, params]) => {
    const socket = new WebSocket(`ws://${location.host}/ws`, ["parley.v1", `token.${window.tourToken}`]);
    const answer = new Promise((resolve) => (socket.onmessage = ({ data }) => resolve(JSON.parse(data))));
    await new Promise((resolve) => (socket.onopen = resolve));
    socket.send(JSON.stringify({ type: "req", id: "1", method, params }));
    const { payload } = await answer;
    socket.close();
    return payload;
  }, [method, params]);

try {
  const browser = await startBrowser(sandbox);
  let problems = [];
  // Without the CLI nothing can run; a folder of the same name doesn't count.
  let server = await startServer(sandbox, { name: "bare", args: ["--demo"], env: { PARLEY_CLAUDE_BIN: sandbox.work } });
  ({ page, problems } = await openPage(browser));

  await suite.check("without a CLI the page says so, and makes no session", async () => {
    await page.goto(server.link);
    await page.getByRole("heading", { name: /^(Claude Code CLI not installed|Can’t use this Claude Code CLI)$/ }).waitFor();
    await page.screenshot(shot(sandbox, "no-cli"));
    await page.evaluate((token) => (window.tourToken = token), server.token);
    equal((await ask("demo.start", { play: true }))?.id, undefined, "a session");
    equal((await ask("session.list", {})).sessions, [], "the sessions");
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
    await page.context().close();
  });

  server = await startServer(sandbox, { name: "tour", args: ["--demo"] });
  ({ page, problems } = await openPage(browser));

  await suite.check("two quick clicks begin one tour, which greets automatically", async () => {
    await page.goto(server.link);
    await page.getByRole("button", { name: "Take the tour" }).dblclick();
    await log().getByText("Welcome to Parley.").waitFor();
    await inSight(step("Next: run a command"));
    await log().getByText("there is no AI here").first().waitFor();
    await pictures("1-greeting");
    await page.evaluate((token) => (window.tourToken = token), server.token);
    const { sessions } = await ask("session.list", {});
    equal(sessions.length, 1, "the sessions");
    equal((await ask("session.history", { sessionId: sessions[0].id })).messages.filter((m) => m.role === "user").length, 1, "the prompts");
  });

  await suite.check("a command waits for permission, and runs", async () => {
    await step("Next: run a command").dblclick();
    await dock().getByRole("heading", { name: "Run this command?" }).waitFor();
    equal(await steps().count(), 0, "the next steps meanwhile");
    await pictures("2-command");
    await button(/^Allow(?! and)/).click();
    await log().getByText("3 + 2 + 4 is not 4").waitFor();
    await inSight(step("Next: answer a question"));
    await pictures("2-command-done");
    equal(await log().getByText("Run a command for me.").count(), 1, "the prompts of the step");
  });

  await suite.check("after a reload the same step comes next, in the same session", async () => {
    await page.goto("about:blank");
    await page.goto(server.link);
    await inSight(step("Next: answer a question"));
  });

  await suite.check("a question is asked", async () => {
    await step("Next: answer a question").click();
    await dock().getByRole("radio", { name: /Smallest change/ }).check();
    await pictures("3-question");
    await button(/^Answer/).click();
    await inSight(step("Next: review a plan"));
  });

  await suite.check("after a restart the same step comes next", async () => {
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
    await page.goto("about:blank");
    problems.length = 0;
    server = await startServer(sandbox, { name: "again", args: ["--demo"] });
    await page.goto(server.link);
    await inSight(step("Next: review a plan"));
  });

  await suite.check("a plan is proposed, and sent back twice at no cost", async () => {
    // A user who scrolls up keeps their position, even right after a restart.
    await log().hover();
    await page.mouse.wheel(0, -300);
    await until("the conversation further up", () => log().evaluate((view) => view.scrollHeight - view.scrollTop - view.clientHeight > 200));
    await step("Next: review a plan").evaluate((button) => button.click());
    for (const words of ["shorter", "shorter still"]) {
      await button(/^Request changes/).click();
      await pictures(`4-plan-${words.length}`);
      await dock().getByRole("textbox", { name: "What to change" }).fill(words);
      await button(/^Request changes/).click();
      await dock().getByRole("textbox", { name: "What to change" }).waitFor({ state: "detached" });
    }
    await inSight(step("Next: change a file"));
  });

  await suite.check("a change is shown before it is made, also in plan mode", async () => {
    const before = script();
    await step("Next: change a file").click();
    await dock().getByRole("group", { name: "Change" }).waitFor();
    equal(script(), before, "the file meanwhile");
    await pictures("5-change");
    await button(/^Allow(?! and)/).click();
    await inSight(step("Undo the change"));
    await pictures("5-change-done");
    truth(script().includes("total + price"), "the file was not changed");
  });

  await suite.check("the change is taken back", async () => {
    await step("Undo the change").click();
    await dock().getByRole("group", { name: "Change" }).waitFor();
    await button(/^Allow(?! and)/).click();
    await inSight(step("What to do next"));
    truth(!script().includes("total + price"), "the file is still changed");
  });

  await suite.check("at the end it says what to do, and leads to the start page", async () => {
    await step("What to do next").click();
    await log().getByText("That was the tour.").waitFor();
    await inSight(step("Start a session"));
    await pictures("6-end");
    await step("Start a session").click();
    await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
  });

  await suite.check("another tour starts again, and can be left at once", async () => {
    await page.getByRole("button", { name: "Take the tour" }).click();
    await step("Next: run a command").waitFor();
    await step("Skip tour").click();
    await step("Start a session").waitFor();
  });

  await suite.check("the page asked nobody else for anything and made no errors", async () => {
    equal(problems, [], "what went wrong");
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
  });
} finally {
  await sandbox.close();
}
suite.end();
