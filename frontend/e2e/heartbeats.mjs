// Heartbeats in Chromium, with a headless Parley and the real CLI: one is created with the form, runs, appears in the
// history and among the sessions, is paused, broken and fixed in its file, and deleted.

import { readFileSync, writeFileSync } from "node:fs";
import { openPage, place, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const sandbox = new Sandbox("heartbeats");
const model = await startModel({
  "look around": [[text("All is quiet here.\n\nHEARTBEAT_OK")]],
  "find things": [[text("Two things need a look.")]],
});

let page;
let server;
let problems = [];
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const dialog = () => place(page, "Heartbeats");
const button = (name, on = dialog()) => on.getByRole("button", { name });
const field = (name) => dialog().getByLabel(name, { exact: true });
const tab = (name) => dialog().getByRole("tab", { name }).click();
const row = (name) => dialog().locator('[data-slot="row"]', { hasText: name });
const menu = async (name, item) => {
  // By keyboard: opening a menu in a dialog must not freeze the page.
  await button(`More actions for ${name}`).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: item }).click();
};
const records = () => dialog().locator("tbody tr");
const editor = () => dialog().getByRole("textbox", { name: "heartbeats.yaml" });

try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));
  await page.goto(server.link);
  await page.getByRole("button", { name: "Choose a folder…" }).waitFor();

  await suite.check("without any, the page says what they are for and has examples to begin with", async () => {
    await page.keyboard.press("Alt+h");
    await dialog().getByText("Let Claude run recurring tasks").waitFor();
    await button(/^Morning summary/).click();
    equal(await field("Name").inputValue(), "morning-summary", "the name");
    await dialog().getByText("Runs on weekdays at", { exact: false }).waitFor();
    await button("Back to list").click();
    await button("Start from scratch").waitFor();
  });

  await suite.check("the form says what is missing beside the fields, the schedule in words and the next runs", async () => {
    await button("Start from scratch").click();
    await button("Save").click();
    await dialog().locator('[data-slot="field"]', { hasText: "Name" }).locator('[data-slot="invalid"]').first().waitFor();
    await field("Name").fill("watch");
    await field("Prompt").fill("look around in {{folder}}");
    await button("Other folder…").click();
    await page.getByRole("combobox", { name: "Filter or path" }).fill(sandbox.work);
    await page.getByRole("button", { name: "Open project" }).click();
    await field("Repeats").selectOption({ label: "At an interval" });
    await field("Every").fill("1");
    await dialog().getByText("Runs every hour.").waitFor();
    equal(await dialog().locator('[data-slot="next-runs"] li').count(), 5, "next runs");
  });

  await suite.check("a mis-click loses nothing, and what is saved runs", async () => {
    await page.keyboard.press("Escape");
    const keep = page.getByRole("dialog", { name: "Discard changes?" }).getByRole("button", { name: "Keep editing" });
    await until("the safe answer to have the focus", async () => await keep.evaluate((answer) => answer === document.activeElement));
    await page.keyboard.press("Enter");
    await field("Every").fill("2");
    await dialog().getByLabel("Unit").first().selectOption({ label: "seconds" });
    await dialog().getByText("Runs every 2 seconds.").waitFor();
    await button("Save").click();
    await row("watch").waitFor();
    truth(readFileSync(`${sandbox.data}/heartbeats.yaml`, "utf8").includes("every: 2s"), "the file has it");
    await row("watch").getByText(/^Nothing to do/).waitFor();
    await page.screenshot(shot(sandbox, "list"));
  });

  await suite.check("all are paused, and resumed", async () => {
    await button("Pause all").click();
    await page.getByRole("menuitem", { name: "Until I resume" }).click();
    await dialog().getByText("All heartbeats are paused.").waitFor();
    await row("watch").getByText("Paused", { exact: true }).waitFor();
    equal(await button("Pause all").count(), 0, "the button to pause");
  });

  await suite.check("the history has every due time, in a table and in the plot, and the way to the session", async () => {
    await tab("History");
    await until("a record that ended", async () => (await records().filter({ hasText: "Nothing to do" }).count()) > 0);
    const cell = dialog().getByRole("gridcell").getByRole("button", { name: /Nothing to do/ }).last();
    truth(Number(await cell.textContent()) > 0, "today's cell counts");
    await cell.click();
    await dialog().getByRole("list", { name: "watch" }).getByRole("button").first().waitFor();
    await page.screenshot(shot(sandbox, "history"));
    await records().filter({ hasText: "Nothing to do" }).first().getByRole("button", { name: /^Open session/ }).click();
    await dialog().waitFor({ state: "detached" });
    await page.getByRole("log", { name: "Conversation" }).getByText("All is quiet here.").waitFor();
    truth(model.heard(`look around in ${sandbox.work}`), "the placeholder was filled");
  });

  await suite.check("runs that found nothing are one row in the list of sessions, and are unfolded", async () => {
    const sidebar = page.getByRole("navigation", { name: "Sessions" });
    await page.keyboard.press("Alt+w");
    const quiet = sidebar.getByRole("button", { name: /found nothing$/ });
    await quiet.waitFor();
    await quiet.click();
    await sidebar.getByRole("img", { name: "Run of the heartbeat watch" }).first().waitFor();
    await page.screenshot(shot(sandbox, "sessions"));
  });

  await suite.check("a dry run shows what would be sent and what it may cost, and runs nothing", async () => {
    await page.keyboard.press("Alt+h");
    await tab("Heartbeats");
    await row("watch").waitFor();
    const before = model.bodies().length;
    await menu("watch", "Dry run…");
    await dialog().locator('[data-slot="sent"]', { hasText: `look around in ${sandbox.work}` }).waitFor();
    await dialog().getByText(/^About .* tokens and .* per run/).waitFor();
    equal(model.bodies().length, before, "requests to the model");
    await button("Back to list").click();
  });

  await suite.check("a mistake in the file is shown with its line; the last good state stays applied", async () => {
    await tab("File");
    const good = await editor().inputValue();
    await editor().fill(good.replace("every: 2s", "every: soon"));
    const line = good.split("\n").findIndex((words) => words.includes("every: 2s")) + 1;
    await button(new RegExp(`^Line ${line}, column`)).waitFor();
    await button("Save file").click();
    await dialog().locator('[data-slot="invalid"][role="alert"]').first().waitFor();
    await editor().fill(good.replace("look around", "find things"));
    await dialog().getByText("No errors.").waitFor();
    await button("Save file").click();
    await dialog().getByText("File saved.").waitFor();

    // Another program breaks it.
    const path = `${sandbox.data}/heartbeats.yaml`;
    const now = readFileSync(path, "utf8");
    writeFileSync(path, `${now}\n  broken: [\n`);
    await tab("Heartbeats");
    await dialog().getByText("The last valid version is in use.", { exact: false }).waitFor();
    await row("watch").waitFor();
    await dialog().getByRole("button", { name: /^Go to Line/ }).first().click();
    await until("the editor to have the focus", async () => await editor().evaluate((box) => box === document.activeElement && box.value.includes("broken")));
    await page.screenshot(shot(sandbox, "file"));
    // And changes it while it is being edited here.
    await editor().fill(now);
    writeFileSync(path, `# By somebody else.\n${now}`);
    await dialog().getByText("changed the file in the meantime", { exact: false }).waitFor();
    await button("Overwrite with mine").click();
    await until("the file to be as it was", () => readFileSync(path, "utf8") === now);
  });

  await suite.check("it is run by hand, and what it found is shown", async () => {
    await tab("Heartbeats");
    await button("Run watch now").click();
    await row("watch").getByText(/^Found something/).waitFor();
  });

  await suite.check("it is deleted when that is confirmed", async () => {
    await menu("watch", "Delete…");
    await page.getByRole("dialog", { name: "Delete “watch”?" }).getByRole("button", { name: "Delete" }).click();
    await dialog().getByText("Let Claude run recurring tasks").waitFor();
    truth(!readFileSync(`${sandbox.data}/heartbeats.yaml`, "utf8").includes("watch:"), "it is out of the file");
    await tab("History");
    await until("its records are still there", async () => (await records().count()) > 0);
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
  });

  await suite.check("nothing was wrong on the page", async () => equal(problems, [], "what went wrong"));
  await browser.close();
} finally {
  await sandbox.close();
  await model.close();
}
await suite.check("nothing is left running", () => sandbox.leavesNothing());
process.exit(suite.end());
