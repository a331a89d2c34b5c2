// The page on a phone: 360 × 640 and touch. The main workflow works by touch, the page can be installed, and while
// Parley can't be reached it says so and shows nothing from its cache.

import { devices } from "playwright-core";
import { shot, startBrowser } from "./kit/browser.mjs";
import { violations } from "./kit/axe.mjs";
import { equal, Suite, truth } from "./kit/checks.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const model = await startModel({
  make: [[tool("Bash", { command: "touch made.txt", description: "Make a file" })], [text("The file is made.")]],
  slowly: [[text("The beginning comes, "), { type: "hold" }, text("and the end.")]],
});
const sandbox = new Sandbox("phone");
let page;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const log = () => page.getByRole("log", { name: "Conversation" });
const prompt = () => page.getByRole("textbox", { name: "Prompt" });
const send = async (words) => {
  await prompt().tap();
  await prompt().fill(words);
  await page.getByRole("button", { name: "Send", exact: true }).tap();
};

/** Visible content fits the screen's width, and tap targets have WCAG's minimum size. */
async function fits() {
  const [width, small] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    [...document.querySelectorAll("button, [role=tab], a[href]")]
      .map((one) => ({ name: one.getAttribute("aria-label") ?? one.textContent?.trim().slice(0, 40), box: one.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && box.height > 0 && box.right > 0 && box.left < innerWidth && (box.width < 24 || box.height < 24))
      .map(({ name, box }) => `${name} (${Math.round(box.width)} × ${Math.round(box.height)})`),
  ]);
  equal(width, 360, "the width of what is on the page");
  equal(small, [], "what is too small for a thumb");
  // The elapsed time is not in the name: it would be announced every second.
  equal((await violations(page)).filter((words) => !words.startsWith("label-content-name-mismatch")), [], "what axe finds");
}

try {
  const browser = await startBrowser(sandbox);
  const server = await startServer(sandbox, { env: modelEnv(model) });
  const context = await browser.newContext({ ...devices["Galaxy S9+"], viewport: { width: 360, height: 640 }, locale: "en", colorScheme: "light" });
  page = await context.newPage();

  await suite.check("the page can be installed", async () => {
    await page.goto(server.link);
    await page.getByRole("heading", { name: "Where should Claude work?" }).waitFor();
    const manifest = await page.evaluate(async () => await (await fetch(document.querySelector("link[rel=manifest]").href)).json());
    equal([manifest.start_url, manifest.scope, manifest.display], ["/", "/", "standalone"], "the manifest");
    for (const { src } of manifest.icons) equal(await page.evaluate(async (at) => (await fetch(at)).status, src), 200, src);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  });

  await suite.check("a session is begun, and a question answered, by thumb", async () => {
    await page.getByRole("button", { name: "Choose a folder…" }).tap();
    await page.getByRole("combobox").fill(sandbox.work);
    await page.getByRole("option").or(page.getByText("No folders in here.")).first().waitFor();
    await page.getByRole("button", { name: "Open project" }).tap();
    await prompt().waitFor();
    await send("make a file");
    const allow = page.getByRole("region", { name: "Question" }).getByRole("button", { name: /^Allow/ }).first();
    await allow.waitFor();
    await page.screenshot(shot(sandbox, "question"));
    await fits();
    await page.waitForTimeout(700); // an earlier answer is treated as accidental
    await allow.tap();
    await log().getByText("The file is made.").waitFor();
    await page.screenshot(shot(sandbox, "conversation"));
    await fits();
  });

  await suite.check("a turn is stopped, and the list leads back to the session", async () => {
    await send("slowly, please");
    await log().getByText("The beginning comes,").waitFor();
    await page.getByRole("button", { name: "Interrupt", exact: true }).tap();
    await log().getByText("You stopped this turn.").waitFor();
    await page.getByRole("button", { name: "Show sidebar" }).first().tap();
    const list = page.getByRole("navigation").or(page.getByRole("complementary")).first();
    await list.waitFor();
    await page.screenshot(shot(sandbox, "list"));
    await fits();
  });

  await suite.check("while Parley cannot be reached the page says so, and keeps nothing of it", async () => {
    const kept = await page.evaluate(async () => (await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)))).flat());
    equal(kept.toSorted(), ["/offline.css", "/offline.html"], "what is kept");
    equal(await server.running.stop(), { code: 0, signal: null }, "its end");
    await page.reload();
    await page.getByRole("heading", { name: "Parley cannot be reached" }).waitFor();
    truth(!(await page.content()).includes("The file is made."), "a conversation was kept");
    equal(await violations(page), [], "what axe finds");
    await page.screenshot(shot(sandbox, "offline"));
  });
} finally {
  await model.close();
  await sandbox.close();
}
suite.end();
