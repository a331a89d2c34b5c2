// Sessions side by side in Chromium, with a headless Parley and the real CLI: tabs and panes that are restored, a
// search hit far back, a conversation written by a terminal, a page that crashed, and processes.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openPage, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";
import { Terminal } from "./kit/terminal.mjs";

const model = await startModel({
  left: [[text("The answer on the left.")]],
  right: [[text("The answer on the right.")]],
  slowly: [[text("This one takes "), { type: "hold" }, text("its time.")]],
});

const sandbox = new Sandbox("panes");
const old = join(sandbox.home, "old");
mkdirSync(old);

const terminal = new Terminal(sandbox, old);
for (let i = 0; i < 300; i++) {
  const what = i === 20 ? "where is the zanzibar switch" : `question number ${i}`;
  terminal.say(what, i === 20 ? "The zanzibar switch is in the cellar." : `Answer number ${i}, at some length. `.repeat(4));
}

let page;
let problems = [];
let server;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const tabs = () => page.getByRole("tab").evaluateAll((all) => all.map((tab) => tab.textContent.trim()));
const side = (name) => page.getByRole("group", { name });
const box = (where = page) => where.getByRole("textbox", { name: "Prompt" });
const log = (where = page) => where.getByRole("log", { name: "Conversation" });
// Until the messages in between are loaded, its label says that it leads back.
const newest = () => page.getByRole("button", { name: /latest$/ });
const list = () => page.getByRole("navigation", { name: "Sessions" });
const listed = (title) => list().locator('[data-slot="session"]').filter({ hasText: title }).getByRole("button").first();
const idle = () => page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
const visit = async () => {
  await page.goto("about:blank");
  await page.goto(server.link);
};
const create = async (words, answer) => {
  await page.keyboard.press("Control+Shift+O");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Other folder…" }).click();
  await page.getByRole("combobox").fill(`${sandbox.work}/`);
  await page.getByRole("button", { name: /^Open / }).click();
  await dialog.getByRole("radio", { checked: true }).and(page.getByTitle(sandbox.work, { exact: true })).waitFor();
  await dialog.getByRole("button", { name: "Create session" }).click();
  await dialog.waitFor({ state: "detached" });
  await box().fill(words);
  await page.keyboard.press("Enter");
  await log().getByText(answer).waitFor();
  await idle();
};
const twoSides = async () => {
  await log(side("Left pane")).getByText("The answer on the left.").waitFor();
  await log(side("Right pane")).getByText("The answer on the right.").waitFor();
};
/** Calls the program itself. */
const ask = async (method, params) =>
  await page.evaluate(
    ([url, token, method, params]) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`${url.replace("http", "ws")}ws`, ["parley.v1", `token.${token}`]);
        socket.onopen = () => socket.send(JSON.stringify({ type: "req", id: "1", method, params }));
        socket.onerror = reject;
        socket.onmessage = ({ data }) => (socket.close(), resolve(JSON.parse(data).payload));
      }),
    [server.url, server.token, method, params],
  );
/** The program's crash mark of the session. */
const trouble = async () => {
  const { sessions } = await ask("session.list", {});
  return sessions.find((s) => s.title === "say it right").trouble;
};
const inside = async (locator) => {
  const [inner, outer] = [await locator.boundingBox(), await log().boundingBox()];
  return inner && outer && inner.y >= outer.y - 1 && inner.y + inner.height <= outer.y + outer.height + 1;
};

try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));
  await page.goto(server.link);

  await suite.check("every session that is opened has a tab", async () => {
    await create("say it left", "The answer on the left.");
    await create("say it right", "The answer on the right.");
    await until("two tabs", async () => (await tabs()).length === 2);
    await page.keyboard.press("Alt+1");
    await log().getByText("The answer on the left.").waitFor();
    await page.keyboard.press("Alt+PageDown");
    await log().getByText("The answer on the right.").waitFor();
  });

  await suite.check("two of them stand side by side", async () => {
    await page.keyboard.press("Control+\\");
    await twoSides();
    await page.screenshot(shot(sandbox, "split-light"));
  });

  await suite.check("keys go to the side with the focus", async () => {
    await page.keyboard.press("F6");
    await page.keyboard.type("to the left");
    equal(await box(side("Left pane")).inputValue(), "to the left", "the left prompt");
    equal(await box(side("Right pane")).inputValue(), "", "the right prompt");
    await box(side("Left pane")).fill("");
  });

  await suite.check("the divider is dragged", async () => {
    const before = (await side("Left pane").boundingBox()).width;
    const { x, y, width, height } = await page.getByRole("separator", { name: "Divider position" }).boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + 100, y + height / 2, { steps: 4 });
    await page.mouse.up();
    const after = (await side("Left pane").boundingBox()).width;
    truth(after > before + 80, `it was ${before} and is ${after} wide`);
  });

  await suite.check("a tab is dragged to the other side and back", async () => {
    const to = await page.getByRole("tab", { name: "say it right" }).boundingBox();
    await page.getByRole("tab", { name: "say it left" }).hover();
    await page.mouse.down();
    await page.mouse.move(to.x + to.width - 4, to.y + 10, { steps: 8 });
    await page.mouse.up();
    await until("one side", async () => (await page.getByRole("separator", { name: "Divider position" }).count()) === 0);
    equal(await tabs(), ["say it right", "say it left"], "the tabs");
    await page.keyboard.press("Control+\\");
    await log(side("Right pane")).getByText("The answer on the left.").waitFor();
    await page.keyboard.press("Control+\\");
    await page.getByRole("tab", { name: "say it right" }).click();
    await page.keyboard.press("Control+\\");
    await twoSides();
  });

  await suite.check("opened again, the window is as it was", async () => {
    const width = (await side("Left pane").boundingBox()).width;
    await visit();
    await twoSides();
    equal((await side("Left pane").boundingBox()).width, width, "the left side's width");
  });

  await suite.check("and so it is after a restart", async () => {
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
    // The page itself shows that the connection is lost.
    problems.length = 0;
    server = await startServer(sandbox, { name: "again", env: modelEnv(model) });
    await visit();
    problems.length = 0;
    await twoSides();
  });

  await suite.check("a small window shows one side and a switch", async () => {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 720, height: 480 });
    await page.getByRole("button", { name: "Left", exact: true }).click();
    await log().getByText("The answer on the left.").waitFor();
    equal(await log().count(), 1, "the conversations");
    await page.screenshot(shot(sandbox, "smallest"));
    await page.getByRole("button", { name: "Right", exact: true }).click();
    await log().getByText("The answer on the right.").waitFor();
    await page.setViewportSize(size);
    await twoSides();
    await page.keyboard.press("Control+\\");
  });

  await suite.check("the search finds a message far back, and goes there", async () => {
    await page.keyboard.press("Control+Shift+F");
    await page.getByRole("combobox", { name: "Search all conversations" }).fill("zanzibar cellar");
    const hit = page.getByRole("option").first();
    await hit.locator("mark").first().waitFor();
    await page.screenshot(shot(sandbox, "search"));
    await page.keyboard.press("Enter");
    const found = log().getByText("The zanzibar switch is in the cellar.");
    await found.waitFor();
    truth(await inside(found), "the message is not in view");
    await newest().waitFor();
    await page.screenshot(shot(sandbox, "far"));
  });

  await suite.check("from there older messages follow, and the newest are one click away", async () => {
    await log().hover();
    await until("the first question", async () => {
      await page.mouse.wheel(0, -5000);
      return (await log().getByText("question number 0", { exact: true }).count()) > 0;
    });
    await newest().click();
    await log().getByText("question number 299").waitFor();
  });

  await suite.check("what a terminal adds shows, and nothing jumps", async () => {
    await log().getByText(/from the terminal|in a terminal/).waitFor();
    const first = await log().getByText("question number 299").elementHandle();
    terminal.say("one more thing", "And one more answer.");
    await log().getByText("And one more answer.").waitFor();
    truth(await first.evaluate((element) => element.isConnected), "the message before was drawn anew");
  });

  /** The message at the top of the view, and the distance of its top. */
  const atTop = () => log().evaluate((log) => {
    const top = log.getBoundingClientRect().top;
    const message = [...log.querySelectorAll("[data-message-id]")].find((m) => m.getBoundingClientRect().bottom > top);
    return { id: message?.getAttribute("data-message-id"), y: (message?.getBoundingClientRect().top ?? 0) - top, above: log.scrollTop };
  });

  await suite.check("what comes below does not move what is read further up", async () => {
    const end = (await atTop()).above;
    await log().hover();
    await page.mouse.wheel(0, -3000);
    await until("it to be scrolled", async () => (await atTop()).above < end - 2000);
    const before = await atTop();
    terminal.say("a second thing", "And a second answer.");
    await page.getByRole("button", { name: "New messages below" }).waitFor();
    const after = await atTop();
    equal(after.id, before.id, "the message at the top");
    truth(Math.abs(after.y - before.y) < 4, `it went from ${before.y} to ${after.y}`);
  });

  await suite.check("a place is kept while another tab is shown", async () => {
    const before = await atTop();
    truth(before.above > 0, "nothing is above");
    for (let i = 0; i < 3; i++) {
      await page.keyboard.press("Alt+1");
      await log().getByText("The answer on the").waitFor();
      await listed("question number 0").click();
      let after;
      await until("the place", async () => {
        after = await atTop();
        return after.id === before.id && Math.abs(after.y - before.y) < 4;
      }).catch(() => {
        throw new Error(`it was ${JSON.stringify(before)} and is ${JSON.stringify(after)}`);
      });
    }
  });

  await suite.check("the processes are listed, and ended after asking", async () => {
    await page.getByRole("tab", { name: "say it right" }).click();
    await box().fill("slowly now");
    await page.keyboard.press("Enter");
    await log().getByText("This one takes").waitFor();
    await page.keyboard.press("Alt+J");
    const sessions = page.getByRole("list", { name: "Sessions" });
    const row = sessions.getByRole("listitem").filter({ hasText: "say it right" });
    await row.getByText(/claude|node/).waitFor();
    await page.getByRole("list", { name: "Parley" }).getByText("parley", { exact: false }).first().waitFor();
    await page.screenshot(shot(sandbox, "processes"));
    await row.getByRole("button", { name: "End say it right" }).click();
    await row.getByRole("button", { name: "End", exact: true }).click();
    await row.waitFor({ state: "detached" });
    await page.keyboard.press("Alt+w");
    await idle();
  });

  await suite.check("until here the page made no errors", async () => {
    equal(problems, [], "what went wrong");
  });

  await suite.check("a session that the page did not survive is not opened automatically", async () => {
    // It is saved shortly after a change, and a page that is closed immediately can't save it.
    await until("the arrangement to be kept", async () => !JSON.stringify(await ask("layout.get", { window: "main" })).includes("processes"));
    await page.context().close();
    // A page that never becomes idle after rendering the conversation, and then is gone.
    ({ page, problems } = await openPage(browser));
    await page.addInitScript(() => {
      window.requestIdleCallback = () => 0;
    });
    await page.goto(server.link);
    await log().getByText("The answer on the right.").waitFor();
    const client = await page.context().newCDPSession(page);
    const crash = page.waitForEvent("crash");
    // The page that would answer is gone by then.
    void client.send("Page.crash").catch(() => {});
    await crash;
    ({ page, problems } = await openPage(browser, { colorScheme: "dark" }));
    await page.goto(server.link);
    await page.getByRole("heading", { name: "The page crashed the last time it showed this session" }).waitFor();
    await page.screenshot(shot(sandbox, "trouble-dark"));
    await page.getByRole("button", { name: "Open in safe mode" }).click();
    await log().getByText("The answer on the right.").waitFor();
    await page.screenshot(shot(sandbox, "safe-dark"));
    await page.getByRole("button", { name: "Open normally" }).click();
    await log().getByText("The answer on the right.").waitFor();
    await until("the note to be taken back", async () => (await trouble()) === "");
    await visit();
    await log().getByText("The answer on the right.").waitFor();
    equal(problems, [], "what went wrong");
  });

  await suite.check("ends and leaves nothing", async () => {
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
    await browser.close();
    await sandbox.leavesNothing();
  });
} finally {
  model.release();
  await model.close();
  await sandbox.close();
}
suite.end();
