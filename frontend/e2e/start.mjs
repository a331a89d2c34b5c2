// How the real window starts: only its own document can call Parley, frames show only Parley's content, and the first
// paint looks like the page that replaces it.

import { createServer } from "node:http";
import { join } from "node:path";
import { Key } from "selenium-webdriver";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { openWindow, pass, startDisplay } from "./kit/display.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { Window } from "./kit/window.mjs";

const binary = join(root, "build/bin/parley-e2e");
const sandbox = new Sandbox("start");
let window;
const suite = new Suite({ onFailure: (name) => window?.screenshot(`failed-${name}`) });

/** The document's secret, which only the page itself has: its calls are intercepted. */
const watch = `
  const invoke = window.WailsInvoke;
  window.seen = [];
  window.WailsInvoke = (message) => {
    if (message.startsWith("C")) window.seen.push(JSON.parse(message.slice(1)).args?.[0]);
    return invoke(message);
  };`;

try {
  const display = await startDisplay(sandbox);
  const { browser, driver } = await openWindow(sandbox, binary, ["--data", sandbox.data, "--demo"], display);
  window = new Window(browser, sandbox);
  const foreign = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<p>foreign</p>"));
  await new Promise((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  sandbox.closes(() => new Promise((resolve) => foreign.close(resolve)));
  let asked = 0;
  foreign.on("request", () => asked++);

  /** The secret of a call made by the page itself. */
  async function secret() {
    await browser.executeScript(watch);
    await window.press("New session");
    const found = await until("a call of the page", () => browser.executeScript(`return window.seen.find((one) => one !== arguments[0]) ?? null;`, pass));
    await window.find('[role="dialog"]'); // the first call may come before it
    await browser.actions().sendKeys(Key.ESCAPE).perform();
    await window.gone('[role="dialog"]');
    return found;
  }
  const call = (secret, from = "window") =>
    browser.executeAsyncScript(
      `const [secret, from, done] = arguments;
       const at = from === "window" ? window : document.querySelector("iframe.test").contentWindow;
       window.go.desktop.Host.Call(secret, "app.info", "{}").then(() => done("carried out"), (error) => done(String(error.message)));`,
      secret, from,
    );

  let first;
  await suite.check("the secret of the calls is nowhere in the document", async () => {
    await window.find('[data-component="shell"]');
    first = await secret();
    truth(first.length >= 26, first);
    const traces = await browser.executeScript(
      `return document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href +
         Object.getOwnPropertyNames(window).map((name) => { try { return name === "seen" ? "" : JSON.stringify(window[name]) } catch { return "" } }).join("")`,
    );
    truth(!traces.includes(first), "the secret is left where any script reads it");
    for (const path of ["/", "/index.html", "/?x"]) {
      const text = await browser.executeAsyncScript(`const [path, done] = arguments; fetch(path).then((r) => r.text()).then(done, String)`, path);
      truth(text.includes("Parley") && !text.includes("pass"), `${path} gives it away`);
    }
  });

  await suite.check("calls without the secret are refused, and logged", async () => {
    equal(await call(first), "carried out", "the page's own call");
    for (const wrong of ["", "guess", `${first}x`]) truth((await call(wrong)).includes("forbidden"), `a call with ${wrong}`);
    await driver.says("Rejected a call that isn't from the page");
    truth(!driver.said.includes(first), "the log holds the secret");
  });

  await suite.check("a frame reaches the bridge and is refused", async () => {
    const before = driver.said.split("Rejected a call").length;
    // A frame with the page's own origin, so that it can run at all: the worst case.
    const outcome = await browser.executeAsyncScript(`
      const done = arguments[0];
      const frame = document.createElement("iframe");
      frame.className = "test";
      frame.src = "/workshop.html";
      frame.onload = () => {
        const there = frame.contentWindow;
        const post = there.webkit?.messageHandlers?.external;
        if (!post) return done("no bridge");
        const payload = (args) => "C" + JSON.stringify({ name: "desktop.Host.Call", args, callbackID: "desktop.Host.Call-1" });
        post.postMessage(payload(["settings.set", '{"theme":"dark"}']));
        post.postMessage(payload(["", "settings.set", '{"theme":"dark"}']));
        post.postMessage(payload(["guess", "settings.set", '{"theme":"dark"}']));
        done("posted");
      };
      document.body.append(frame);`);
    if (outcome === "posted") await until("the refusal", () => driver.said.split("Rejected a call").length > before);
    equal((await window.ask("settings.get")).theme, "system", "the theme");
    await browser.executeScript(`document.querySelector("iframe.test").remove()`);
  });

  await suite.check("no frame shows what is not Parley's", async () => {
    const { port } = foreign.address();
    const shown = await browser.executeAsyncScript(
      `const [urls, done] = arguments;
       const blocked = [];
       document.addEventListener("securitypolicyviolation", (event) => blocked.push(event.effectiveDirective));
       const frames = urls.map((url) => Object.assign(document.createElement("iframe"), { src: url }));
       document.body.append(...frames);
       setTimeout(() => {
         const read = frames.map((frame) => { try { return frame.contentDocument?.body?.textContent ?? "" } catch { return "another origin" } });
         frames.forEach((frame) => frame.remove());
         done({ read, blocked });
       }, 1500);`,
      [`http://127.0.0.1:${port}/`, "data:text/html,<p>foreign</p>", "wails://elsewhere/", "/", "/index.html"],
    );
    equal(asked, 0, "requests of the frames");
    truth(!JSON.stringify(shown.read).includes("foreign"), JSON.stringify(shown));
    truth(shown.blocked.filter((what) => what.startsWith("frame")).length >= 3, `blocked: ${shown.blocked}`);
    equal(await browser.executeScript("return document.querySelectorAll('iframe').length"), 0, "frames that are left");
  });

  await suite.check("what is painted first has the sidebar and the tabs where the page has them", async () => {
    truth(await browser.executeScript(`return document.getElementById("frame") === null`), "the first frame stays");
    /** Where the brand, the sidebar and the bar of tabs are, in the document as it came and on the page. */
    const places = async () => {
      await browser.navigate().refresh();
      await window.find('[data-component="shell"]');
      return browser.executeAsyncScript(`
        const done = arguments[0];
        const box = (element) => { const r = element?.getBoundingClientRect(); return r && r.width > 0 ? [r.left, r.top, r.right, r.bottom].map(Math.round) : null; };
        fetch("/").then((answer) => answer.text()).then((text) => {
          const page = [box(document.querySelector('[data-component="sidebar"]')), box(document.querySelector('[data-component="tab-bar"]'))];
          document.body.prepend(new DOMParser().parseFromString(text, "text/html").getElementById("frame"));
          const frame = document.getElementById("frame");
          const bar = frame.querySelector("main");
          const drawn = [box(frame.querySelector("aside")), getComputedStyle(bar).borderBottomWidth === "0px" ? null : box(bar)];
          const colour = getComputedStyle(frame.querySelector("aside")).backgroundColor === getComputedStyle(document.querySelector('[data-component="sidebar"]') ?? frame.querySelector("aside")).backgroundColor;
          frame.remove();
          done({ page, drawn, colour });
        });`);
    };
    const alike = async (what) => {
      const { page, drawn, colour } = await places();
      equal(JSON.stringify(drawn), JSON.stringify(page), what);
      truth(colour, `${what}: the colour of the sidebar`);
      return page;
    };
    const kept = (what) => until(`${what} to be kept`, async () => JSON.stringify(await window.ask("layout.get", { window: "main" })).includes(what));
    const [sidebar, tabs] = await alike("as it comes");
    truth(sidebar !== null && tabs === null, JSON.stringify({ sidebar, tabs }));
    const { id } = await window.ask("session.create", { cwd: sandbox.work, title: "Placed" });
    await window.open("Placed");
    await kept(id);
    await window.ask("settings.set", { theme: "dark" });
    truth((await alike("a session, dark"))[1] !== null, "there is no bar of tabs");
    await window.press("Hide sidebar");
    await kept('"collapsed":true');
    truth((await alike("without the sidebar"))[0] === null, "the sidebar is there");
    await window.press("Show sidebar");
    await kept('"collapsed":false');
    await window.ask("settings.set", { theme: "system" });
    await window.ask("session.delete", { sessionId: id });
  });

  await suite.check("a reload gets a new secret, and the one before is worth nothing", async () => {
    await browser.navigate().refresh();
    await window.find('[data-component="shell"]');
    const second = await secret();
    truth(second !== first, "the secret is the same");
    equal(await call(second), "carried out", "the page's own call");
    truth((await call(first)).includes("forbidden"), "the secret of the load before");
    first = second;
  });
} finally {
  await sandbox.close();
}
suite.end();
