// The tray icon with the real window: a separate bus and panel, inspected and clicked over D-Bus like a desktop.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { By } from "selenium-webdriver";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { command } from "./kit/command.mjs";
import { openWindow, startDisplay } from "./kit/display.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { button, dock, Window, xdotool } from "./kit/window.mjs";

const binary = process.env.PARLEY_E2E_BINARY ?? join(root, "build/bin/parley-e2e");
const traytest = process.env.PARLEY_E2E_TRAYTEST ?? join(root, "build/bin/traytest");

const model = await startModel({
  "stay at it": [[text("I am at it. "), { type: "hold" }, text("Done.")]],
  "ask me": [[tool("Bash", { command: "echo asked > asked.txt", description: "Leave a mark" })], [text("It was allowed.")]],
});

const sandbox = new Sandbox("tray");
let window;
const suite = new Suite({ onFailure: (name) => window?.screenshot(`failed-${name}`) });
try {
  const display = await startDisplay(sandbox);
  const env = { ...display, ...modelEnv(model), PATH: process.env.PATH };
  const xdo = xdotool(sandbox.env(env));
  const args = ["--data", sandbox.data];
  const panel = (...what) => command(traytest, what, { env: sandbox.env(env) });
  const shown = () => {
    try {
      return JSON.parse(panel("show"));
    } catch {
      return null; // there is none yet
    }
  };
  const find = (lines, label) => {
    for (const line of lines) {
      const found = line.label.startsWith(label) ? line : find(line.lines ?? [], label);
      if (found) return found;
    }
    return null;
  };
  const line = (label) => until(`"${label}" in the menu`, () => find(shown()?.menu ?? [], label), { every: 50 });
  const click = (...path) =>
    until(`a click on ${path.join(", ")}`, () => {
      try {
        panel("click", ...path);
        return true;
      } catch {
        return false; // it is not there yet
      }
    }, { every: 50 });
  const visible = () => xdo.visible("Parley").length > 0;
  const close = async () => {
    await xdo.close("Parley");
    await until("the window to be hidden", () => !visible());
  };

  const place = sandbox.start("panel", traytest, ["panel"], { env: sandbox.env(env) });
  await place.line();
  const { browser, driver } = await openWindow(sandbox, binary, args, env);
  window = new Window(browser, sandbox);

  let idle;
  await suite.check("the icon comes with the window", async () => {
    await window.find(By.xpath('//h1[text()="Where should Claude work?"]'));
    await line("For an hour"); // submenus appear later
    idle = shown();
    equal(idle.tip, "Parley: Nothing is running", "the tooltip");
    equal(idle.menu.map(({ label }) => label), [
      "Nothing is running", "No heartbeats", "Pause all heartbeats", "Mattermost mirror (not connected)", "Do not disturb", "Open Parley", "Quit Parley",
    ], "the menu");
  });

  await suite.check("the window is closed, and Parley continues", async () => {
    await xdo.window("Parley");
    await close();
    truth(running().some((found) => found.includes("--data")), "it ended");
    truth(JSON.parse(readFileSync(join(sandbox.data, "window.json"), "utf8")).kept, "its place was not saved");
    await place.says("note Parley is still running");
    await click("Open Parley");
    await until("the window", visible);
  });

  await suite.check("a click on the icon shows the window, too", async () => {
    await close();
    panel("activate");
    await until("the window", visible);
  });

  await suite.check("heartbeats are paused and resumed", async () => {
    await window.ask("heartbeat.save", {
      spec: { name: "daily-report", prompt: "Report.", schedule: { cron: "0 3 * * *" }, folder: sandbox.work, enabled: true },
    });
    truth((await line("daily-report – ")).label.includes(" at 03:00"), "it does not say when it is due");
    const enabled = async () => (await window.ask("heartbeat.list")).heartbeats[0].enabled;
    await click("daily-report", "Pause");
    await until("it to be off", async () => !(await enabled()));
    await line("daily-report – paused");
    await click("daily-report", "Resume");
    await until("it to be on", enabled);
    await click("Pause all");
    await until("all to be paused", async () => (await window.ask("heartbeat.list")).paused);
    await click("Resume all");
    await until("all to go on", async () => !(await window.ask("heartbeat.list")).paused);
  });

  await suite.check("what waits is opened from the hidden window", async () => {
    const session = await window.ask("session.create", { cwd: sandbox.work, title: "Fix the upload" });
    await window.ask("session.prompt", { sessionId: session.id, text: "Please ask me" });
    await line("1 session is waiting for you");
    truth(shown().icon !== idle.icon, "the icon is the same");
    await close();
    await click("Fix the upload");
    await until("the window", visible);
    await window.find(dock);
    await window.find(button("Allow", "Question"));
    await window.screenshot("waits");
    await window.press("Allow", "Question");
    await window.reads("It was allowed.");
    await line("Nothing is running");
    await until("the icon to be as before", () => shown().icon === idle.icon);
  });

  await suite.check("nobody is disturbed for a while", async () => {
    await click("Do not disturb", "Until turned off");
    await window.find('button[aria-label="Do not disturb"]');
    equal((await window.ask("settings.get")).doNotDisturbUntil, -1, "the setting");
    await until("the menu to show it", () => find(shown().menu, "Until turned off").checked);
    await close();
    const notes = () => place.lines.filter((said) => said === "note Fix the upload").length;
    const before = notes();
    const [session] = (await window.ask("session.list")).sessions;
    await window.ask("session.prompt", { sessionId: session.id, text: "Please ask me again" });
    await line("1 session is waiting for you");
    equal(notes(), before, "the notifications");
    // Requests still pending then are announced.
    await click("Do not disturb", "Turn off");
    await until("the notification", () => notes() > before);
    await click("Fix the upload");
    // Another button also asks for a reason.
    await window.press(By.xpath(`//*[@aria-label="Question"]//button[normalize-space(text()[1])="Deny"]`));
    await line("Nothing is running");
  });

  await suite.check("the bell of the page and the menu are the same", async () => {
    await (await window.find('button[aria-label="Notifications are on"]')).click();
    await (await window.find(By.xpath('//*[@role="menuitemradio"][normalize-space(.)="Do not disturb for 1 hour"]'))).click();
    await line("Do not disturb until ");
    await click("Do not disturb until ", "Turn off");
    await window.find('button[aria-label="Notifications are on"]');
  });

  await suite.check("it starts at login, when it is asked to", async () => {
    const entry = join(sandbox.home, ".config/autostart/parley.desktop");
    await window.ask("settings.set", { startAtLogin: true });
    truth(readFileSync(entry, "utf8").includes(`"--hidden" "--data" "${sandbox.data}"`), readFileSync(entry, "utf8"));
    await window.ask("settings.set", { startAtLogin: false });
    truth(!existsSync(entry), "the entry is still there");
  });

  const asks = (title) => window.find(By.xpath(`//*[@role="dialog"]//*[normalize-space(.)="${title}"]`));
  const answers = async (button) => {
    await window.press(button);
    await window.gone('[role="dialog"]');
  };
  /** Starts a turn in a session, and returns its id. */
  const atWork = async () => {
    const { id } = await window.ask("session.create", { cwd: sandbox.work, title: "Long work" });
    await window.ask("session.prompt", { sessionId: id, text: "Please stay at it" });
    await line("1 session is running");
    return id;
  };
  let working;

  await suite.check("while a session works, Quit asks, also when the window is hidden", async () => {
    working = await atWork();
    await close(); // nothing would be interrupted, so it doesn't ask
    await click("Quit Parley");
    await until("the window", visible);
    await asks("1 session is working");
    await window.find(By.xpath('//*[@role="dialog"]//p[contains(., "The tray icon opens the window again.")]'));
    await window.screenshot("quit");
    await answers("Cancel");
    truth(visible(), "the window is gone");
    await click("Quit Parley");
    await asks("1 session is working");
    await window.pressLast("Keep working in the background", xdo);
    await until("the window to be hidden", () => !visible());
    await place.says("note Parley is working in the background");
    await click("Open Parley");
    await until("the window", visible);
  });

  await suite.check("where the icon is not to keep it, closing asks", async () => {
    await window.ask("settings.set", { closeToTray: false });
    await xdo.close("Parley");
    await asks("1 session is working");
    await answers("Cancel");
    await window.ask("session.interrupt", { sessionId: working });
    await line("Nothing is running");
    await window.ask("settings.set", { closeToTray: true });
  });

  await suite.check("what Parley knows to be wrong is in the icon and its menu", async () => {
    const file = join(sandbox.data, "settings.json");
    const whole = readFileSync(file, "utf8");
    writeFileSync(file, "{");
    const { enabled } = await line(`The changed settings in ${file}`);
    truth(enabled, "it leads nowhere");
    equal(shown().tip, "Parley: 1 problem", "the tooltip");
    truth(shown().icon !== idle.icon, "the icon is the same");
    writeFileSync(file, whole);
    await line("Nothing is running");
    await until("the icon to be as before", () => shown().icon === idle.icon);
  });

  await suite.check("without the panel, closing ends it", async () => {
    equal((await place.stop()).signal, "SIGTERM", "the panel's end");
    await until("the icon to be gone", () => shown() === null);
    await xdo.close("Parley");
    await until("the program to end", () => running().length === 0);
    equal(place.lines.filter((said) => said === "note Parley is still running").length, 1, "how often it said that it goes on");
    await driver.stop();
  });
  window = undefined;

  await suite.check("stopped by Quit, nothing is left", async () => {
    const panelOn = sandbox.start("panel-quit", traytest, ["panel"], { env: sandbox.env(env) });
    await panelOn.line();
    const opened = await openWindow(sandbox, binary, args, env);
    window = new Window(opened.browser, sandbox);
    await window.find('[data-component="shell"]');
    await line("Quit Parley");
    await atWork();
    await click("Quit Parley");
    await asks("1 session is working");
    await window.pressLast("Stop and quit", xdo);
    window = undefined;
    await until("its processes to be gone", () => running().length === 0);
    equal(shown(), null, "what is left in the panel");
    await opened.driver.stop();
    await panelOn.stop();
  });

  await suite.check("started hidden, it waits for a panel, is opened and quits", async () => {
    const plain = sandbox.start("plain", binary, [...args, "--hidden"], { env: sandbox.env(env) });
    await plain.says("The page is loaded");
    const again = sandbox.start("panel-again", traytest, ["panel"], { env: sandbox.env(env) });
    await again.line();
    await line("Open Parley");
    truth(!visible(), "the window is shown");
    await click("Open Parley");
    await until("the window", visible);
    // Its position is restored, also after it was hidden; started hidden again, it stays hidden.
    const where = async () => xdo.run("getwindowgeometry", "--shell", await xdo.window("Parley")).split("\n").filter((each) => /^[XY]=/.test(each)).join(" ");
    // Parley positions a new window itself: move it only once it is still.
    const still = async () => {
      let [last, same] = ["", 0];
      await until("the window to lie still", async () => {
        const now = await where();
        same = now === last ? same + 1 : 0;
        last = now;
        return same >= 4;
      }, { every: 150 });
      return last;
    };
    await still();
    xdo.run("windowmove", "--sync", await xdo.window("Parley"), "77", "66");
    const before = await still();
    await close();
    const third = sandbox.start("hidden-again", binary, [...args, "--hidden"], { env: sandbox.env(env) });
    equal((await third.exited).code, 0, "the end of the second that was started hidden");
    truth(!visible(), "the window is shown");
    await click("Open Parley");
    await until("the window to be where it was", async () => (await where()) === before);
    await click("Quit Parley");
    equal(await plain.exited, { code: 0, signal: null }, "its end");
    await until("its processes to be gone", () => running().length === 0);
    equal(shown(), null, "what is left in the panel");
  });

  await suite.check("a signal ends it, although the icon would keep it", async () => {
    const plain = sandbox.start("signalled", binary, args, { env: sandbox.env(env) });
    await plain.says("The page is loaded");
    await line("Open Parley");
    equal(await plain.stop(), { code: 0, signal: null }, "its end");
    truth(!plain.said.includes("Couldn't notify the user"), "it took the signal for a click");
  });

  await suite.check("without a bus, it starts and ends as before", async () => {
    const { DBUS_SESSION_BUS_ADDRESS: _, ...lonely } = env;
    const plain = sandbox.start("lonely", binary, args, { env: sandbox.env({ ...lonely, XDG_RUNTIME_DIR: sandbox.folder("nobus") }) });
    await plain.says("The page is loaded");
    equal(plain.said.split("No tray icon").length, 2, "how often it says that there is no icon");
    equal(await plain.stop(), { code: 0, signal: null }, "its end");
  });
} finally {
  await model.close();
  await sandbox.close();
}
suite.end();

/** Parley's running processes: itself, its web processes, the CLI. */
function running() {
  return sandbox.leftovers().filter((found) => /parley-|WebKit(Web|Network)Process|claude/.test(found) && !found.includes("traytest"));
}
