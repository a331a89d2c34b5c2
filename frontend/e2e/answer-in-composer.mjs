// Text typed while a request is open goes to that request: on the page, with the real CLI and both engines. The denied
// command does not run, and the model receives the reason.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { openPage, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const ask = (questions) => tool("AskUserQuestion", { questions });
const agent = tool("Agent", { description: "Try it", prompt: "subagent: try it", subagent_type: "general-purpose" });
const model = await startModel({
  // The CLI's message when a subagent has ended, which includes its task.
  "task-notification": [[text("Noted.")]],
  "subagent:": [[tool("Bash", { command: "touch nested.txt", description: "Nested" })], [text("The subagent was told.")]],
  delegate: [[agent], [text("The subagent is done.")]],
  wipe: [[tool("Bash", { command: "touch wiped.txt", description: "Wipe" })], [text("Then I do it the other way.")]],
  twice: [[tool("Bash", { command: "touch one.txt", description: "One" })], [text("So one thing only.")]],
  colour: [[ask([{ question: "Which colour?", header: "Colour", multiSelect: false, options: [{ label: "Red", description: "Warm" }, { label: "Blue", description: "Cool" }] }])], [text("That colour, then.")]],
  "after that": [[text("This came after that.")]],
});
const sandbox = new Sandbox("answer-in-composer");
let page;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const log = () => page.getByRole("log", { name: "Conversation" });
const dock = () => page.getByRole("region", { name: "Question" });
const box = () => page.getByRole("textbox", { name: "Prompt" });
const say = async (words) => {
  await box().fill(words);
  await page.keyboard.press("Enter");
};
const ready = () => page.locator('[data-component="question"][data-phase="ready"]').waitFor();
const idle = () => page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
const results = () => model.bodies().flatMap((body) => JSON.parse(body).messages).flatMap((m) => (Array.isArray(m.content) ? m.content : [])).filter((b) => b.type === "tool_result").map((b) => JSON.stringify(b.content));
/** Earlier messages are further up, where the list renders them on scrolling. */
const remembered = async () => {
  const words = page.locator('[data-component="said"]').filter({ hasText: "use the other way, by sdk" });
  await until("what was said", async () => {
    await log().press("Home");
    return await words.isVisible();
  }, { every: 200 });
};
const there = (name) => existsSync(join(sandbox.work, name));

try {
  const browser = await startBrowser(sandbox);
  const server = await startServer(sandbox, { env: modelEnv(model) });
  let problems;
  ({ page, problems } = await openPage(browser, { viewport: { width: 720, height: 480 } }));
  await page.goto(server.link);

  for (const engine of ["cli", "sdk"]) {
    await suite.check(`${engine}: a session`, async () => {
      const id = await page.evaluate(async ([token, cwd, engine]) => {
        const socket = new WebSocket(`ws://${location.host}/ws`, ["parley.v1", `token.${token}`]);
        const answer = new Promise((resolve) => (socket.onmessage = ({ data }) => resolve(JSON.parse(data))));
        await new Promise((resolve) => (socket.onopen = resolve));
        socket.send(JSON.stringify({ type: "req", id: "1", method: "session.create", params: { cwd, engine, title: `By ${engine}` } }));
        const { payload } = await answer;
        socket.close();
        return payload.id;
      }, [server.token, sandbox.work, engine]);
      truth(id, "no session was made");
      await page.setViewportSize({ width: 1180, height: 800 });
      await page.getByRole("option", { name: new RegExp(`By ${engine}`) }).or(page.getByRole("treeitem", { name: new RegExp(`By ${engine}`) })).or(page.getByText(`By ${engine}`)).first().click();
      await box().waitFor();
      await page.setViewportSize({ width: 720, height: 480 });
    });

    await suite.check(`${engine}: Enter denies with what is typed; the command does not run, and the model reads it`, async () => {
      const words = `use the other way, by ${engine}`;
      await say("wipe it");
      await ready();
      await box().fill(words);
      await page.getByText(/Enter to deny “touch wiped.txt” with this message · Alt\+Enter to queue/).waitFor();
      const button = page.getByRole("button", { name: /^Deny with message/ });
      for (const [width, height] of [[720, 480], [1280, 800]]) {
        await page.setViewportSize({ width, height });
        for (const colorScheme of ["light", "dark"]) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          await page.screenshot(shot(sandbox, `${engine}-deny-${width}-${colorScheme}`));
        }
        const at = await button.boundingBox();
        truth(at && at.x + at.width <= width && at.y + at.height <= height, "the button is out of sight");
      }
      await page.setViewportSize({ width: 720, height: 480 });
      await box().press("Enter");
      await log().getByText("Then I do it the other way.").waitFor();
      await idle();
      truth(!there("wiped.txt"), "the command ran");
      truth(results().includes(JSON.stringify(words)) || results().some((r) => r.includes(words)), "the model did not read it");
      equal(await box().inputValue(), "", "the box");
      const said = page.locator('[data-component="said"]').filter({ hasText: words });
      await said.waitFor();
      await page.screenshot(shot(sandbox, `${engine}-denied`));
    });

    await suite.check(`${engine}: Alt+Enter queues, and the question stays`, async () => {
      await say("do it twice");
      await ready();
      await box().fill("after that, more");
      await page.keyboard.press("Alt+Enter");
      await page.getByText("After this turn").waitFor();
      await dock().waitFor();
      truth(!there("one.txt"), "the command ran");
      await box().fill("no");
      await page.getByRole("button", { name: /^Deny with message/ }).click();
      await log().getByText("This came after that.").last().waitFor();
      await idle();
      truth(!there("one.txt"), "the command ran");
    });

    await suite.check(`${engine}: words answer a question of the model`, async () => {
      await say("which colour");
      await ready();
      await box().fill("Dark green");
      await page.getByRole("button", { name: /^Send answer/ }).waitFor();
      await page.screenshot(shot(sandbox, `${engine}-answer`));
      await page.keyboard.press("Enter");
      await log().getByText("That colour, then.").waitFor();
      await idle();
      truth(results().some((r) => r.includes("Dark green")), "the model did not read it");
    });

    await suite.check(`${engine}: a subagent's question is denied with words`, async () => {
      await say("delegate it");
      await ready();
      await box().fill(`not nested, by ${engine}`);
      await page.keyboard.press("Enter");
      await until("the subagent to read it", () => results().some((r) => r.includes(`not nested, by ${engine}`)));
      // It may continue in the background, so the turn's end says nothing about it.
      await log().getByText("The subagent is done.").waitFor();
      truth(!there("nested.txt"), "the command ran");
    });
  }

  await suite.check("what was said is there after a reload and a restart", async () => {
    await page.setViewportSize({ width: 1180, height: 800 });
    await page.goto("about:blank");
    await page.goto(server.link);
    await remembered();
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
    await page.goto("about:blank");
    problems.length = 0;
    const next = await startServer(sandbox, { name: "again", env: modelEnv(model) });
    await page.goto(next.link);
    await remembered();
    equal(problems, [], "what went wrong");
    equal(await next.running.stop(), { code: 0, signal: null }, "the end");
  });
} finally {
  await model.close();
  await sandbox.close();
}
suite.end();
