// The parts of a conversation in Chromium, with a headless Parley and the real CLI: tables, formulas, footnotes,
// diagrams and highlighting are rendered, errors offer remedies, and nothing hostile runs, navigates or loads.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transformWithOxc } from "vite";
import { openPage, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const corpus = fileURLToPath(new URL("../src/ui/markdown/hostile.ts", import.meta.url));
const { code } = await transformWithOxc(await readFile(corpus, "utf8"), corpus, { sourcemap: false });
const { hostileTexts, hostileDiagrams, longTexts } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

const fence = (lang, source) => `\`\`\`${lang}\n${source}\n\`\`\``;
const blocks = [
  "| Suite | What it checks | Slowest |\n|---|---|--:|\n| upload | that a part which is sent twice is stored once | 11.4 s |",
  "- [x] counted\n- [ ] open",
  "The bound is $t_n \\le 2^n$ and holds[^1].",
  "[^1]: By induction.",
  fence("ts", "const answer: number = 42; // the answer"),
  fence("mermaid", "flowchart LR\n  A[Part] --> B[Server]"),
  fence("mermaid", "flowchart LR\n  A --> ("),
].join("\n\n");

// Each word without spaces is sent as one piece, so there are as many pieces as lines.
const lines = 6000;
const long = Array.from({ length: lines }, (_, i) =>
  i % 60 === 20 ? "```ts\n" : i % 60 === 50 ? "```\n" : i % 60 > 20 && i % 60 < 50 ? `const_a${i}=f(${i});\n` : i % 6 === 5 ? "\n" : `A_line_with_**bold**_and_\`code\`_${i}.\n`,
).join("");

const diagrams = hostileDiagrams.map((source) => fence("mermaid", source)).join("\n\n");
const others = hostileTexts.filter((source) => !source.includes("```mermaid")).join("\n\n");
const long1MB = longTexts["a line of 1 MB without a space"]();
const deep = [longTexts["quotes in quotes"](), longTexts["lists in lists"]().slice(0, 40_000), longTexts.stars()].join("\n\n");

const model = await startModel({
  "every block": [[text(blocks)]],
  "hostile texts": [[text(others)]],
  "hostile drawings": [[text(diagrams)]],
  "one long line": [[text(long1MB)]],
  "something deep": [[text(deep)]],
  "many lines": [[text(long)]],
});

const sandbox = new Sandbox("message-blocks");
let page;
let server;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });

const box = () => page.getByRole("textbox", { name: "Prompt", exact: true });
const log = () => page.getByRole("log", { name: "Conversation" });
const part = (name) => log().locator(`[data-component="${name}"]`);
const idle = () => page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
const ask = async (words) => {
  await box().fill(words);
  await page.keyboard.press("Enter");
  await until("the box to be empty", async () => (await box().inputValue()) === "");
  await page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ timeout: 60_000 }).catch(() => {});
  await idle();
};

// Requests that must not happen. The frame for diagrams is the page's own.
const escapes = [];
const watch = () => {
  page.on("dialog", (dialog) => (escapes.push(`a dialog: ${dialog.message()}`), dialog.dismiss()));
  page.on("popup", (popup) => escapes.push(`a window: ${popup.url()}`));
  page.on("download", (download) => escapes.push(`a download: ${download.url()}`));
  page.on("framenavigated", (frame) => frame.url().startsWith(server.url) || escapes.push(`a way out: ${frame.url()}`));
  page.on("frameattached", (frame) => frame.parentFrame() === page.mainFrame() || escapes.push("a frame in a frame"));
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!["data:", "blob:"].includes(protocol) && !server.url.startsWith(origin) && protocol !== "ws:") escapes.push(`a request: ${request.url()}`);
  });
};
const nothing = (what) => equal(escapes, [], `what came of ${what}`);

/** Scrolls through the whole conversation once, from start to end. */
const readAll = () =>
  log().evaluate(async (scroller) => {
    scroller.scrollTop = 0;
    for (let at = 0; at < scroller.scrollHeight; at += scroller.clientHeight * 0.8) {
      scroller.scrollTop = at;
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  });

let problems = [];
try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));
  watch();
  await page.addInitScript(() => {
    globalThis.opened = [];
    globalThis.open = (url) => (globalThis.opened.push(String(url)), null);
    globalThis.longTasks = [];
    new PerformanceObserver((list) => globalThis.longTasks.push(...list.getEntries().map((e) => ({ at: Math.round(e.startTime), ms: Math.round(e.duration) })))).observe({ type: "longtask" });
  });
  await page.goto(server.link);
  await page.getByRole("button", { name: "Choose a folder…" }).click();
  await page.getByRole("combobox").fill(sandbox.work);
  await page.getByRole("button", { name: "Open project" }).click();
  await box().waitFor();

  await suite.check("an answer's tables, tasks, formulas and notes are drawn", async () => {
    await ask("show every block");
    await log().getByRole("group", { name: "Table" }).getByText("11.4 s").waitFor();
    equal(await log().locator(".task-done, .task-open").count(), 2, "tasks");
    await log().locator("math msup").first().waitFor({ state: "attached" });
    await log().getByRole("button", { name: "Note 1", exact: true }).click();
    equal(await page.evaluate(() => document.activeElement?.textContent), "1", "what has the focus");
    truth(await page.evaluate(() => document.activeElement?.closest(".note") !== null), "the reference does not lead to its note");
  });

  await suite.check("code is coloured by a worker, copied and wrapped", async () => {
    const block = part("code-block").filter({ hasText: "const answer" });
    await block.locator('[data-code="keyword"]').first().waitFor();
    equal(page.workers().length, 1, "workers");
    equal(await block.locator('[data-code="comment"]').textContent(), "// the answer", "the comment");
    await block.hover();
    await block.getByRole("button", { name: "Wrap long lines" }).click();
    equal(await block.locator("pre").getAttribute("data-wrap"), "true", "wrapping");
  });

  await suite.check("a diagram is an image; one that cannot be drawn says why", async () => {
    await part("diagram").first().scrollIntoViewIfNeeded();
    const image = part("diagram").first().locator("img");
    await until("the image to be there", async () => (await image.count()) > 0 && (await image.evaluate((i) => i.naturalWidth)) > 100);
    truth((await image.getAttribute("src")).startsWith("blob:"), "the image is not from memory");
    await part("diagram").nth(1).scrollIntoViewIfNeeded();
    await part("diagram").nth(1).getByText(/Couldn’t draw this diagram: Parse error/).waitFor();
    await part("diagram").first().scrollIntoViewIfNeeded();
    await page.screenshot(shot(sandbox, "blocks"));
    await part("diagram").first().getByRole("button", { name: /full size/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    await page.keyboard.press("1");
    await dialog.getByRole("button", { name: "Fit to window" }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await part("diagram").first().getByRole("button", { name: "Show source" }).click();
    await part("code-block").getByText("A[Part] --> B[Server]").waitFor();
    nothing("every block");
  });

  await suite.check("the turn's line opens to its figures", async () => {
    await part("turn-footer").first().getByRole("button").click();
    await part("turn-footer").first().getByText("Cache read").waitFor();
    // The model's name is the one the CLI requested.
    const id = await part("turn-footer").first().locator("dt", { hasText: /^Model$/ }).locator("xpath=following-sibling::dd[1]").textContent();
    truth(id?.startsWith("claude-"), `the model is ${id}`);
  });

  await suite.check("no hostile text runs, leads or loads anywhere", async () => {
    await ask("show hostile texts");
    await readAll();
    const links = await log().locator("a").evaluateAll((all) => all.map((a) => (a.click(), a.getAttribute("href"))));
    truth(links.length > 20, `only ${links.length} links were there to try`);
    const odd = (await page.evaluate(() => globalThis.opened)).filter((url) => !/^(?:https?:\/\/|mailto:)/.test(url));
    equal(odd, [], "addresses that were opened");
    equal(await log().locator("script, iframe, object, embed, form, style, link, meta, base, video, audio, svg:not([data-lucide], .lucide)").count(), 0, "elements that do not belong there");
    equal(await log().evaluate((all) => [...all.querySelectorAll("[data-component=markdown] *")].flatMap((e) => [...e.attributes]).filter((a) => a.name.startsWith("on")).length), 0, "handlers");
    nothing("hostile texts");
  });

  await suite.check("nor does a hostile diagram", async () => {
    await ask("show hostile drawings");
    const waiting = () => part("diagram").evaluateAll((all) => all.filter((d) => d.dataset.state === "waiting").length);
    await until("every diagram to be tried", async () => {
      await readAll();
      return (await waiting()) === 0;
    });
    equal(await page.evaluate(() => ({}).polluted), undefined, "the prototype");
    const frames = await page.evaluate(() => [...document.querySelectorAll("iframe")].map((frame) => [frame.dataset.component, frame.contentDocument.querySelectorAll("svg, body > :not(script)").length]));
    equal(frames, [["diagram-workshop", 0]], "frames, and what is left in them");
    await page.screenshot(shot(sandbox, "hostile-diagrams"));
    nothing("hostile diagrams");
  });

  await suite.check("a line of a megabyte and deep nesting leave the page usable", async () => {
    await ask("show one long line");
    await ask("show something deep");
    await box().fill("still here");
    equal(await box().inputValue(), "still here", "the box");
    await box().fill("");
    nothing("monsters");
  });

  await suite.check("six thousand lines stream to their end", async () => {
    const from = await page.evaluate(() => {
      globalThis.longTasks.length = 0;
      return Math.round(performance.now());
    });
    const start = performance.now();
    await ask("show many lines");
    await log().getByText(`_${lines - 2}.`).first().waitFor();
    const tasks = await page.evaluate((from) => globalThis.longTasks.map(({ at, ms }) => `${ms} ms at ${at - from} ms`), from);
    console.log(`      ${lines} lines in ${Math.round(performance.now() - start)} ms; tasks over 50 ms: ${tasks.join(", ") || "none"}`);
  });

  await suite.check("the page had no other trouble", () =>
    equal(problems, [], "problems"),
  );
} finally {
  await sandbox.close();
  await model.close();
}
process.exit(suite.end());
