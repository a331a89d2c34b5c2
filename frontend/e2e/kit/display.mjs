// A desktop for the window: a virtual screen, a session bus, a window manager and WebKit's driver. The real desktop is
// not touched.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Capabilities, WebDriver } from "selenium-webdriver";
import { Executor, HttpClient } from "selenium-webdriver/http/index.js";
import { until } from "./checks.mjs";
import { command } from "./command.mjs";
import { freePort } from "./sandbox.mjs";

/** Starts the desktop and returns the environment for programs on it. */
export async function startDisplay(sandbox, { size, manager } = {}) {
  const address = `unix:path=${join(sandbox.runtime, "bus")}`;
  const bus = sandbox.start("dbus", "dbus-daemon", ["--session", "--nofork", "--print-address=1", `--address=${address}`]);
  await bus.line();
  return await startScreen(sandbox, {
    DBUS_SESSION_BUS_ADDRESS: address,
    GDK_BACKEND: "x11",
    // There is no accessibility bus to wait for.
    NO_AT_BRIDGE: "1",
    GTK_A11Y: "none",
    GIO_USE_VFS: "local",
    GSETTINGS_BACKEND: "memory",
  }, { size, manager });
}

/** Starts a screen with a window manager on an existing desktop, and returns the environment for programs on it. */
export async function startScreen(sandbox, desktop, { size = "1280x900", manager = "openbox" } = {}) {
  // Without -noreset the server restarts when its last client leaves, and disconnects anyone connecting at that moment:
  // the window manager, for example, if wmctrl ran before it.
  const xvfb = sandbox.start("xvfb", "Xvfb", ["-displayfd", "1", "-screen", "0", `${size}x24`, "-nolisten", "tcp", "-noreset"]);
  const env = { ...desktop, DISPLAY: `:${await xvfb.line()}` };
  const args = { openbox: ["--sm-disable"], icewm: ["--no-configure"] };
  const running = sandbox.start(manager, manager, args[manager], { env: sandbox.env(env) });
  // A window that opens during its start may never be shown.
  await until("the window manager", () => {
    if (running.how) throw new Error(`${manager} ended: ${JSON.stringify(running.how)}`);
    try {
      return command("wmctrl", ["-m"], { env: sandbox.env(env) }).toLowerCase().includes(manager);
    } catch {
      return false;
    }
  }, { every: 100 });
  return env;
}

/** The secret with which the tests call Parley as its page does. */
export const pass = randomUUID();

/** Starts the window under WebKit's driver. Its environment is exactly env, because the driver passes on its own. */
export async function openWindow(sandbox, binary, args, env) {
  const { driver, url } = await startDriver(sandbox, sandbox.env({ ...env, PARLEY_E2E_AUTOMATION: "1", PARLEY_E2E_PASS: pass }));
  const started = Date.now();
  const capabilities = new Capabilities({ "webkitgtk:browserOptions": { binary, args } });
  const browser = WebDriver.createSession(new Executor(new HttpClient(url)), capabilities);
  await browser.getSession();
  return { browser, driver, started };
}

/**
 * Starts WebKit's driver. It can't let the system choose a port, so a port that was free may be taken by another
 * program, which would answer instead: the driver then exits, and another port is tried.
 */
async function startDriver(sandbox, env) {
  for (let left = 4; ; left--) {
    const port = await freePort();
    const driver = sandbox.start("webkitwebdriver", "WebKitWebDriver", [`--port=${port}`, "--host=127.0.0.1"], { env });
    const url = `http://127.0.0.1:${port}`;
    const listens = () => fetch(`${url}/status`).then((r) => r.ok, () => false);
    await until("the driver to listen", async () => driver.how || (await listens()));
    if (!driver.how) return { driver, url };
    if (left === 0) throw new Error(`WebKitWebDriver ended: ${JSON.stringify(driver.how)}`);
  }
}
