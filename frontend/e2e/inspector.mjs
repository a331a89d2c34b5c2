// The side panel in Chromium, with a headless Parley and the real CLI: a session's changes, undoing them, and its
// background tasks.

import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPage, shot, startBrowser, unexpected } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const sandbox = new Sandbox("inspector");
const file = (name) => join(sandbox.work, name);
const begin = "package upload\r\n\r\nfunc Try() int {\r\n\treturn 1\r\n}\r\n";
writeFileSync(file("upload.go"), begin);
chmodSync(file("upload.go"), 0o755);
writeFileSync(file("notes.md"), "# Notes\n\nNothing yet.\n");
writeFileSync(file("tick.sh"), "echo begun\nwhile :; do echo tick; sleep 0.2; done\n");

const model = await startModel({
  change: [
    [
      text("I change three files."),
      tool("Read", { file_path: file("upload.go") }),
      tool("Read", { file_path: file("notes.md") }),
      tool("Edit", { file_path: file("upload.go"), old_string: "return 1", new_string: "return 2", replace_all: false }),
      tool("Write", { file_path: file("notes.md"), content: "# Notes\n\nThe upload returns 2.\n" }),
      tool("Write", { file_path: file("made.txt"), content: "new\n" }),
    ],
    [text("All three are changed.")],
  ],
  watch: [[tool("Bash", { command: "sh tick.sh", description: "Watch the clock", run_in_background: true })], [text("It ticks.")]],
});

let page;
let server;
let problems = [];
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const box = () => page.getByRole("textbox", { name: "Prompt", exact: true });
const log = () => page.getByRole("log", { name: "Conversation" });
const panel = () => page.getByRole("complementary", { name: "Side panel" });
const dialog = () => page.getByRole("dialog");
const button = (name) => page.getByRole("button", { name });
const idle = () => page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
const say = async (words) => {
  await box().fill(words);
  await page.keyboard.press("Enter");
};
const allow = async () => {
  const yes = page.getByRole("button", { name: /^Allow(?! and)/ });
  await yes.waitFor();
  await until("the answer to be taken", async () => {
    await yes.click({ timeout: 1000 }).catch(() => {});
    return (await yes.count()) === 0;
  });
};

try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser, { viewport: { width: 1360, height: 860 } }));
  await page.goto(server.link);
  await button("Choose a folder…").click();
  await page.getByRole("combobox").fill(sandbox.work);
  await button("Open project").click();
  await box().waitFor();

  await suite.check("the panel shows with its key, and says that there is nothing", async () => {
    await page.keyboard.press("Control+Shift+B");
    await panel().getByRole("tab", { name: /^Files/ }).click();
    await panel().getByText("haven’t changed any files").waitFor();
  });

  await suite.check("what a turn changed is listed automatically, with its differences", async () => {
    await box().press("Shift+Tab");
    await say("change them");
    await log().getByText("All three are changed.").waitFor();
    await idle();
    await panel().getByRole("button", { name: /^made\.txt/ }).waitFor();
    await panel().getByRole("button", { name: /^upload\.go/ }).click();
    const diff = panel().getByRole("group", { name: "Changes to upload.go" });
    await diff.getByText("return 2").waitFor();
    truth((await diff.textContent()).includes("return 1"), "what was there is not shown");
    truth(readFileSync(file("upload.go"), "utf8").includes("return 2"), "the file is not changed");
    await page.screenshot(shot(sandbox, "files"));
  });

  await suite.check("undoing from below the answer shows what will happen, and warns of what others did", async () => {
    writeFileSync(file("notes.md"), "# Mine\n");
    await log().getByRole("button", { name: "Undo changes…" }).click();
    await dialog().getByText("made.txt").waitFor();
    await dialog().getByText("You, a command, or another session changed this file").waitFor();
    const boxes = await dialog().getByRole("checkbox").evaluateAll((list) => list.map((box) => [box.labels[0].textContent, box.checked]));
    equal(boxes.toSorted(), [["made.txtdelete", true], ["notes.mdrestore", false], ["upload.gorestore", true]], "the files");
    await dialog().getByRole("button", { name: "Show diff" }).last().click();
    await dialog().getByRole("group").first().waitFor();
    await page.screenshot(shot(sandbox, "undo"));
    await dialog().getByRole("button", { name: "Undo in 2 files" }).click();
    await dialog().waitFor({ state: "detached" });
    equal(readFileSync(file("upload.go"), "utf8"), begin, "the bytes");
    equal(statSync(file("upload.go")).mode & 0o777, 0o755, "the mode");
    truth(!existsSync(file("made.txt")), "what was made is still there");
    equal(readFileSync(file("notes.md"), "utf8"), "# Mine\n", "what a person wrote");
  });

  await suite.check("the undo is taken back, once", async () => {
    await panel().getByRole("tab", { name: /^Tasks/ }).click();
    await panel().getByRole("tab", { name: /^Files/ }).click();
    await panel().getByText("2 files restored").waitFor();
    await panel().getByRole("button", { name: "Redo" }).click();
    await panel().getByText("2 files are back to the version before the undo.").waitFor();
    equal(readFileSync(file("made.txt"), "utf8"), "new\n", "what was made");
    equal(await panel().getByRole("button", { name: "Redo" }).count(), 0, "offers");
  });

  await suite.check("a background task is watched and stopped", async () => {
    await panel().getByRole("tab", { name: /^Tasks/ }).click();
    await panel().getByText("No background work.").waitFor();
    await say("watch the clock");
    await allow();
    await log().getByText("It ticks.").waitFor();
    await idle();
    await panel().getByText("Running", { exact: true }).first().waitFor();
    await panel().getByRole("button", { name: "Output" }).click();
    await panel().getByRole("group", { name: /^Output of/ }).getByText("tick").first().waitFor();
    await page.screenshot(shot(sandbox, "tasks"));
  });

  await suite.check("archiving asks before it ends the task", async () => {
    // Not their number: until exec, a forked child has the same name.
    const runs = () => sandbox.leftovers().some((line) => line.includes("tick.sh"));
    truth(runs(), "the command does not run");
    await page.getByRole("navigation", { name: "Sessions" }).getByText("change them").first().click({ button: "right" });
    await page.getByRole("menuitem", { name: /^Archive/ }).click();
    await dialog().getByText("1 background task is running").waitFor();
    await page.screenshot(shot(sandbox, "archive"));
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await dialog().waitFor({ state: "detached" });
    truth(runs(), "the command was ended");
    await panel().getByRole("button", { name: /^Stop/ }).click();
    await panel().getByText(/^Stopped/).waitFor();
    await until("the command to end", () => !runs());
  });

  await suite.check("in a small window the panel lies over the conversation, and Esc puts it away", async () => {
    await page.setViewportSize({ width: 720, height: 480 });
    await panel().waitFor({ state: "detached" });
    await button("Show side panel").click();
    await panel().getByRole("tab", { name: /^Files/ }).click();
    await panel().getByRole("button", { name: /^upload\.go/ }).waitFor();
    await page.screenshot(shot(sandbox, "small"));
    await page.keyboard.press("Escape");
    await panel().waitFor({ state: "detached" });
    await page.setViewportSize({ width: 1360, height: 860 });
    await panel().waitFor();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.screenshot(shot(sandbox, "dark"));
  });

  await suite.check("after a restart a turn can still be undone from below its answer", async () => {
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
    server = await startServer(sandbox, { name: "again", env: modelEnv(model) });
    await page.goto("about:blank");
    await page.goto(server.link);
    await log().getByText("All three are changed.").waitFor();
    await log().getByRole("button", { name: "Undo changes…" }).click();
    await dialog().getByRole("button", { name: "Undo in 2 files" }).click();
    await dialog().waitFor({ state: "detached" });
    equal(readFileSync(file("upload.go"), "utf8"), begin, "the bytes");
    truth(!existsSync(file("made.txt")), "what was made is still there");
    equal(readFileSync(file("notes.md"), "utf8"), "# Mine\n", "what a person wrote");
  });

  await suite.check("nothing went wrong unseen", async () => equal(unexpected(problems), [], "problems"));
  await browser.close();
} finally {
  await sandbox.close();
  await model.close();
}
suite.end();
