// Non-text parts of a conversation in Chromium, with a headless Parley and the real CLI: API errors, each shown once
// with its next step, and images of prompts, both live and loaded from disk. The view is tall, so that everything is
// rendered.

import { openPage, shot, startBrowser, unexpected } from "./kit/browser.mjs";
import { equal, Suite, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const final = { "x-should-retry": "false" };
const refusals = {
  aubergine: { status: 401, type: "authentication_error", message: "The key is made of aubergines.", headers: final },
  courgette: {
    status: 429, type: "rate_limit_error", message: "Too many courgettes.",
    headers: { ...final, "anthropic-ratelimit-unified-status": "rejected", "anthropic-ratelimit-unified-reset": String(Math.floor(Date.now() / 1000) + 3600) },
  },
  pumpkin: { status: 529, type: "overloaded_error", message: "Overloaded with pumpkins.", headers: final },
  radish: { status: 400, type: "invalid_request_error", message: "A radish is no request.", headers: final },
};
let refusing = true;
const model = await startModel(
  { look: [[text("A dot.")]], well: [[text("All is well.")]] },
  {
    // The subject of the latest prompt.
    refuse(body) {
      const words = Object.keys(refusals).map((word) => ({ word, at: body.lastIndexOf(`the ${word} please`) }));
      const last = words.filter(({ at }) => at > body.lastIndexOf("is all well")).toSorted((a, b) => b.at - a.at)[0];
      return refusing && body.includes('"stream":true') && last && last.at >= 0 ? refusals[last.word] : "";
    },
  },
);

const sandbox = new Sandbox("message-parts");
let page;
let server;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });

const box = () => page.getByRole("textbox", { name: "Prompt", exact: true });
const log = () => page.getByRole("log", { name: "Conversation" });
const notices = () => log().locator('[data-component="notice"][data-kind="error"]');
const pictures = () => log().locator('[data-slot="attached-picture"] [data-component="picture"] img');
const idle = () => page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
const say = async (words) => {
  await box().fill(words);
  await page.keyboard.press("Enter");
  await until("the box to be empty", async () => (await box().inputValue()) === "");
};
/** Sends it, and waits for the error. */
const provoke = async (word) => {
  const before = await notices().count();
  await say(`the ${word} please`);
  await until("the notice", async () => (await notices().count()) > before);
  await idle();
};
/** How often a text appears in the conversation. */
const times = async (words) => (await log().innerText()).split(words).length - 1;
const once = async (when) => {
  for (const { message } of Object.values(refusals)) equal(await times(message), 1, `how often "${message}" is said ${when}`);
  equal(await notices().count(), Object.keys(refusals).length, `notices ${when}`);
};
const step = (name) => notices().last().getByRole("button", { name });
const drawn = async (count, when) => {
  await pictures().first().scrollIntoViewIfNeeded();
  await until(`${count} pictures ${when}`, async () => {
    const sizes = await pictures().evaluateAll((all) => all.map((image) => image.naturalWidth));
    return sizes.length === count && sizes.every((width) => width > 0);
  });
};
const drop = async (files) => await box().evaluate(async (element, list) => {
  const data = new DataTransfer();
  for (const { name, side } of list) {
    const canvas = Object.assign(document.createElement("canvas"), { width: side, height: side });
    canvas.getContext("2d").fillRect(0, 0, side / 2, side);
    data.items.add(new File([await new Promise((resolve) => canvas.toBlob(resolve))], name, { type: "image/png" }));
  }
  element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}, files);
const open = async () => {
  await page.goto("about:blank");
  await page.goto(server.link);
  await box().waitFor();
  await log().waitFor();
};

let problems = [];
try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser, { viewport: { width: 1180, height: 2200 } }));
  await page.goto(server.link);
  await page.getByRole("button", { name: "Choose a folder…" }).click();
  await page.getByRole("combobox").fill(sandbox.work);
  await page.getByRole("button", { name: "Open project" }).click();
  await box().waitFor();

  await suite.check("a prompt's pictures are shown, small and in full", async () => {
    await drop([{ name: "one.png", side: 60 }, { name: "two.png", side: 90 }]);
    await page.getByRole("img", { name: "two.png" }).waitFor();
    await say("look at this");
    await drawn(2, "while it runs");
    await idle();
    await log().getByRole("button", { name: "Open two.png at full size" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("img").waitFor();
    equal(await dialog.getByRole("img").evaluate((image) => image.naturalWidth), 90, "the picture's width");
    const saved = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Download" }).click();
    equal((await saved).suggestedFilename(), "two.png", "the file's name");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.screenshot(shot(sandbox, "pictures"));
  });

  await suite.check("what the service refuses is shown once, with what to do about it", async () => {
    await provoke("aubergine");
    await step("Sign in").waitFor();
    await provoke("courgette");
    await step("Choose").or(step(/model/i)).first().waitFor();
    const limit = await notices().last().innerText();
    console.log(`      the limit says: ${limit.replaceAll("\n", " | ")}`);
    await provoke("pumpkin");
    await provoke("radish");
    await once("while it runs");
    await page.screenshot(shot(sandbox, "errors"));
  });

  await suite.check("the words are put back, and sent again by the user only", async () => {
    refusing = false;
    const asked = model.bodies().length;
    await step(/resend/i).click();
    await until("the words to be in the box", async () => (await box().inputValue()) === "the radish please");
    equal(await page.evaluate(() => document.activeElement?.tagName), "TEXTAREA", "what has the focus");
    equal(model.bodies().length, asked, "requests");
    await box().fill("");
    refusing = true;
  });

  await suite.check("so it is when the page is opened anew, and from disk", async () => {
    await open();
    await once("in a page opened anew");
    await drawn(2, "in a page opened anew");
    equal((await server.running.stop()).code, 0, "how Parley ended");
    server = await startServer(sandbox, { name: "again", env: modelEnv(model) });
    await open();
    await drawn(2, "from disk");
    await once("from disk");
    await page.screenshot(shot(sandbox, "from-disk"));
  });

  await suite.check("and when the conversation continues", async () => {
    await say("is all well?");
    await log().getByText("All is well.").waitFor();
    await idle();
    await once("in a session that goes on");
    await drawn(2, "in a session that goes on");
    equal(await step(/resend/i).count(), 0, "steps of what is past");
  });

  await suite.check("the page had no other trouble", () =>
    equal(unexpected(problems), [], "problems"),
  );
} finally {
  await sandbox.close();
  await model.close();
}
process.exit(suite.end());
