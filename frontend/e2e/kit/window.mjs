// User actions in the window, on top of WebDriver.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { By, error, Key } from "selenium-webdriver";
import { patience, until } from "./checks.mjs";
import { command } from "./command.mjs";
import { pass } from "./display.mjs";

export class Window {
  constructor(browser, sandbox) {
    this.browser = browser;
    this.sandbox = sandbox;
  }

  /** Waits for the first visible element that matches. */
  async find(locator, timeout = patience) {
    const by = typeof locator === "string" ? By.css(locator) : locator;
    return await until(`${by}`, async () => {
      for (const element of (await this.#all(by)) ?? []) {
        if (await element.isDisplayed().catch(() => false)) return element;
      }
      return null;
    }, { timeout });
  }

  async gone(locator) {
    const by = typeof locator === "string" ? By.css(locator) : locator;
    await until(`${by} to go`, async () => (await this.#all(by))?.length === 0);
  }

  /** Null if the page changed in the meantime. */
  async #all(by) {
    return await this.browser.findElements(by).catch((failure) => {
      if (failure instanceof error.StaleElementReferenceError) return null;
      throw failure;
    });
  }

  /** Clicks a button once it is enabled. name is the start of its text or label, or a locator. */
  async press(name, scope = "") {
    const by = typeof name === "string" ? button(name, scope) : name;
    await until(`the button ${name}`, async () => {
      const element = await this.find(by);
      try {
        if (!(await element.isEnabled()) || (await element.getAttribute("aria-disabled")) === "true") return false;
        await element.click();
        return true;
      } catch (failure) {
        // It was rendered again, or is out of view in a list.
        if (failure instanceof error.StaleElementReferenceError) return false;
        if (!(failure instanceof error.ElementNotInteractableError)) throw failure;
        await this.browser.executeScript("arguments[0].scrollIntoView({ block: 'center' })", element).catch(() => {});
        return false;
      }
    });
  }

  /** Opens a session from the list, clicking again if another row took its place under the pointer. */
  async open(title) {
    await until(`the session ${title}`, async () => {
      await this.press(title, "Sessions");
      return await this.find(By.xpath(`//h1[starts-with(normalize-space(.), ${JSON.stringify(title)})]`), 3000).then(() => true, () => false);
    });
  }

  /**
   * Clicks a button that closes the window, by pointer: the driver's own click waits for the page to render, which
   * never happens. xdo is of the display.
   */
  async pressLast(name, xdo) {
    const place = async () => JSON.stringify(await (await this.find(button(name))).getRect());
    let last = "";
    await until(`the button ${name} to lie still`, async () => last === (last = await place()), { every: 100 });
    const { x, y, width, height } = JSON.parse(last);
    xdo.run("mousemove", "--window", await xdo.window("Parley"), String(Math.round(x + width / 2)), String(Math.round(y + height / 2)), "click", "1");
  }

  async say(words) {
    const prompt = await this.find('textarea[aria-label="Prompt"]');
    await prompt.sendKeys(words, Key.ENTER);
  }

  /** Waits until the conversation contains these words. */
  async reads(words) {
    await until(`"${words}" in the conversation`, async () => {
      const log = (await this.#all(By.css('[role="log"]'))) ?? [];
      return log.length > 0 && (await log[0].getText().catch(() => "")).includes(words);
    });
  }

  async idle() {
    await this.gone('button[aria-label="Interrupt"], button[aria-label="Stopping"]');
  }

  /** Calls Parley itself, as the page does. */
  async ask(method, params = {}) {
    const answer = await this.browser.executeAsyncScript(
      `const [pass, method, params, done] = arguments;
       window.go.desktop.Host.Call(pass, method, params).then((ok) => done({ ok }), (error) => done({ error: String(error) }));`,
      pass, method, JSON.stringify(params),
    );
    if (answer.error) throw new Error(`${method}: ${answer.error}`);
    return JSON.parse(answer.ok);
  }

  async screenshot(name) {
    // The driver captures the next frame, and an idle page renders none: a dot that changes its color causes some.
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

/** The keyboard, the pointer and the window manager. */
export function xdotool(env) {
  const run = (...args) => command("xdotool", args, { env }).trim();
  /** The ids of the visible windows with this title. Tooltips and menus, which are not managed, don't count. */
  const visible = (title) => {
    try {
      const managed = command("wmctrl", ["-l"], { env }).split("\n").map((line) => Number(line.split(" ")[0]));
      return run("search", "--onlyvisible", "--name", title).split("\n").filter((id) => id && managed.includes(Number(id)));
    } catch {
      return []; // there is none
    }
  };
  return {
    run,
    visible,
    /** The id of a visible window with this title. */
    window: (title) => until(`a window named ${title}`, () => visible(title)[0]),
    /**
     * Asks to close the window with this title, as its button and a window list do. The window manager's own key is
     * sometimes lost: it grabs its keys again at the first key press on a display.
     */
    async close(title) {
      command("wmctrl", ["-i", "-c", await this.window(title)], { env });
    },
    /** Drags from one place of a window to another, in window pixels. */
    drag(id, from, to) {
      const at = ({ x, y }) => ["mousemove", "--sync", "--window", id, String(Math.round(x)), String(Math.round(y))];
      const between = (share) => ({ x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share });
      run(...at(from), "mousedown", "1");
      for (const share of [0.1, 0.4, 0.7, 1]) run(...at(between(share)));
      run("mouseup", "1");
    },
  };
}
