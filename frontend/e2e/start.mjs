// How the real window begins: only its own document reaches Parley, no frame shows what is
// not Parley's, and what is painted first looks like the page that takes over.

import { createServer } from "node:http";
import { join } from "node:path";
import { Key } from "selenium-webdriver";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { command } from "./kit/command.mjs";
import { openWindow, pass, startDisplay } from "./kit/display.mjs";
import { root, Sandbox } from "./kit/sandbox.mjs";
import { Window } from "./kit/window.mjs";

const binary = join(root, "build/bin/parley-e2e");
const sandbox = new Sandbox("start");
let window;
const suite = new Suite({ onFailure: (name) => window?.screenshot(`failed-${name}`) });

/** The secret of the document, which nothing but the page itself ever has: its calls are watched on their way. */
const watch = `
  const invoke = window.WailsInvoke;
  window.seen = [];
  window.WailsInvoke = (message) => {
    if (message.startsWith("C")) window.seen.push(JSON.parse(message.slice(1)).args?.[0]);
    return invoke(message);
  };`;

try {
  const display = await startDisplay(sandbox);
  const { browser, driver } = await openWindow(sandbox, binary, ["--data", sandbox.data, "--rehearsal"], display);
  window = new Window(browser, sandbox);
  const foreign = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<p>foreign</p>"));
  await new Promise((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  sandbox.closes(() => new Promise((resolve) => foreign.close(resolve)));
  let asked = 0;
  foreign.on("request", () => asked++);

  /** The secret of a call that the page makes by itself. */
  async function secret() {
    await browser.executeScript(watch);
    await window.press("Processes");
    const found = await until("a call of the page", () => browser.executeScript(`return window.seen.find((one) => one !== arguments[0]) ?? null;`, pass));
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
    await driver.says("A call that is not the page's was refused");
    truth(!driver.said.includes(first), "the log holds the secret");
  });

  await suite.check("a frame reaches the bridge and is refused", async () => {
    const before = driver.said.split("was refused").length;
    // A frame of the page's own origin, so that it may run at all; the worst that there can be.
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
    if (outcome === "posted") await until("the refusal", () => driver.said.split("was refused").length > before);
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

  await suite.check("a reload gets a new secret, and the one before is worth nothing", async () => {
    await browser.navigate().refresh();
    await window.find('[data-component="shell"]');
    const second = await secret();
    truth(second !== first, "the secret is the same");
    equal(await call(second), "carried out", "the page's own call");
    truth((await call(first)).includes("forbidden"), "the secret of the load before");
    first = second;
  });

  await suite.check("so does the page after its process died", async () => {
    const parley = command("pgrep", ["-P", String(driver.pid), "-f", "parley-e2e"]).trim().split("\n")[0];
    const web = command("pgrep", ["-P", parley, "-f", "WebKitWebProcess"]).trim().split("\n")[0];
    const loads = driver.said.split("The page is loaded").length;
    process.kill(Number(web), "SIGKILL");
    await until("the page to be loaded again", () => driver.said.split("The page is loaded").length > loads);
    await until("the page", async () => (await browser.executeScript(`return document.querySelector('[data-component="shell"]') !== null`).catch(() => null)) || null);
    const third = await secret();
    truth(third !== first, "the secret is the same");
    equal(await call(third), "carried out", "the page's own call");
    truth((await call(first)).includes("forbidden"), "the secret of the load before");
  });
} finally {
  await sandbox.close();
}
suite.end();
