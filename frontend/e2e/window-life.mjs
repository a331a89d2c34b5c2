// The life of the real window, under two window managers: its position and size are restored exactly, it requests
// attention, and a signal ends it, whatever dialog is open.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { By, Key } from "selenium-webdriver";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { command } from "./kit/command.mjs";
import { openWindow, pass, startDisplay, startScreen } from "./kit/display.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { Window, xdotool } from "./kit/window.mjs";

const binary = process.env.PARLEY_E2E_BINARY ?? join(root, "build/bin/parley-e2e");
const traytest = process.env.PARLEY_E2E_TRAYTEST ?? join(root, "build/bin/traytest");

const model = await startModel({
  "read it": (_results, body) => [text(body.includes("the colour is teal") ? "It says teal." : "It says nothing.")],
  "ask me": [[tool("Bash", { command: "echo asked > asked.txt", description: "Leave a mark" })], [text("It was allowed.")]],
});

const sandbox = new Sandbox("window-life");
writeFileSync(join(sandbox.work, "facts.txt"), "the colour is teal\n");
let window;
const suite = new Suite({ onFailure: (name) => window?.screenshot(`failed-${name}`) });

/** The dialog of a file field. */
const chooser = "^(Select|Open) Files?$";

/** Parley, and user actions on its window, on one screen. */
function desk(env, args = ["--data", sandbox.data]) {
  const xdo = xdotool(sandbox.env(env));
  const manage = (...what) => command("wmctrl", what, { env: sandbox.env(env) });
  const id = () => xdo.window("Parley");
  const look = async (program, ...what) => command(program, ["-id", await id(), ...what], { env: sandbox.env(env) });
  const states = async () => look("xprop", "_NET_WM_STATE");
  /** The position and size of the content within the frame: from the screen itself, whatever the window manager reports. */
  const geometry = async () => {
    const said = await look("xwininfo");
    return ["Absolute upper-left X", "Absolute upper-left Y", "Width", "Height"].map((name) => Number(new RegExp(`${name}:\\s+(-?\\d+)`).exec(said)[1]));
  };
  const visible = () => xdo.visible("Parley").length > 0;
  /** The window's position once it has not moved for a number of checks. */
  const still = async (looks) => {
    let last = "";
    let same = 0;
    await until("the window to lie still", async () => {
      const now = JSON.stringify(await geometry());
      same = now === last ? same + 1 : 0;
      last = now;
      return same >= looks;
    }, { every: 150 });
    return JSON.parse(last);
  };
  let n = 0;
  return {
    xdo,
    id,
    visible,
    look,
    geometry,
    async start(...more) {
      const running = sandbox.start(`parley-${env.DISPLAY.slice(1)}-${++n}`, binary, [...args, ...more], { env: sandbox.env(env) });
      await running.says("The page is loaded");
      // Parley first positions the window itself: a user is slower than that.
      if (!more.includes("--hidden")) await still(10);
      return running;
    },
    /** A second start, which raises the running one. */
    async again(...more) {
      const second = sandbox.start("second", binary, [...args, ...more], { env: sandbox.env(env) });
      equal((await second.exited).code, 0, "the exit code of the second start");
    },
    async is(want, what = "the window's place") {
      let last;
      await until(`${what} to be ${want}`, async () => JSON.stringify((last = await geometry())) === JSON.stringify(want), { every: 100 }).catch(() => {
        throw new Error(`${what} is ${last}, want ${want}`);
      });
    },
    /** Moves it and returns its position once that is saved. */
    async put(x, y, width, height) {
      xdo.run("windowsize", "--sync", await id(), String(width), String(height));
      xdo.run("windowmove", await id(), String(x), String(y));
      return await still(4);
    },
    async maximised(on) {
      manage("-i", "-r", await id(), "-b", `${on ? "add" : "remove"},maximized_vert,maximized_horz`);
      await until("the state", async () => (await states()).includes("MAXIMIZED") === on);
    },
    async isMaximised(on) {
      await until(`the window to be maximised: ${on}`, async () => (await states()).includes("MAXIMIZED_VERT") === on, { every: 100 });
    },
    async iconify() {
      const one = await id();
      xdo.run("windowminimize", "--sync", one);
      await until("the icon", () => !visible());
      return one;
    },
    async close() {
      await xdo.close("Parley");
      await until("the window to be hidden", () => !visible());
    },
    /** Closes an iconified window, which is already invisible. */
    async closeIcon(one) {
      manage("-i", "-c", one);
      const managed = () => command("wmctrl", ["-l"], { env: sandbox.env(env) }).split("\n").map((line) => Number(line.split(" ")[0]));
      await until("the icon to be hidden", () => !managed().includes(Number(one)));
    },
    async shown() {
      await until("the window", visible);
    },
  };
}

try {
  const base = await startDisplay(sandbox, { size: "1920x1080" });
  const panel = sandbox.start("panel", traytest, ["panel"], { env: sandbox.env(base) });
  await panel.line();
  const click = (...path) =>
    until(`a click on ${path.join(", ")}`, () => {
      try {
        command(traytest, ["click", ...path], { env: sandbox.env(base) });
        return true;
      } catch {
        return false;
      }
    }, { every: 100 });
  const ends = async (running) => equal(await running.stop(), { code: 0, signal: null }, "its end");

  for (const [manager, env] of [["openbox", base], ["icewm", await startScreen(sandbox, base, { size: "1920x1080", manager: "icewm" })]]) {
    const on = desk({ ...env, ...modelEnv(model) });
    let running;
    let place;

    await suite.check(`${manager}: closed to the panel and opened, it is where it was`, async () => {
      running = await on.start();
      place = await on.put(211, 110, 1000, 700);
      for (const open of [() => click("Open Parley"), () => on.again()]) {
        await on.close();
        await open();
        await on.shown();
        await on.is(place);
      }
    });

    await suite.check(`${manager}: so it is out of an icon, and closed as one`, async () => {
      await on.iconify();
      await on.again();
      await on.shown();
      await on.is(place);
      const id = await on.iconify();
      await on.closeIcon(id);
      await click("Open Parley");
      await on.shown();
      await on.is(place);
    });

    await suite.check(`${manager}: what it is maximised from is remembered, hidden and ended`, async () => {
      await on.maximised(true);
      await on.close();
      await click("Open Parley");
      await on.shown();
      await on.isMaximised(true);
      await on.maximised(false);
      await on.is(place, "the place after it was hidden");
      await on.maximised(true);
      await ends(running);
      running = await on.start();
      await on.isMaximised(true);
      await on.maximised(false);
      await on.is(place, "the place after a start");
    });

    await suite.check(`${manager}: ended and started, it is where it was, also started hidden`, async () => {
      place = await on.put(333, 222, 900, 640);
      await ends(running);
      running = await on.start();
      await on.is(place);
      await ends(running);
      running = await on.start("--hidden");
      truth(!on.visible(), "it is shown");
      await on.again("--hidden");
      truth(!on.visible(), "the second one that was to be hidden brought it up");
      await on.again();
      await on.shown();
      await on.is(place);
      await on.close();
      await ends(running);
      running = await on.start();
      await on.is(place, "the place after it ended hidden");
    });

    await suite.check(`${manager}: on a screen that is smaller, or drawn larger, it is brought onto it`, async () => {
      await on.put(1300, 700, 1100, 720);
      await ends(running);
      const small = desk({ ...(await startScreen(sandbox, base, { size: "1280x900", manager })), ...modelEnv(model) });
      running = await small.start();
      let at;
      await until("a window that is inside", async () => {
        at = await small.geometry();
        return at[0] >= 0 && at[1] >= 0 && at[0] + at[2] <= 1280 && at[1] + at[3] <= 900;
      }).catch(() => {
        throw new Error(`it is at ${at}`);
      });
      await ends(running);
      const large = desk({ ...env, GDK_SCALE: "2", ...modelEnv(model) });
      running = await large.start();
      // Its content takes twice the pixels, for which this screen has no room.
      await large.id();
      await until("a window as large as the screen allows", async () => {
        at = await large.geometry();
        return at[0] >= 0 && at[1] >= 0 && at[2] > 1500 && at[0] + at[2] <= 1920 && at[1] + at[3] <= 1080;
      }).catch(() => {
        throw new Error(`drawn larger, it is at ${at}`);
      });
      await ends(running);
    });
  }

  const env = { ...base, ...modelEnv(model) };
  const on = desk(env);
  let driver;
  const open = async () => {
    const opened = await openWindow(sandbox, binary, ["--data", sandbox.data], env);
    driver = opened.driver;
    window = new Window(opened.browser, sandbox);
    await window.find('[data-component="shell"]');
    await on.id();
  };
  const itself = () => sandbox.leftovers().find((line) => line.slice(line.indexOf(" ") + 1).startsWith(`${binary} --data`));
  /** Ends Parley by a signal, and returns how long that took. */
  const signal = async () => {
    const asked = Date.now();
    process.kill(Number(itself().split(" ")[0]), "SIGTERM");
    window = undefined;
    await until("Parley to end", () => !itself());
    await driver.stop();
    return Date.now() - asked;
  };
  const session = async (title) => {
    const { id } = await window.ask("session.create", { cwd: sandbox.work, title });
    await window.open(title);
    await window.find('textarea[aria-label="Prompt"]');
    return id;
  };
  /** Enters a file's path in the system dialog. It loses keys while it makes room for them; then it stays open, and the
   * path is entered again. */
  const choose = async (title, path) => {
    const dialog = await on.xdo.window(title);
    const closed = () => !on.xdo.visible(title).includes(dialog);
    await until("the dialog to close", async () => {
      if (closed()) return true;
      try {
        on.xdo.run("windowactivate", "--sync", dialog, "key", "ctrl+l", "key", "ctrl+a");
        on.xdo.run("type", "--delay", "25", path);
        on.xdo.run("key", "Return");
      } catch {
        // It is closing.
      }
      // Keys that come too late go to the page.
      return await until("it", closed, { timeout: 5000 }).catch(() => false);
    });
  };

  await open();
  const id = await session("Read a file");
  await until("the tab to be kept", async () => JSON.stringify(await window.ask("layout.get", { window: "main" })).includes(id));
  const clip = await (await window.find(By.css('[data-component="composer"] button[aria-label^="Attach files"]'))).getRect();
  await signal();

  /** The driver prevents some of the page's dialogs, so only the keyboard works: an action is started, and keys follow. */
  const byKeys = (title, action, ...keys) =>
    until(`the dialog ${title}`, async () => {
      const pause = () => new Promise((resolve) => setTimeout(resolve, 400)); // nothing reports when the page is ready for the next key
      on.xdo.run("windowactivate", "--sync", await on.id(), "key", "Escape", "key", "ctrl+k");
      await pause();
      on.xdo.run("type", "--delay", "20", action);
      await pause();
      on.xdo.run("key", "Return");
      await pause();
      if (keys.length > 0) on.xdo.run("key", "--delay", "50", ...keys);
      await pause();
      return on.xdo.visible(title).length > 0;
    }, { every: 500 });
  const attach = () =>
    until("the dialog for files", async () => {
      // Positions are relative to the window, so it has not moved.
      on.xdo.run("mousemove", "--window", await on.id(), String(Math.round(clip.x + clip.width / 2)), String(Math.round(clip.y + clip.height / 2)), "click", "1");
      return on.xdo.visible(chooser).length > 0;
    }, { every: 2000 });

  await suite.check("a signal ends it while a dialog for files is open", async () => {
    const running = await on.start();
    await attach();
    await ends(running);
  });

  await suite.check("a file is attached by the system's dialog", async () => {
    const running = await on.start();
    await attach();
    await choose(chooser, join(sandbox.work, "facts.txt"));
    let tries = 0;
    await until("the model to hear what is in it", async () => {
      if (model.heard("the colour is teal")) return true;
      // The dialog may have closed with an incomplete path.
      if (++tries % 8 === 0) {
        await attach();
        await choose(chooser, join(sandbox.work, "facts.txt"));
      }
      on.xdo.run("windowactivate", "--sync", await on.id());
      on.xdo.run("type", "--delay", "20", "read it");
      on.xdo.run("key", "Return");
      return model.heard("the colour is teal");
    }, { every: 1500 });
    await ends(running);
  });

  await suite.check("a signal ends it while a dialog for printing is open", async () => {
    const running = await on.start();
    await byKeys("^Print", "Export", "shift+Tab", "shift+Tab", "Return");
    await ends(running);
  });

  await open();

  await suite.check("a conversation is saved by the system's dialog", async () => {
    const saved = join(sandbox.work, "saved.md");
    await window.browser.actions().keyDown(Key.CONTROL).sendKeys("k").keyUp(Key.CONTROL).perform();
    await (await window.find('[data-component="switcher"] input')).sendKeys("Export");
    await window.press(By.xpath('//*[@data-component="switcher"]//*[@role="option"][contains(., "Export")]'));
    await window.find('[data-component="export"]');
    // A click while the page's own dialog is opening is sometimes lost.
    const dialog = await until("the system's dialog", async () => {
      await window.press(By.css('[data-component="export"] [data-autofocus]'));
      return await until("it", () => on.xdo.visible("^Save$")[0], { timeout: 5000 }).catch(() => null);
    });
    await until("the file", () => {
      if (existsSync(saved)) return true;
      try {
        on.xdo.run("windowactivate", "--sync", dialog, "key", "ctrl+a");
        on.xdo.run("type", "--delay", "25", saved);
        on.xdo.run("key", "Return");
      } catch {
        // It is closing.
      }
      return existsSync(saved);
    }, { every: 700 });
    await window.find(By.xpath(`//*[@role="status"][contains(., "saved.md")]`));
  });

  await suite.check("a question marks the window while nobody looks, and looking takes the mark away", async () => {
    const hints = () => on.look("xprop", "WM_HINTS", "_NET_WM_STATE");
    const urgent = async () => /urgency hint bit is set|DEMANDS_ATTENTION/i.test(await hints());
    truth(!(await urgent()), "it is marked already");
    sandbox.start("other", "xev", ["-event", "keyboard"], { env: sandbox.env(env) });
    const other = await on.xdo.window("Event Tester");
    on.xdo.run("windowactivate", "--sync", other);
    await until("the page to know", async () => !(await window.browser.executeScript("return document.hasFocus()")));
    const [{ id }] = (await window.ask("session.list")).sessions;
    await window.ask("session.prompt", { sessionId: id, text: "Please ask me" });
    await until("the mark", urgent);
    on.xdo.run("windowactivate", "--sync", await on.id());
    await until("no mark", async () => !(await urgent()));
    await window.ask("session.interrupt", { sessionId: id });
    await window.idle();
  });

  await suite.check("the hint in the composer stays on its line, however large the page is drawn", async () => {
    await window.browser.actions().sendKeys(Key.ESCAPE).perform();
    await window.gone('[role="dialog"]');
    await on.put(50, 50, 900, 700);
    // The placeholder is shown while the field is empty.
    await (await window.find('textarea[aria-label="Prompt"]')).sendKeys(Key.chord(Key.CONTROL, "a"), Key.DELETE);
    for (const zoom of [100, 150, 200]) {
      await window.ask("settings.set", { zoom });
      await until("the size", async () => (await window.browser.executeScript("return getComputedStyle(document.documentElement).fontSize")) === `${(16 * zoom) / 100}px`);
      const box = await window.find('textarea[aria-label="Prompt"]');
      await box.click();
      const [inner, outer, lines, cut] = await window.browser.executeScript(
        `const [box] = arguments; const hint = box.previousElementSibling; const range = document.createRange(); range.selectNodeContents(hint);
         return [box.scrollHeight, box.clientHeight, range.getClientRects().length, hint.scrollWidth > hint.clientWidth && getComputedStyle(hint).textOverflow]`, box);
      equal([inner <= outer, lines], [true, 1], `the box at ${zoom} % (${inner} in ${outer}), and the lines of its hint`);
      if (zoom === 200) equal(cut, "ellipsis", "how what has no room ends");
      await window.screenshot(`hint-${zoom}`);
    }
    await window.ask("settings.set", { zoom: 100 });
  });

  await suite.check("a signal ends it while a dialog for a folder is open", async () => {
    // The driver has its answer before the dialog blocks the page.
    await window.browser.executeScript("const [pass] = arguments; setTimeout(() => window.go.desktop.Host.Call(pass, 'folder.pick', '{}'), 0)", pass);
    await on.xdo.window("Choose a folder to work in");
    const took = await signal();
    truth(took < 10_000, `it took ${took} ms`);
  });
} finally {
  await model.close();
  await sandbox.close();
}
suite.end();
