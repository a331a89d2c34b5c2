// Changes to Parley's files by other programs, in Chromium with a headless Parley: they are held, the page shows the
// differences, and a user accepts or undoes them.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPage, place, shot, startBrowser, unexpected } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const sandbox = new Sandbox("outside");
const model = await startModel({ "look around": [[text("All is quiet here.\n\nHEARTBEAT_OK")]] });

let page;
let server;
let problems = [];
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const at = (name) => join(sandbox.data, name);
const dialog = () => page.getByRole("dialog", { name: "Changed by other programs" });
const file = (name) => dialog().getByRole("region", { name });
const press = (name, on) => on.getByRole("button", { name, exact: true }).click();
const look = async () => {
  await press("Review…", page);
  await dialog().waitFor();
};
const health = async () => await (await fetch(new URL("health", server.url))).json();
const settings = () => JSON.parse(readFileSync(at("settings.json"), "utf8"));
const beat = (name, mode) => `  ${name}:\n    prompt: look around\n    schedule: {cron: "0 0 1 1 *"}\n    folder: ${sandbox.work}\n    permissionMode: ${mode}\n`;

/** Changes settings like another program. */
const rewrite = (changes) => writeFileSync(at("settings.json"), JSON.stringify({ ...settings(), ...changes }));

/** Screenshots of the dialog, for manual review. */
async function pictures(name) {
  const before = page.viewportSize();
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    for (const [width, height] of [[720, 480], [1280, 800]]) {
      await page.setViewportSize({ width, height });
      await page.screenshot(shot(sandbox, `${name}-${scheme}-${width}`));
      const box = await dialog().boundingBox();
      truth(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height, `the dialog is within ${width}×${height}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.setViewportSize(before);
}

try {
  const browser = await startBrowser(sandbox);
  writeFileSync(at("settings.json"), JSON.stringify({ permissionMode: "plan" }));
  writeFileSync(at("heartbeats.yaml"), `heartbeats:\n${beat("night", "default")}`);
  server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));
  await page.goto(server.link);
  await page.getByRole("button", { name: "Choose a folder…" }).waitFor();

  await suite.check("what there is at the first start, and what widens nothing, is not asked about", async () => {
    rewrite({ theme: "dark", shortcuts: { search: "Mod+Shift+J" } });
    await until("the page is dark", async () => (await page.evaluate(() => document.documentElement.dataset.theme ?? "")) === "dark");
    const { audit, doubt, held, status } = await health();
    equal({ audit, doubt, held, status }, { audit: "complete", doubt: "", held: 0, status: "ok" }, "the health");
    equal(await page.getByRole("button", { name: "Review…" }).count(), 0, "notices");
    rewrite({ theme: "system" });
  });

  await suite.check("a mode that lets more pass is held, and the page shows both", async () => {
    rewrite({ permissionMode: "bypassPermissions", fontSize: 15 });
    await page.getByText("Another program changed one of Parley’s files.").waitFor();
    await look();
    const change = file("settings.json").getByRole("listitem");
    equal(await change.count(), 1, "changes: what widens nothing is not among them");
    await change.locator('[data-side="was"]', { hasText: "plan" }).waitFor();
    await change.locator('[data-side="is"]', { hasText: "bypassPermissions" }).waitFor();
    equal((await health()).held, 1, "files that wait, by the health");
    await pictures("one");
  });

  await suite.check("the dialog is no higher than what is in it needs", async () => {
    const [outer, inner] = [await dialog().boundingBox(), await file("settings.json").boundingBox()];
    truth(outer.y + outer.height - (inner.y + inner.height) < 60, `below the last change: ${outer.y + outer.height - (inner.y + inner.height)} pixels`);
  });

  await suite.check("it is undone: the file says what holds, and what it said is kept beside it", async () => {
    await press("Undo", file("settings.json"));
    await dialog().waitFor({ state: "detached" });
    equal([settings().permissionMode, settings().fontSize], ["plan", 15], "the settings");
    const aside = readdirSync(sandbox.data).filter((name) => name.startsWith("settings.outside-"));
    equal(aside.length, 1, "files beside it");
    truth(readFileSync(at(aside[0]), "utf8").includes("bypassPermissions"), "it says what the other program wrote");
    equal(await page.getByRole("button", { name: "Review…" }).count(), 0, "notices");
    equal((await health()).held, 0, "files that wait");
  });

  await suite.check("heartbeats that are new or may do more are held, and survive a restart so", async () => {
    writeFileSync(at("heartbeats.yaml"), `heartbeats:\n${beat("night", "bypassPermissions")}${beat("evil", "default")}`);
    rewrite({ permissionMode: "acceptEdits", guard: "static" });
    await page.getByText("Other programs changed 2 of Parley’s files.").waitFor();
    equal((await server.running.stop()).code, 0, "its exit code");
    problems.length = 0; // from the page whose server ended
    server = await startServer(sandbox, { name: "serve-2", env: modelEnv(model) });
    await page.goto("about:blank");
    await page.goto(server.link);
    await look();
    await file("heartbeats.yaml").getByText("evil").first().waitFor();
    await file("settings.json").getByText("acceptEdits").waitFor();
    equal((await health()).held, 2, "files that wait");
    await pictures("several");
  });

  await suite.check("what was changed meanwhile is not accepted unseen", async () => {
    rewrite({ permissionMode: "bypassPermissions" });
    await press("Accept", file("settings.json"));
    await dialog().getByRole("alert").waitFor();
    await file("settings.json").getByText("bypassPermissions").waitFor();
    await press("Undo", file("settings.json"));
    await file("settings.json").waitFor({ state: "detached" });
    equal(settings().permissionMode, "plan", "the mode");
  });

  await suite.check("what is accepted holds", async () => {
    await press("Accept", file("heartbeats.yaml"));
    await dialog().waitFor({ state: "detached" });
    await page.getByRole("button", { name: /^Heartbeats/ }).click();
    const list = place(page, "Heartbeats");
    await list.locator('[data-slot="row"]', { hasText: "evil" }).waitFor();
    equal((await health()).held, 0, "files that wait");
    truth(existsSync(at("heartbeats.yaml")), "the file is there");
  });

  await suite.check("what changed is shown in full, whatever stands before it", async () => {
    const padding = Array.from({ length: 1500 }, (_, i) => `/* ${i} */`).join("\n");
    const css = at("theme.css");
    writeFileSync(css, `${padding}\n:root { --radius-2: 2px }`);
    await look();
    await file("theme.css").getByText("/* 1499 */").waitFor();
    await press("Accept", file("theme.css"));
    await dialog().waitFor({ state: "detached" });
    writeFileSync(css, `${padding}\n:root { --radius-2: 2px;${" ".repeat(20_000)}--text: transparent }`);
    await look();
    const added = file("theme.css").locator('[data-kind="add"] code');
    await added.getByText("--text: transparent").waitFor();
    equal(await file("theme.css").getByText("/* 700 */").count(), 0, "unchanged lines");
    const [box, line] = [await file("theme.css").locator('[data-slot="lines"]').boundingBox(), await added.boundingBox()];
    truth(line.x + line.width <= box.x + box.width + 1, `the line ends at ${line.x + line.width}, its box at ${box.x + box.width}`);
    await pictures("long");
    await press("Undo", file("theme.css"));
    await dialog().waitFor({ state: "detached" });
  });

  await suite.check("nothing was wrong on the page", async () => equal(unexpected(problems), [], "what went wrong"));
  await browser.close();
} finally {
  await sandbox.close();
  await model.close();
}
await suite.check("nothing is left running", () => sandbox.leavesNothing());
process.exit(suite.end());
