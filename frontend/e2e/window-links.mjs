// Links and folders opened from outside: the running window receives them from a second start, shows them, and does
// nothing else.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { openWindow, startDisplay } from "./kit/display.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { Window } from "./kit/window.mjs";

const binary = process.env.PARLEY_E2E_BINARY ?? join(root, "build/bin/parley-e2e");
const model = await startModel({ "greet me": [[text("Hello.")]] });
const sandbox = new Sandbox("window-links");
let window;
const suite = new Suite({ onFailure: (name) => window?.screenshot(`failed-${name}`) });

try {
  const base = await startDisplay(sandbox, { size: "1280x900" });
  const env = { ...base, ...modelEnv(model) };
  const args = ["--data", sandbox.data];
  let starts = 0;
  /** Opens a link like a desktop or a shell. */
  const again = async (...what) => {
    const second = sandbox.start(`second-${++starts}`, binary, [...what, ...args], { env: sandbox.env(env) });
    return (await second.exited).code;
  };
  /** The page's title names what it shows. */
  const shows = (title) => until(`the session ${title}`, async () => (await window.browser.getTitle()).includes(title));

  const { browser } = await openWindow(sandbox, binary, args, env);
  window = new Window(browser, sandbox);
  await window.find('[data-component="shell"]');
  const [first, second] = [await window.ask("session.create", { cwd: sandbox.work, title: "The first" }), await window.ask("session.create", { cwd: sandbox.work, title: "The second" })];

  await suite.check("a second start with a link shows that session, and one with its id", async () => {
    equal(await again(`parley://session/${first.id}`), 0, "the exit code");
    await shows("The first");
    equal(await again("open", second.id), 0, "the exit code of open");
    await shows("The second");
  });

  await suite.check("a link that leads nowhere is shown in the window", async () => {
    equal(await again("parley://session/none-of-mine"), 0, "the exit code");
    await until("the reason", async () => /no (such )?session/i.test(await (await window.find("body")).getText()));
    await shows("The second");
  });

  await suite.check("what is no link of Parley's is refused where it was typed", async () => {
    for (const link of ["https://example.com/", "parley://prompt/hi", `parley://session/${first.id}?text=hi`, "parley://session/..", `parley://session/${"a".repeat(10_240)}`, "parley://session/a\nb"]) {
      equal(await again(link), 2, JSON.stringify(link.slice(0, 60)));
    }
    await shows("The second");
  });

  await suite.check("a folder is chosen for a new session; nothing is sent, and it is not trusted", async () => {
    const folder = join(sandbox.work, "shop");
    mkdirSync(join(folder, ".claude"), { recursive: true });
    writeFileSync(join(folder, ".claude/settings.json"), JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: "command", command: `touch ${join(sandbox.work, "ran")}` }] }] } }));
    equal(await again(`file://${folder}`), 0, "the exit code");
    await window.find('[data-component="new-session"]');
    await until("the folder", () => window.browser.executeScript("return document.querySelector('[data-component=new-session] [aria-checked=true]')?.title === arguments[0]", folder));
    await window.screenshot("folder");
    const { sessions } = await window.ask("session.list");
    equal(sessions.length, 2, "the sessions");
    truth(!existsSync(join(sandbox.work, "ran")), "what the folder has was run");
    truth(!JSON.stringify(await window.ask("trust.list", {})).includes(folder), "the folder is trusted");
  });
} finally {
  await model.close();
  await sandbox.close();
}
suite.end();
