// Tool cards in Chromium, with a headless Parley and the real CLI: colored command output, diffs that open in the
// editor, parallel tools, and subagents, also when loaded from disk.

import { readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPage, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const sandbox = new Sandbox("tools");
const file = (name) => join(sandbox.work, name);
const before = "package notes\n\nfunc most() int {\n\treturn 3\n}\n";
writeFileSync(file("notes.go"), before);
writeFileSync(file("colours.txt"), "\u001b[32mgreen words\u001b[0m and plain ones\n");

// A fake editor that records its arguments.
const told = join(sandbox.dir, "told");
const editor = join(sandbox.folder("bin"), "zed");
writeFileSync(editor, `#!/bin/sh\nprintf '%s\\n' "$@" >> '${told}'\n`, { mode: 0o700 });

const model = await startModel({
  "search inside": [[tool("Glob", { pattern: "*.go" })], [text("Found inside.")]],
  "look at both": [
    [
      tool("Read", { file_path: file("notes.go") }),
      tool("Bash", { command: "cat colours.txt", description: "Show the colours" }),
      tool("Bash", { command: "cat nowhere.txt", description: "Show what is not there" }),
    ],
    [text("Looked at both.")],
  ],
  "change it": [[tool("Edit", { file_path: file("notes.go"), old_string: "\treturn 3", new_string: "\treturn 5" })], [text("Changed it.")]],
  delegate: [[tool("Agent", { description: "Find the files", prompt: "search inside", subagent_type: "general-purpose", run_in_background: false })], [text("Delegated it.")]],
});

let page;
let server;
let problems = [];
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const button = (name) => page.getByRole("button", { name });
const log = () => page.getByRole("log", { name: "Conversation" });
const box = () => page.getByRole("textbox", { name: "Prompt", exact: true });
const card = (words) => page.locator('[data-component="tool-card"]').filter({ has: page.locator(':scope > [data-slot="line"]', { hasText: words }) }).last();
const line = (words) => card(words).locator('> [data-slot="line"]');
const say = async (words, answer) => {
  await box().fill(words);
  await page.keyboard.press("Enter");
  await log().getByText(answer).last().waitFor();
  await page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
};
const env = () => ({ ...modelEnv(model), VISUAL: `${editor} --wait` });

try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: env() });
  ({ page, problems } = await openPage(browser));
  await page.goto(server.link);
  await button("Choose a folder…").click();
  await page.getByRole("combobox").fill(sandbox.work);
  await button("Open project").click();
  await box().waitFor();

  await suite.check("results of tools that ran side by side are each on the right card", async () => {
    await say("look at both", "Looked at both.");
    await line("cat colours.txt").click();
    const green = card("cat colours.txt").locator('[data-color="green"]');
    equal(await green.innerText(), "green words", "what is green");
    truth((await card("cat nowhere.txt").innerText()).includes("No such file"), "the failed command says why");
    equal(await card("cat nowhere.txt").getAttribute("data-state"), "error", "the failed command");
    await line("notes.go").first().click();
    await card("notes.go").getByText("func most() int {").waitFor();
    await card("notes.go").locator('[data-code="keyword"]').first().waitFor();
    await page.screenshot(shot(sandbox, "side-by-side"));
  });

  await suite.check("a file that was read opens in the editor", async () => {
    await card("notes.go").getByRole("button", { name: /notes\.go, Open in editor/ }).click();
    await card("notes.go").getByText("Opened in Zed").waitFor();
    await until("the editor", () => said().at(-1) === file("notes.go"));
  });

  await suite.check("a change is a diff with the words that changed, in one column or two", async () => {
    await box().focus();
    await page.keyboard.press("Shift+Tab");
    await button("Permission mode: Accept edits").waitFor();
    await say("change it", "Changed it.");
    equal(readFileSync(file("notes.go"), "utf8"), before.replace("3", "5"), "the file");
    await line("Edited").click();
    const marks = await card("Edited").locator("[data-mark]").allInnerTexts();
    equal(marks, ["3", "5"], "what is marked");
    // In columns, with the line spacing of code.
    const rows = await card("Edited").locator('[data-component="diff"] [data-kind]').evaluateAll((all) =>
      all.map((row) => [getComputedStyle(row).display, row.offsetHeight < 2 * parseFloat(getComputedStyle(row).fontSize), row.querySelector("code").offsetLeft]));
    equal(new Set(rows.map(String)).size, 1, "the same columns in each row");
    equal(rows[0].slice(0, 2), ["grid", true], "how a row is laid out");
    await card("Edited").locator('[data-component="pane"]').hover();
    await card("Edited").getByRole("button", { name: "Side by side" }).click();
    await card("Edited").locator('[data-layout="split"]').waitFor();
    await page.screenshot(shot(sandbox, "diff-split"));
    // The choice is remembered.
    await page.goto("about:blank");
    await page.goto(server.link);
    await page.getByRole("navigation", { name: "Sessions" }).getByText("look at both").first().click();
    await line("Edited").click();
    await card("Edited").locator('[data-layout="split"]').waitFor();
    await card("Edited").getByRole("button", { name: /Open line 4 in the editor/ }).click();
    await until("the editor", () => said().at(-1) === `${file("notes.go")}:4`);
  });

  await suite.check("what a subagent did is on its card", async () => {
    await say("delegate", "Delegated it.");
    await line("Delegated").click();
    await card("Delegated").locator('> [data-slot="nested"]').getByText("Found inside.").waitFor();
  });

  await suite.check("and is read from the disk by a Parley that was not there", async () => {
    equal((await server.running.stop()).code, 0, "the end");
    server = await startServer(sandbox, { name: "again", env: env() });
    await page.goto("about:blank");
    await page.goto(server.link);
    problems.length = 0;
    await page.getByRole("navigation", { name: "Sessions" }).getByText("look at both").first().click();
    await line("Delegated").click();
    await card("Delegated").getByRole("button", { name: "Show steps" }).click();
    await card("Delegated").locator('[data-slot="nested"]').getByText("Found inside.").waitFor();
    await page.screenshot(shot(sandbox, "subagent"));
    await line("Edited").click();
  });

  await suite.check("a file that is gone is shown to be gone", async () => {
    unlinkSync(file("notes.go"));
    await card("Edited").getByRole("button", { name: /Open line 4 in the editor/ }).click();
    await card("Edited").getByText("no longer exists").waitFor();
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

function said() {
  try {
    return readFileSync(told, "utf8").trim().split("\n");
  } catch {
    return [];
  }
}
