// Notifications elsewhere: a user adds a webhook and an ntfy topic in the settings, sends a test, and both are notified
// when Claude needs them. The receiver is a server in this check.

import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { openPage, shot, startBrowser, unexpected } from "./kit/browser.mjs";
import { violations } from "./kit/axe.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const model = await startModel({ make: [[tool("Bash", { command: "touch made.txt", description: "Make a file" })], [text("The file is made.")]] });
const sandbox = new Sandbox("ways");
const got = [];
let status = 200;
const receiver = createServer((request, response) => {
  let body = "";
  request.on("data", (some) => (body += some));
  request.on("end", () => {
    got.push({ path: request.url, headers: request.headers, body });
    response.writeHead(status, status === 307 ? { location: "/elsewhere" } : {}).end();
  });
});
await new Promise((done) => receiver.listen(0, "127.0.0.1", done));
const base = `http://127.0.0.1:${receiver.address().port}`;
const host = new URL(base).host;

let page;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const ways = () => page.getByRole("region", { name: "Webhooks and ntfy" });
const row = (at) => ways().getByRole("listitem").filter({ hasText: at });
const press = (name, on = ways()) => on.getByRole("button", { name, exact: true }).click();

/** Adds an address like a user. */
async function add(kind, url) {
  await press("Add address");
  await ways().getByRole("radio", { name: kind }).click({ force: true });
  await ways().getByLabel("Address", { exact: true }).fill(url);
  await ways().getByLabel("Only if I’m not looking at Parley").uncheck();
}

try {
  const browser = await startBrowser(sandbox);
  const server = await startServer(sandbox, { env: modelEnv(model) });
  const opened = await openPage(browser);
  page = opened.page;
  await page.goto(server.link);
  await page.getByRole("button", { name: "Choose a folder…" }).click();
  await page.getByRole("combobox").fill(sandbox.work);
  await page.getByRole("option").or(page.getByText("No folders in here.")).first().waitFor();
  await page.getByRole("button", { name: "Open project" }).click();
  await page.getByRole("textbox", { name: "Prompt" }).waitFor();

  await suite.check("a webhook is added, and a test arrives", async () => {
    await page.keyboard.press("Control+,");
    await page.getByRole("tab", { name: "Notifications" }).click();
    await add("Webhook", "https://ada:hush@example.org");
    await press("Save");
    await ways().getByRole("alert").getByText("must not contain a user name or password").waitFor();
    await ways().getByLabel("Address", { exact: true }).fill(`${base}/hook`);
    await ways().getByLabel("Template").fill('{"text": "{{title}}: {{text}}", "event": "{{event}}"}');
    await page.screenshot(shot(sandbox, "form"));
    equal(await violations(page), [], "what axe finds in the form");
    await press("Save");
    await row("/hook").waitFor();
    await press(`Send a test to ${host}`);
    await ways().getByText(`The test arrived at ${host}.`).waitFor();
    equal(JSON.parse(got.at(-1).body), { text: "Parley: This is a test.", event: "test" }, "what arrived");
    truth(got.at(-1).headers["webhook-id"].startsWith("msg_"), "it has an id");
    await page.screenshot(shot(sandbox, "list"));
    equal(await violations(page), [], "what axe finds");
  });

  await suite.check("a redirect is not followed, and an address that is gone gets nothing more", async () => {
    status = 307;
    await press(`Send a test to ${host}`);
    await ways().getByRole("alert").getByText("Enter the final address").waitFor();
    truth(got.every(({ path }) => path !== "/elsewhere"), "the redirect was followed");
    status = 410;
    await press(`Send a test to ${host}`);
    await ways().getByRole("alert").getByText("It accepts no more notifications").waitFor();
    status = 200;
    await press(`Send a test to ${host}`);
    await ways().getByText(`The test arrived at ${host}.`).waitFor();
  });

  await suite.check("a key goes to the keyring, or it is shown why not, and never to the page or the files", async () => {
    await press(`Edit ${host}`);
    await ways().getByLabel("Signing key").fill("not-to-be-seen-0123456789");
    await press("Save");
    const refused = ways().getByRole("alert").getByText("keyring");
    await refused.or(ways().getByRole("button", { name: "Add address" })).first().waitFor();
    if (await refused.count()) await press("Cancel");
    else {
      await press(`Send a test to ${host}`);
      await until("a signature", () => got.at(-1).headers["webhook-signature"]);
      const { headers, body } = got.at(-1);
      const signed = `v1,${createHmac("sha256", "not-to-be-seen-0123456789").update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`).digest("base64")}`;
      equal(headers["webhook-signature"], signed, "the signature");
    }
    truth(!(await page.content()).includes("not-to-be-seen"), "the key is on the page");
    truth(!readFileSync(`${sandbox.data}/parley.db`, "latin1").includes("not-to-be-seen"), "the key is in the store");
  });

  await suite.check("when Claude waits, both are told", async () => {
    await add("ntfy", `${base}/my-topic`);
    await press("Save");
    await row("/my-topic").waitFor();
    got.length = 0;
    await page.keyboard.press("Escape");
    const prompt = page.getByRole("textbox", { name: "Prompt" });
    await prompt.fill("make a file");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("region", { name: "Question" }).waitFor();
    await until("both arrive", () => got.length >= 2);
    const bodies = got.map(({ path, body }) => ({ path, ...JSON.parse(body) })).toSorted((a, b) => a.path.localeCompare(b.path));
    equal(bodies.map(({ path, topic, event, message }) => [path, topic ?? event, message ?? ""]), [["/", "my-topic", "Waiting for your answer."], ["/hook", "question", ""]], "what they are told");
  });
  equal(unexpected(opened.problems), [], "problems of the page");
} finally {
  receiver.close();
  await model.close();
  await sandbox.close();
}
suite.end();
