// Chromium, without access to anything but this machine.

import { join } from "node:path";
import { chromium } from "playwright-core";
import { patience } from "./checks.mjs";

const path = process.env.PARLEY_TEST_CHROMIUM ?? "/usr/bin/chromium";

export async function startBrowser(sandbox, { env = {}, args = [] } = {}) {
  const browser = await chromium.launch({
    executablePath: path,
    env: sandbox.env(env),
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
      "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
      ...args,
    ],
  });
  sandbox.closes(() => browser.close());
  return browser;
}

/** A new page that records errors and blocked content. */
export async function openPage(browser, { colorScheme = "light", viewport = { width: 1180, height: 800 } } = {}) {
  const context = await browser.newContext({ colorScheme, viewport, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const problems = [];
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && problems.push(`console: ${message.text()}`));
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol.startsWith("http") && hostname !== "127.0.0.1") problems.push(`request to ${request.url()}`);
  });
  return { page, problems };
}

/** Ignores a page's messages while its program restarts. */
export const unexpected = (problems) => problems.filter((problem) => !/WebSocket connection|ERR_CONNECTION_REFUSED/.test(problem));

export const shot = (sandbox, name) => ({ path: join(sandbox.artefacts, `${name}.png`) });

/** A place in its tab, by its title. */
export const place = (page, title) => page.locator('[data-component="page"]', { has: page.getByRole("heading", { level: 2, name: title, exact: true }) });
