// What a person does in the window, on top of WebDriver.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { By, Key } from "selenium-webdriver";
import { until } from "./checks.mjs";

export class Window {
  constructor(browser, sandbox) {
    this.browser = browser;
    this.sandbox = sandbox;
  }

  /** Waits for the first visible element that matches. */
  async find(locator, timeout = 15_000) {
    const by = typeof locator === "string" ? By.css(locator) : locator;
    return await until(`${by}`, async () => {
      for (const element of await this.browser.findElements(by)) {
        if (await element.isDisplayed().catch(() => false)) return element;
      }
      return null;
    }, { timeout });
  }

  async gone(locator) {
    const by = typeof locator === "string" ? By.css(locator) : locator;
    await until(`${by} to go`, async () => (await this.browser.findElements(by)).length === 0);
  }

  /** Clicks a button when it may be clicked. name is the start of its text or label. */
  async press(name, scope = "") {
    const by = button(name, scope);
    await until(`the button ${name}`, async () => {
      const element = await this.find(by);
      if (!(await element.isEnabled()) || (await element.getAttribute("aria-disabled")) === "true") return false;
      await element.click();
      return true;
    });
  }

  async say(words) {
    const prompt = await this.find('textarea[aria-label="Prompt"]');
    await prompt.sendKeys(words, Key.ENTER);
  }

  /** Waits until the conversation holds these words. */
  async reads(words) {
    await until(`"${words}" in the conversation`, async () => {
      const log = await this.browser.findElements(By.css('[role="log"]'));
      return log.length > 0 && (await log[0].getText().catch(() => "")).includes(words);
    });
  }

  async idle() {
    await this.gone('button[aria-label="Interrupt"], button[aria-label="Stopping"]');
  }

  async screenshot(name) {
    // The driver takes the next frame, and a page at rest draws none: a point that
    // changes its colour makes some.
    await this.browser.executeScript(`
      const point = document.createElement("div");
      point.style.cssText = "position:fixed;left:0;bottom:0;width:1px;height:1px";
      document.body.append(point);
      let n = 0;
      const timer = setInterval(() => { point.style.background = n++ % 2 ? "black" : "white"; }, 20);
      window.stopDrawing = () => { clearInterval(timer); point.remove(); };`);
    const png = await this.browser.takeScreenshot();
    await this.browser.executeScript("window.stopDrawing()");
    const path = join(this.sandbox.artefacts, `${name}.png`);
    writeFileSync(path, png, "base64");
    return path;
  }
}

export const dock = '[aria-label="Question"]';

export function button(name, scope = "") {
  const within = scope ? `//*[@aria-label="${scope}"]` : "";
  return By.xpath(`${within}//button[starts-with(normalize-space(.), "${name}") or starts-with(@aria-label, "${name}")]`);
}

/** The keyboard and the window manager, for what is not in the page. */
export function xdotool(env) {
  const run = (...args) => execFileSync("xdotool", args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  return {
    run,
    /** The id of a visible window with this title. */
    window: (title) =>
      until(`a window named ${title}`, () => {
        try {
          return run("search", "--onlyvisible", "--name", title).split("\n")[0] || null;
        } catch {
          return null; // there is none yet
        }
      }),
  };
}
