// Finding in a conversation, exporting it, and the model's tasks, in Chromium with a headless Parley and the real CLI.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openPage, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { longPast, writePast } from "./kit/transcripts.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const sandbox = new Sandbox("find-and-export");
const far = join(sandbox.home, "far");
mkdirSync(far);
const past = [...longPast(900)];
const answers = past.filter((step) => step.words && !step.tool);
answers[3].words += "\n\nHere stands the **helio**trope, far back.";
answers.at(-2).words += "\n\nA Heliotrope again, and one more heliotrope.";
writePast(sandbox, [{ prompt: "The long walk" }, ...past], { cwd: far });

const hostile = "<img src=x onerror=alert(1)> [x](javascript:alert(2)) <script>alert(3)</script>";
const model = await startModel({
  "list the work": [
    [tool("TaskCreate", { subject: "Write tests", description: "All of them", activeForm: "Writing tests" }), tool("TaskCreate", { subject: "Ship it", description: "At last" })],
    [text("Listed.")],
  ],
  "begin the work": [[tool("TaskUpdate", { taskId: "1", status: "in_progress" })], [text("Begun.")]],
  "finish the work": [[tool("TaskUpdate", { taskId: "1", status: "completed" }), tool("TaskUpdate", { taskId: "2", status: "completed" })], [text("Finished.")]],
  hostile: [[text(hostile)]],
});

let page;
let server;
let problems = [];
let dialogs = 0;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const button = (name) => page.getByRole("button", { name });
const log = () => page.getByRole("log", { name: "Conversation" });
const box = () => page.getByRole("textbox", { name: "Prompt", exact: true });
const find = () => page.getByRole("search", { name: "Find in this conversation" });
const say = async (words, answer) => {
  await box().fill(words);
  await page.keyboard.press("Enter");
  await log().getByText(answer).last().waitFor();
  await page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
};
/** The current match, and whether it is in view. */
const current = async () => await page.evaluate(() => {
  const [range] = CSS.highlights.get("parley-find-current") ?? [];
  const box = range?.getBoundingClientRect();
  const view = document.querySelector('[role="log"]')?.getBoundingClientRect();
  return { text: range?.toString() ?? "", seen: Boolean(box && view && box.top >= view.top && box.bottom <= view.bottom), marks: CSS.highlights.get("parley-find")?.size ?? 0 };
});
const download = async (act) => {
  const [file] = await Promise.all([page.waitForEvent("download"), act()]);
  return { name: file.suggestedFilename(), content: readFileSync(await file.path(), "utf8") };
};
const openExport = async () => {
  await page.keyboard.press("Control+Shift+E");
  await page.getByRole("dialog", { name: "Export conversation" }).waitFor();
};

try {
  const browser = await startBrowser(sandbox);
  // The newest models do not get the task tools.
  server = await startServer(sandbox, { env: { ...modelEnv(model), ANTHROPIC_MODEL: "claude-sonnet-4-5-20250929" } });
  ({ page, problems } = await openPage(browser));
  page.on("dialog", (dialog) => {
    dialogs++;
    void dialog.dismiss();
  });
  await page.goto(server.link);

  await suite.check("a text is found wherever it is, and each place is brought into view", async () => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Run a command/ }).fill("The long walk");
    await page.getByRole("option", { name: /The long walk/ }).first().click();
    await log().getByText("one more heliotrope").waitFor();
    await page.keyboard.press("Control+f");
    await find().getByRole("textbox").fill("heliotrope");
    await find().getByText("1 of 3").waitFor();
    await until("the newest place", async () => (await current()).seen);
    equal(await current(), { text: "heliotrope", seen: true, marks: 2 }, "the newest place");
    await page.keyboard.press("Enter");
    await find().getByText("2 of 3").waitFor();
    await until("the next", async () => (await current()).text === "Heliotrope");
    // What is above it changes its size before the next frame; it was scrolled to, or is in view already.
    await page.evaluate(() =>
      document.addEventListener(
        "parley:shown",
        ({ target }) => {
          const more = document.createElement("div");
          more.style.height = "120px";
          queueMicrotask(() => target.closest('[role="log"] [data-message-id]').prepend(more));
          document.body.dataset.grew = "";
        },
        { capture: true, once: true },
      ),
    );
    await page.keyboard.press("Enter");
    await find().getByText("3 of 3").waitFor();
    // Far back, where nothing is rendered yet.
    await log().getByText("far back").waitFor();
    await until("something to grow", () => page.evaluate(() => "grew" in document.body.dataset));
    await until("the oldest place", async () => (await current()).seen);
    equal((await current()).text, "heliotrope", "the oldest place");
    // The messages in between are loaded, and the view does not move.
    await until("one conversation", async () => (await page.getByText("Newer messages aren’t shown here.").count()) === 0);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    truth((await current()).seen, "the place is still in view");
    await page.screenshot(shot(sandbox, "found-far-back"));
    await page.keyboard.press("Enter");
    await find().getByText("1 of 3").waitFor();
    await until("around the end", async () => (await current()).seen);
  });

  await suite.check("case and whole words narrow it, Esc ends it", async () => {
    await button("Match case").click();
    await find().getByText("1 of 2").waitFor();
    await button("Whole words").click();
    await find().getByRole("textbox").fill("heliotrop");
    await find().getByText("No results").waitFor();
    await find().getByRole("textbox").press("Escape");
    await find().waitFor({ state: "detached" });
    equal((await current()).marks, 0, "marks that are left");
  });

  await suite.check("the whole conversation is saved as Markdown and as JSON", async () => {
    await openExport();
    const md = await download(() => button("Save…").click());
    truth(md.name.endsWith(".md") && md.content.startsWith("# The long walk\n"), `${md.name}: ${md.content.slice(0, 80)}`);
    truth(md.content.includes("**helio**trope, far back") && md.content.includes("one more heliotrope"), "both ends are there");
    await page.getByRole("radio", { name: /^JSON/ }).click();
    const { messages } = JSON.parse((await download(() => button("Save…").click())).content);
    truth(messages.length >= 900, `${messages.length} messages`);
    await page.screenshot(shot(sandbox, "export"));
    await page.keyboard.press("Escape");
  });

  await suite.check("what was hostile does nothing in the saved page either", async () => {
    const form = page.getByRole("dialog", { name: "New session" });
    await page.keyboard.press("Control+Shift+O");
    await form.getByRole("button", { name: "Other folder…" }).click();
    await page.getByRole("combobox").fill(`${sandbox.work}/`);
    await button(/^Open /).click();
    await form.getByRole("button", { name: "Create session" }).click();
    await form.waitFor({ state: "detached" });
    await say("hostile", "onerror");
    await openExport();
    await page.getByRole("radio", { name: /^Web page/ }).click();
    const html = await download(() => button("Save…").click());
    await page.keyboard.press("Escape");
    const context = await browser.newContext();
    const reader = await context.newPage();
    let wrong = "";
    reader.on("dialog", (d) => { wrong += d.message(); void d.dismiss(); });
    reader.on("request", (r) => { if (!r.url().startsWith("about:") && !r.url().startsWith("data:")) wrong += r.url(); });
    await reader.setContent(html.content);
    equal(await reader.locator("script, [onerror], a[href^='javascript']").count(), 0, "what could run");
    truth((await reader.locator("main").innerText()).includes("<script>alert(3)</script>"), "it is there as text");
    equal(wrong, "", "what happened");
    await context.close();
  });

  await suite.check("printing lays the conversation out for paper", async () => {
    await page.evaluate(() => {
      window.print = () => { window.printed = document.querySelector('[data-component="print"]')?.innerText; dispatchEvent(new Event("afterprint")); };
    });
    await openExport();
    await button("Print…").click();
    await until("the print", async () => await page.evaluate(() => Boolean(window.printed)));
    truth((await page.evaluate(() => window.printed)).includes("onerror"), "the words are on it");
    equal(await page.locator('[data-component="print"]').count(), 0, "what is left on the page");
    await page.keyboard.press("Escape");
  });

  await suite.check("the model's tasks stand above the box, and go when they are done", async () => {
    await say("list the work", "Listed.");
    const tasks = page.getByRole("region", { name: "Tasks" });
    await tasks.getByText("0 of 2").waitFor();
    await say("begin the work", "Begun.");
    await tasks.getByText("Writing tests").waitFor();
    await tasks.getByRole("button", { name: /^Tasks/ }).click();
    equal(await tasks.getByRole("listitem").allInnerTexts().then((all) => all.map((s) => s.replaceAll(/\s+/g, " ").trim())), ["in progress: Writing tests", "to do: Ship it"], "the list");
    await page.screenshot(shot(sandbox, "tasks"));
    await say("finish the work", "Finished.");
    await tasks.waitFor({ state: "detached" });
  });

  await suite.check("the page made no errors and asked nothing", async () => {
    equal(problems, [], "what went wrong");
    equal(dialogs, 0, "dialogs of the browser");
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
