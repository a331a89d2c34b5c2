// The web process is killed during a turn, ten times: the turn completes, in its session and in its Mattermost thread,
// and the window recovers or shows why it does not.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { command } from "./kit/command.mjs";
import { openWindow, startDisplay } from "./kit/display.mjs";
import { startMattermost } from "./kit/mattermost.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { Window, xdotool } from "./kit/window.mjs";

const binary = process.env.PARLEY_E2E_BINARY ?? join(root, "build/bin/parley-e2e");
const traytest = process.env.PARLEY_E2E_TRAYTEST ?? join(root, "build/bin/traytest");

const sandbox = new Sandbox("window-crashes");
const proof = join(sandbox.work, "whole.txt");
const model = await startModel({
  "do it all": [[text("The beginning of it. "), { type: "hold" }, tool("Write", { file_path: proof, content: "whole\n" })], [text("And the end of it.")]],
});
let window;
const suite = new Suite({ onFailure: (name) => window?.screenshot(`failed-${name}`) });
try {
  const chat = await startMattermost(sandbox);
  const env = { ...(await startDisplay(sandbox)), ...modelEnv(model), ...chat.env };
  const xdo = xdotool(sandbox.env(env));
  const desktop = (...what) => command(traytest, what, { env: sandbox.env(env) });
  const panel = sandbox.start("panel", traytest, ["panel"], { env: sandbox.env(env) });
  await panel.line();
  const { browser, driver } = await openWindow(sandbox, binary, ["--data", sandbox.data], env);
  window = new Window(browser, sandbox);
  await window.find('[data-component="shell"]');

  const count = (words) => driver.said.split(words).length - 1;
  const loads = () => count("The page is loaded");
  const visible = () => xdo.visible("Parley").length > 0;
  const page = () => sandbox.leftovers().find((line) => line.includes("WebKitWebProcess"));
  const itself = () => sandbox.leftovers().find((line) => line.slice(line.indexOf(" ") + 1).startsWith(`${binary} --data`));
  const line = (label) =>
    until(`"${label}" in the menu`, () => {
      try {
        return JSON.parse(desktop("show")).menu.find((found) => found.label.startsWith(label));
      } catch {
        return null;
      }
    }, { every: 100 });
  const kill = async () => {
    const found = await until("a page", page);
    process.kill(Number(found.split(" ")[0]), "SIGKILL");
    await until("its end", () => !existsSync(`/proc/${found.split(" ")[0]}`) || page() !== found);
  };
  /** Kills the page; returns whether it recovered automatically. */
  const survives = async () => {
    const [before, hidden] = [loads(), count("keeps crashing; hiding the window")];
    await kill();
    return await until("what becomes of the window", () => {
      if (loads() > before) return "back";
      return count("keeps crashing; hiding the window") > hidden ? "hidden" : null;
    });
  };
  const ways = {
    "the notification": async () => {
      await until("its button", () => panel.lines.includes("button open Open again"));
      desktop("press", "open");
    },
    "the panel": async () => {
      const { enabled } = await line("The window crashed. It opens again in safe mode.");
      truth(enabled, "the line leads nowhere");
      desktop("click", "The window crashed.");
    },
    "a second start": async () => {
      const second = sandbox.start("second", binary, ["--data", sandbox.data], { env: sandbox.env(env) });
      equal((await second.exited).code, 0, "its exit code");
    },
  };

  let id;
  let other;
  const channel = () => chat.posts("general");

  await suite.check("a turn continues in the window and in a thread", async () => {
    const { revision } = await window.ask("mattermost.get");
    const general = chat.channels.general;
    await window.ask("mattermost.set", {
      config: { enabled: true, url: chat.url, teamId: chat.teamId, channels: [{ channelId: general, name: "general", folder: sandbox.work }], direct: null, access: [], mirrorChannelId: general },
      revision,
    });
    ({ id } = await window.ask("session.create", { cwd: sandbox.work, title: "Do it all", permissionMode: "acceptEdits" }));
    other = (await window.ask("session.create", { cwd: sandbox.work, title: "Beside it" })).id;
    await window.open("Do it all");
    await until("the thread", () => window.ask("session.mirror", { sessionId: id, on: true, channelId: general }).then(() => true, () => false), { every: 200 });
    await window.ask("session.prompt", { sessionId: id, text: "Please do it all" });
    await window.reads("The beginning of it.");
  });
  window = undefined; // the driver loses the killed page

  for (const [way, open] of Object.entries(ways)) {
    await suite.check(`killed three times, the window is hidden, and ${way} brings it back`, async () => {
      equal([await survives(), await survives(), await survives()], ["back", "back", "hidden"], "what became of it");
      await until("the window to be hidden", () => !visible());
      await until("the notification", () => panel.lines.includes("note Parley's window stopped working"));
      await line("The window crashed.");
      truth(itself(), "Parley ended");
      const before = loads();
      await open();
      await until("the window", visible);
      await until("the page", () => loads() > before);
      // The page reports that it is loaded.
      await until("the menu as usual", () => !JSON.parse(desktop("show")).menu.some((found) => found.label.startsWith("The window crashed.")), { every: 100 });
    });
  }

  await suite.check("what was shown is in the log, and nothing of what was said", async () => {
    truth(new RegExp(`level=ERROR msg="Session shown by the crashing page".* session=${id} messages=\\d+`).test(driver.said), `the log says ${driver.said.split("\n").filter((said) => said.includes("ERROR")).join("\n")}`);
    truth(!driver.said.includes("The beginning of it."), "the log has what was said");
    truth(!driver.said.includes(`session=${other} `), "it names a session that was not shown");
  });

  await suite.check("killed once more, the turn ends whole, here and in the thread", async () => {
    equal(await survives(), "back", "what became of it");
    equal(existsSync(proof), false, "whether the file is there before the turn went on");
    model.release();
    await until("the file", () => existsSync(proof));
    await chat.saidIn("general", "And the end of it.");
    const said = (await channel()).map((post) => post.message ?? post.Message ?? "").join("\n");
    truth(said.includes("The beginning of it."), `the thread has ${said}`);
    await line("Nothing is running");
  });

  await suite.check("closed by a signal, it leaves nothing", async () => {
    process.kill(Number(itself().split(" ")[0]), "SIGTERM");
    await sandbox.leavesNothing(/parley-e2e|WebKit(Web|Network)Process|claude/);
    await driver.stop();
  });
} finally {
  await model.close();
  await sandbox.close();
}
suite.end();
