// Memory in Chromium, with a headless Parley and the real CLI: a session's memory appears on the page and is included
// in the next session, is found, edited and deleted; the user's own files, and an EARL folder.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { violations } from "./kit/axe.mjs";
import { openPage, place, shot, startBrowser, unexpected } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const fact = "The deploy runs on Fridays only.";
const model = await startModel({
  "remember this": [[tool("mcp__parley__save_memory", { text: fact })], [text("I will remember it.")]],
  "forget this": [[tool("mcp__parley__forget_memory", { memory: fact })], [text("It is forgotten.")]],
  hello: [[text("Hello again.")]],
});

const sandbox = new Sandbox("memory");
let page;
let server;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });

const box = () => page.getByRole("textbox", { name: "Prompt", exact: true });
const log = () => page.getByRole("log", { name: "Conversation" });
const dialog = () => place(page, "Memory");
const files = join(sandbox.data, "memory");
const say = async (words, answer) => {
  await box().fill(words);
  await page.keyboard.press("Enter");
  await log().getByText(answer).waitFor();
  await page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
};
const show = async () => {
  await page.keyboard.press("Alt+M");
  await dialog().waitFor();
};
const close = async () => {
  await page.keyboard.press("Alt+w");
  await dialog().waitFor({ state: "detached" });
};
const row = (words) => dialog().getByRole("listitem").filter({ hasText: words }).filter({ has: page.getByRole("button", { name: "Move memory to trash" }) });

let problems = [];
try {
  const earl = join(sandbox.home, "earl");
  await mkdir(earl);
  await writeFile(join(earl, "2026-04-15.md"), "# Memories for 2026-04-15\n\n- **09:00 UTC** | `@eric` | Likes short answers\n- **23:59 UTC** | `@bob` | Reviews the parser\n");
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));
  await page.goto(server.link);
  await page.getByRole("button", { name: "Choose a folder…" }).click();
  await page.getByRole("combobox").fill(sandbox.work);
  await page.getByRole("button", { name: "Open project" }).click();
  await box().waitFor();

  await suite.check("while there is nothing, the page says what it is for, and begins the user’s own file", async () => {
    await show();
    await dialog().getByText("No memories yet").waitFor();
    equal(await violations(page), [], "what axe finds");
    await dialog().getByRole("button", { name: /Describe yourself/ }).click();
    await dialog().getByRole("textbox", { name: "Text of USER.md" }).fill("I like tea.");
    await page.keyboard.press("Control+s");
    await dialog().getByText("Saved.").first().waitFor();
    equal(await readFile(join(files, "USER.md"), "utf8"), "I like tea.\n", "the file");
    await close();
  });

  await suite.check("what a model saves is on the page at once, with its session", async () => {
    await show();
    await dialog().getByRole("heading", { name: "All memories" }).waitFor();
    await close();
    await say("remember this", "I will remember it.");
    await show();
    await row(fact).getByRole("button", { name: /^from “/ }).waitFor();
    await page.screenshot(shot(sandbox, "page"));
    equal(await violations(page), [], "what axe finds");
    await close();
  });

  await suite.check("the next session is told it, and shows what it was told", async () => {
    await page.keyboard.press("Alt+n");
    await log().getByText("What should we work on?").waitFor();
    await say("hello", "Hello again.");
    const last = model.bodies().findLast((body) => body.includes("hello") && body.includes("<parley-memory>"));
    truth(last?.includes(fact) && last.includes("I like tea."), "the model is told what is remembered");
    await page.keyboard.press("Control+Shift+b");
    await page.getByRole("tab", { name: /Context/ }).click();
    await page.getByText(/^1 memory, \d+ tokens$/).waitFor();
    await page.getByRole("button", { name: "Show memory" }).click();
    await page.getByRole("dialog", { name: "Memory in this session" }).getByText(fact).waitFor();
    await page.screenshot(shot(sandbox, "told"));
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Shift+b");
  });

  await suite.check("it is found while one types, and changed", async () => {
    await show();
    await dialog().getByRole("searchbox").fill("frid");
    await dialog().locator("mark", { hasText: "Frid" }).waitFor();
    await row("Fridays").getByRole("button", { name: "Edit memory" }).click();
    await dialog().getByRole("textbox", { name: "Memory text" }).fill("The deploy runs on Thursdays.");
    await page.keyboard.press("Control+Enter");
    await dialog().getByText("No memories match “frid”.").waitFor();
    await dialog().getByRole("searchbox").fill("");
    await row("Thursdays").waitFor();
    await row("Thursdays").getByRole("button", { name: "Edit memory" }).click();
    await dialog().getByRole("textbox", { name: "Memory text" }).fill(fact);
    await page.keyboard.press("Control+Enter");
    await row(fact).waitFor();
    const focused = () => row(fact).getByRole("button", { name: "Edit memory" }).evaluate((button) => button === document.activeElement);
    await until("the focus to be back", focused);
    await close();
  });

  await suite.check("a model forgets only what the user lets it, who can take that back", async () => {
    await box().fill("forget this");
    await page.keyboard.press("Enter");
    const question = page.getByRole("region", { name: "Question" });
    await question.and(page.locator('[data-phase="ready"]')).waitFor();
    await question.getByText(fact).first().waitFor();
    await page.screenshot(shot(sandbox, "question"));
    await question.getByRole("button", { name: "Allow", exact: true }).click();
    await log().getByText("It is forgotten.").waitFor();
    await show();
    await until("the memory to be gone", async () => (await row(fact).count()) === 0);
    await dialog().getByRole("button", { name: /^Trash/ }).click();
    await dialog().getByRole("button", { name: /^Restore/ }).click();
    await dialog().getByText("The trash is empty.").waitFor();
    await dialog().getByRole("button", { name: /^All memories/ }).click();
    await row(fact).waitFor();
  });

  await suite.check("a user forgets and takes it back with one click", async () => {
    await row(fact).getByRole("button", { name: "Move memory to trash" }).click();
    await until("it to be gone", async () => (await row(fact).count()) === 0);
    await dialog().getByRole("button", { name: "Undo" }).click();
    await row(fact).waitFor();
  });

  await suite.check("a change by hand is there, and one against it is a conflict", async () => {
    await dialog().getByRole("button", { name: "About you" }).click();
    const field = dialog().getByRole("textbox", { name: "Text of USER.md" });
    await until("the text", async () => (await field.inputValue()) === "I like tea.\n");
    await writeFile(join(files, "USER.md"), "I like coffee.\n");
    await until("the change", async () => (await field.inputValue()) === "I like coffee.\n");
    await field.fill("I like milk.\n");
    await writeFile(join(files, "USER.md"), "I like water.\n");
    await dialog().getByText(/changed this file in the meantime/).waitFor();
    await dialog().getByRole("button", { name: "Overwrite with mine" }).click();
    await until("the file", async () => (await readFile(join(files, "USER.md"), "utf8")) === "I like milk.\n");
  });

  await suite.check("EARL’s folder is taken over once, however often", async () => {
    for (const expected of ["2 new memories.", "Nothing new to import."]) {
      await dialog().getByRole("button", { name: "Import", exact: true }).first().click();
      await dialog().getByRole("button", { name: "Choose a folder…" }).click();
      const folders = page.getByRole("dialog", { name: "Folder to import" });
      await folders.getByRole("combobox").fill(earl);
      await folders.getByRole("button", { name: /^Open/ }).click();
      await dialog().getByText(expected).waitFor();
      if (!expected.startsWith("2")) break;
      await page.screenshot(shot(sandbox, "import"));
      await dialog().locator('[data-slot="import"]').getByRole("button", { name: "Import" }).click();
      await dialog().getByText("2 memories imported.").waitFor();
    }
    await dialog().getByRole("button", { name: /^General/ }).click();
    await until("one memory of Bob", async () => (await row("Reviews the parser").count()) === 1);
    await row("Reviews the parser").getByText("imported").waitFor();
  });

  await suite.check("a project that is left out is told nothing", async () => {
    await dialog().getByRole("button", { name: /^project/ }).click();
    await dialog().getByRole("switch", { name: "Include in this workspace’s sessions" }).click();
    await dialog().getByText("Memory is off for this workspace’s sessions.").waitFor();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.screenshot(shot(sandbox, "off-dark"));
    equal(await violations(page), [], "what axe finds");
    await page.emulateMedia({ colorScheme: "light" });
    await close();
    const before = model.bodies().length;
    await page.keyboard.press("Alt+n");
    await log().getByText("What should we work on?").waitFor();
    await say("hello", "Hello again.");
    truth(!model.bodies().slice(before).some((body) => body.includes("<parley-memory>")), "the model is told nothing");
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
