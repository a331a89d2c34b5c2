// A newer Parley, released with build/release and served locally: the page announces it, one click installs it, and a
// running turn continues.

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { openPage, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, until } from "./kit/checks.mjs";
import { command } from "./kit/command.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const model = await startModel({
  slowly: [[text("The beginning comes at once, "), { type: "hold" }, text("and the end after the update.")]],
});
const sandbox = new Sandbox("update");
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const served = sandbox.folder("served");
const shop = createServer((request, response) => {
  try {
    response.end(readFileSync(join(served, request.url.slice(1))));
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((listening) => shop.listen(0, "127.0.0.1", listening));
const go = (...args) => command("go", args, { cwd: root, env: { ...process.env, CGO_ENABLED: "0" } });
let page;

try {
  const tool = join(sandbox.dir, "release");
  go("build", "-o", tool, "./build/release");
  const key = join(sandbox.dir, "key");
  const release = (...args) => command(tool, args).trim();
  const signer = release("-new-key", key);
  const program = join(sandbox.dir, "parley");
  const [before, after] = ["0.7.7771", "0.7.7772"];
  const values = { release: before, updateAddress: `http://127.0.0.1:${shop.address().port}/`, updateKey: signer };
  go("build", "-ldflags", `-s -w ${Object.entries(values).map(([name, value]) => `-X main.${name}=${value}`).join(" ")}`, "-o", program, ".");
  // The newer one is the same, with another version of the same length.
  const newer = join(sandbox.dir, "newer");
  writeFileSync(newer, Buffer.from(readFileSync(program).toString("latin1").replaceAll(before, after), "latin1"), { mode: 0o755 });
  const target = `linux-${process.arch === "x64" ? "amd64" : process.arch}`;
  release("-key", key, "-out", served, "-version", after, `${target}=${newer}`);

  const browser = await startBrowser(sandbox);
  const server = await startServer(sandbox, { env: modelEnv(model), program });
  ({ page } = await openPage(browser));
  const log = () => page.getByRole("log", { name: "Conversation" });

  await suite.check("the page tells of the newer version", async () => {
    await page.goto(server.link);
    await page.getByText(`Parley ${after} is available.`).waitFor();
    await page.screenshot(shot(sandbox, "notice"));
  });

  await suite.check("one click installs it, and the turn continues", async () => {
    await page.getByRole("button", { name: "Choose a folder…" }).click();
    await page.getByRole("combobox").fill(sandbox.work);
    await page.getByRole("option").or(page.getByText("No folders in here.")).first().waitFor();
    await page.getByRole("button", { name: "Open project" }).click();
    await page.getByRole("textbox", { name: "Prompt" }).fill("slowly, please");
    await page.keyboard.press("Enter");
    await log().getByText("The beginning comes at once").waitFor();
    await page.getByRole("button", { name: "Update Parley" }).click();
    await page.getByText("Parley was updated while 1 session worked; nothing was interrupted.").waitFor();
    model.release();
    await log().getByText("and the end after the update.").waitFor();
    await until("the notice to go", async () => (await page.getByText("is available.").count()) === 0);
  });

  await suite.check("the one before is kept, and the new one says that it is the newest", async () => {
    equal(readFileSync(`${program}.previous`).includes(before), true);
    // The update server is in this process, which must not block.
    const { stdout } = await promisify(execFile)(program, ["update", "--check", "--data", sandbox.data], { env: sandbox.env() });
    equal(stdout.trim().startsWith(`There is no newer Parley than ${after}`), true);
  });
} finally {
  await model.close();
  await sandbox.close();
  shop.close();
}
suite.end();
