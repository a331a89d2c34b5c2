// Chromium, closed off from everything but this machine.

import { join } from "node:path";
import { chromium } from "playwright-core";

const path = process.env.PARLEY_TEST_CHROMIUM ?? "/usr/bin/chromium";

export async function startBrowser(sandbox) {
  return await chromium.launch({
    executablePath: path,
    env: sandbox.env(),
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
      "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    ],
  });
}

/** A fresh page that reports what it should not have: errors and blocked content. */
export async function openPage(browser, { colorScheme = "light", viewport = { width: 1180, height: 800 } } = {}) {
  const context = await browser.newContext({ colorScheme, viewport, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const problems = [];
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && problems.push(`console: ${message.text()}`));
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol.startsWith("http") && hostname !== "127.0.0.1") problems.push(`request to ${request.url()}`);
  });
  return { page, problems };
}

export const shot = (sandbox, name) => ({ path: join(sandbox.artefacts, `${name}.png`) });
