// A first start without a CLI: the installation shows its progress, can be canceled, and works the next time. The fake
// npm downloads nothing; the CLI it installs is the real one.

import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPage, shot, startBrowser, unexpected } from "./kit/browser.mjs";
import { equal, Suite, until } from "./kit/checks.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const sandbox = new Sandbox("install");
const bin = join(sandbox.dir, "bin");
const go = join(sandbox.dir, "go");
mkdirSync(bin, { recursive: true });
writeFileSync(
  join(bin, "npm"),
  `#!/bin/sh
mkdir -p node_modules/half
echo "npm http fetch GET 200 https://registry.example.org/claude-code 12ms" >&2
while [ ! -e '${go}' ]; do sleep 0.1; done
mkdir -p node_modules/.bin && ln -s '${join(root, "frontend/node_modules/.bin/claude")}' node_modules/.bin/claude
echo "added 1 package"
`,
);
chmodSync(join(bin, "npm"), 0o755);

let page;
let problems = [];
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const button = (name) => page.getByRole("button", { name, exact: true });

try {
  const browser = await startBrowser(sandbox);
  const server = await startServer(sandbox, { env: { PATH: `${bin}:/usr/bin:/bin`, PARLEY_CLAUDE_BIN: "" } });
  ({ page, problems } = await openPage(browser, { viewport: { width: 1100, height: 700 } }));
  await page.goto(server.link);
  const heading = page.getByRole("heading", { level: 1 });

  await suite.check("installing says how far it is", async () => {
    await heading.filter({ hasText: "Claude Code CLI not installed" }).waitFor();
    await button("Install CLI").click();
    await page.getByText("fetch GET 200 https://registry.example.org/claude-code 12ms").waitFor();
    await page.getByRole("progressbar", { name: "Installing…" }).waitFor();
    await page.screenshot(shot(sandbox, "installing"));
  });

  await suite.check("it is cancelled, and leaves nothing", async () => {
    await button("Cancel installation").click();
    await page.getByText("Installation canceled. Nothing was left behind.").waitFor();
    await until("nothing to be left", () => !existsSync(join(sandbox.data, "cli")));
    equal(await page.getByRole("alert").allInnerTexts(), [], "errors");
    await page.screenshot(shot(sandbox, "cancelled"));
  });

  await suite.check("the next time it is installed, and the way continues", async () => {
    await button("Install CLI").click();
    await page.getByRole("progressbar", { name: "Installing…" }).waitFor();
    writeFileSync(go, "");
    await heading.filter({ hasNotText: "Claude Code CLI not installed" }).waitFor();
  });

  await suite.check("the page had no other trouble", () => equal(unexpected(problems), [], "problems"));
} finally {
  await sandbox.close();
}
process.exit(suite.end());
