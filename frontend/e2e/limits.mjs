// A plan's usage limit, with the real CLI: its end is shown, the user chooses to continue afterwards within limits, and
// a restarted Parley still does.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openPage, shot, startBrowser, unexpected } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { startModel, text } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const resets = Math.floor(Date.now() / 1000) + 3600;
let limited = true;
const model = await startModel(
  { Continue: [[text("I went on.")]] },
  {
    refuse: (body) =>
      limited && body.includes('"stream":true') && {
        status: 429, type: "rate_limit_error", message: "You have used up your plan.",
        headers: {
          "x-should-retry": "false", "anthropic-ratelimit-unified-status": "rejected", "anthropic-ratelimit-unified-reset": String(resets),
          "anthropic-ratelimit-unified-representative-claim": "five_hour", "anthropic-ratelimit-unified-overage-status": "rejected",
        },
      },
  },
);
/** A subscription has limits, an API key has none. */
const env = { ANTHROPIC_BASE_URL: model.url, CLAUDE_CODE_OAUTH_TOKEN: "local-subscription" };

const sandbox = new Sandbox("limits");
let page;
let server;
let problems = [];
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const box = () => page.getByRole("textbox", { name: "Prompt", exact: true });
const log = () => page.getByRole("log", { name: "Conversation" });
const row = () => page.getByRole("region", { name: "Prompts to send later" }).getByRole("listitem");

try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env });
  ({ page, problems } = await openPage(browser, { viewport: { width: 1100, height: 700 } }));
  await page.goto(server.link);
  await page.getByRole("button", { name: "Choose a folder…" }).click();
  await page.getByRole("combobox").fill(sandbox.work);
  await page.getByRole("button", { name: "Open project" }).click();
  await box().waitFor();

  await suite.check("a limit says when it ends, and the user chooses how to continue then", async () => {
    await box().fill("Write the report");
    await page.keyboard.press("Enter");
    const choose = log().getByRole("button", { name: /^Continue at / });
    await choose.click();
    const form = page.getByRole("form", { name: /^Continue at / });
    await form.getByRole("combobox", { name: "If the limit is reached again" }).selectOption({ label: "Wait and continue, up to 3 times" });
    await form.getByRole("combobox", { name: "Stop each time after" }).selectOption({ label: "50 turns" });
    await form.getByRole("combobox", { name: "Or when it has cost" }).selectOption({ label: "$5.00" });
    await page.screenshot(shot(sandbox, "choice"));
    await form.getByRole("button", { name: /^Continue at / }).click();
    await row().filter({ hasText: "Continue from where you were interrupted." }).filter({ hasText: "Sends at" }).waitFor();
    await log().getByRole("status").filter({ hasText: "Parley continues at" }).waitFor();
    await page.screenshot(shot(sandbox, "chosen"));
  });

  await suite.check("a Parley that ends and starts again still has it, with its fuse", async () => {
    equal((await server.running.stop()).code, 0, "how Parley ended");
    server = await startServer(sandbox, { name: "again", env });
    await page.goto("about:blank");
    await page.goto(server.link);
    await row().filter({ hasText: "Sends at" }).waitFor();
    const file = readFileSync(join(sandbox.data, "heartbeats.yaml"), "utf8");
    for (const words of ["again: 3", "turns: 50", "usd: 5", `runAt: "${new Date((Math.ceil(resets / 60) + 1) * 60_000).toISOString().replace(".000Z", "Z")}"`.replaceAll('"', "")]) {
      truth(file.replaceAll(/["']/g, "").includes(words), `the file lacks ${words}:\n${file}`);
    }
  });

  await suite.check("the user may have it continue now", async () => {
    limited = false;
    await row().getByRole("button", { name: /now$/ }).click();
    await log().getByText("I went on.").waitFor();
    await until("nothing to be left to send", async () => (await row().count()) === 0);
  });

  await suite.check("the page had no other trouble", () => equal(unexpected(problems), [], "problems"));
} finally {
  await sandbox.close();
  await model.close();
}
process.exit(suite.end());
