// Usage and context in Chromium, with a headless Parley and the real CLI: each answer counted once, the plot and its
// table, budgets, and compacting.

import { readFile } from "node:fs/promises";
import { openPage, place, shot, startBrowser, unexpected } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const model = await startModel({ first: [[text("The first answer.")]], second: [[text("The second answer.")]], third: [[text("The third answer.")]] });
/** The usage of each answer, as reported by the scripted model. */
const each = { input: 1000, read: 120_000, written: 8500, output: 500, all: 130_000 };
const figure = (n) => n.toLocaleString("en");

const sandbox = new Sandbox("usage");
let page;
let server;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });

const box = () => page.getByRole("textbox", { name: "Prompt", exact: true });
const log = () => page.getByRole("log", { name: "Conversation" });
const usage = () => place(page, "Usage and cost");
const panel = () => page.getByRole("dialog", { name: "Context window" });
const meter = () => page.getByRole("button", { name: /^Context:/ });
const say = async (words, answer) => {
  await box().fill(words);
  await page.keyboard.press("Enter");
  await log().getByText(answer).waitFor();
  await page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
};
/** The footer of each turn: model, time, tokens, cost. */
const footers = async () => await log().locator('[data-component="turn-footer"] [data-slot="line"]').allTextContents();
const showUsage = async () => {
  await box().focus();
  await page.keyboard.press("Alt+U");
  await usage().waitFor();
};
/** The cells of the table, row by row, once there are as many answers. */
const listed = async (answers) =>
  await until(`${answers} answers in the table`, async () => {
    const rows = await usage().getByRole("row").evaluateAll((all) => all.slice(1).map((row) => [...row.children].map((cell) => cell.textContent)));
    return rows[0]?.[1] === String(answers) && rows;
  });

let problems = [];
try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));
  await page.goto(server.link);
  await page.getByRole("button", { name: "Choose a folder…" }).click();
  await page.getByRole("combobox").fill(sandbox.work);
  await page.getByRole("button", { name: "Open project" }).click();
  await box().waitFor();

  await suite.check("before anything was used, the page says so", async () => {
    await showUsage();
    await usage().getByText("No usage yet.").waitFor();
    await page.keyboard.press("Escape");
    await usage().waitFor({ state: "detached" });
  });

  let cost;
  await suite.check("each answer is counted once, with what the CLI reports of its cost", async () => {
    await say("the first", "The first answer.");
    await say("the second", "The second answer.");
    await showUsage();
    const [day] = await listed(2);
    equal(day.slice(1, 7), ["2", figure(2 * each.input), figure(2 * each.read), figure(2 * each.written), figure(2 * each.output), figure(2 * each.all)], "the day's figures");
    cost = day[7];
    truth(/^\$0\.\d+$/.test(cost), `the cost is ${cost}`);
    await page.keyboard.press("Escape");
    const inMeter = await page.locator('[data-component="meter"] [data-slot="cost"]').textContent();
    equal(cost, inMeter, "the cost in the meter and in the table");
    await showUsage();
  });

  await suite.check("the plot is drawn, and by session the table has the same", async () => {
    const painted = async () =>
      await usage().locator("canvas").first().evaluate((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        const seen = new Set();
        for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
        const want = getComputedStyle(document.querySelector('[data-component="usage"] [data-slot="swatch"]')).backgroundColor;
        const probe = document.createElement("canvas").getContext("2d");
        probe.fillStyle = want;
        probe.fillRect(0, 0, 1, 1);
        return seen.has([...probe.getImageData(0, 0, 1, 1).data].slice(0, 3).join(","));
      });
    await until("the bars in the colour of their series", painted);
    await page.screenshot(shot(sandbox, "usage-light"));
    await page.emulateMedia({ colorScheme: "dark" });
    await until("the bars in the dark", painted);
    await page.screenshot(shot(sandbox, "usage-dark"));
    await page.emulateMedia({ colorScheme: "light" });
    await usage().getByRole("group", { name: "Group by" }).getByText("Session").click();
    const rows = await until("sessions", async () => {
      const button = usage().getByRole("button", { name: /^Open / });
      return (await button.count()) === 1 && (await listed(2));
    });
    equal(rows[0].slice(6), [figure(2 * each.all), cost], "tokens and cost");
    const [download] = await Promise.all([page.waitForEvent("download"), usage().getByRole("button", { name: "Save as CSV" }).click()]);
    const lines = (await readFile(await download.path(), "utf8")).trim().split("\r\n");
    equal(lines.length, 2, "lines of the CSV");
    truth(lines[1].includes(`,2,${2 * each.input},${2 * each.read},`), lines[1]);
  });

  await suite.check("a budget that is reached is told of, and stops nothing", async () => {
    const field = usage().getByRole("spinbutton", { name: "Dollars per day" });
    await field.fill("0.01");
    await field.press("Enter");
    await usage().getByText(/of \$0\.01, \d/).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Today’s budget is used up.").waitFor();
    await page.screenshot(shot(sandbox, "budget"));
    await say("the third", "The third answer.");
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByText("Today’s budget is used up.").waitFor({ state: "detached" });
  });

  await suite.check("the meter opens by keyboard to what fills the window", async () => {
    await meter().focus();
    await page.keyboard.press("Enter");
    await panel().getByRole("rowheader", { name: "System prompt" }).waitFor();
    await panel().getByText("The parts are estimates by the CLI", { exact: false }).waitFor();
    await panel().getByRole("heading", { name: "This session" }).waitFor();
    await panel().getByText("390k tokens").waitFor();
    await page.screenshot(shot(sandbox, "context"));
    await page.keyboard.press("Escape");
    await panel().waitFor({ state: "detached" });
    await until("the focus to be back on the meter", () => meter().evaluate((button) => button === document.activeElement));
  });

  await suite.check("Compact now summarises, with what is to be kept", async () => {
    await page.keyboard.press("Enter");
    await panel().getByRole("textbox").fill("the numbers");
    await panel().getByRole("button", { name: "Compact now" }).click();
    await panel().waitFor({ state: "detached" });
    await until("the model to be asked for a summary", () => model.heard("the numbers"));
    await until("the meter to fall", async () => !(await meter().getAttribute("aria-label")).includes("130k"));
  });

  await suite.check("after a restart nothing is counted twice", async () => {
    await until("all turns", async () => (await footers()).length === 3);
    const turns = await footers();
    truth(turns.length === 3 && turns.every((line) => /^Opus 5.5 · [\d.]+ m?s · 130k tokens in, 500 out · \$0\.\d/.test(line)), `under the turns stands ${turns.join("; ")}`);
    await showUsage();
    const whole = async () => await usage().locator('[data-slot="totals"]').innerText();
    // The summary's own call is in no conversation; its cost is in the CLI's total.
    await until("the summary's cost", async () => (await whole()).includes("390k") && !(await whole()).includes(cost));
    const before = await whole();
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
    server = await startServer(sandbox, { name: "again", env: modelEnv(model) });
    await page.goto("about:blank");
    await page.goto(server.link);
    await page.getByRole("navigation", { name: "Sessions" }).waitFor();
    await page.keyboard.press("Alt+U");
    await usage().waitFor();
    await until("the totals", async () => (await usage().locator('[data-slot="totals"]').count()) === 1);
    equal(await whole(), before, "the totals");
    await page.keyboard.press("Escape");
    await usage().waitFor({ state: "detached" });
    await until("what the turns took", async () => (await footers()).length === turns.length);
    equal(await footers(), turns, "what stands under the turns");
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
