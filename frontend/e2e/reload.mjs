// The page in Chromium, reloaded, opened at its own addresses, in other tabs, and after restarting Parley:
// authenticated pages stay authenticated, and nobody else gets the key.

import { createServer } from "node:http";
import { openPage, place, shot, startBrowser, unexpected } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const model = await startModel({
  slowly: [[text("The beginning comes at once, "), { type: "hold" }, text("and the end after the reload.")]],
  make: [[tool("Bash", { command: "touch made.txt", description: "Make a file" })], [text("The file is made.")]],
  greet: [[text("Hello from the scripted model.")]],
});

const sandbox = new Sandbox("reload");
let page;
let problems = [];
let server;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });
const prompt = (on = page) => on.getByRole("textbox", { name: "Prompt" });
const say = async (words) => {
  await prompt().fill(words);
  await page.keyboard.press("Enter");
};
const log = (on = page) => on.getByRole("log", { name: "Conversation" });
const dock = () => page.getByRole("region", { name: "Question" });
const meter = () => page.locator('[data-component="meter"]').getAttribute("aria-label");
const idle = () => page.getByRole("button", { name: "Interrupt", exact: true }).waitFor({ state: "detached" });
const path = (on = page) => on.evaluate(() => location.pathname + location.search + location.hash);
const goesTo = (want, on = page) => until(`the address ${want}`, async () => (await path(on)) === want);
const keyless = (on = page) => on.getByRole("heading", { name: "Open Parley with its link" });

/** Searches for the key wherever a page leaves traces. */
async function isClean(on = page) {
  const cdp = await on.context().newCDPSession(on);
  const { entries } = await cdp.send("Page.getNavigationHistory");
  await cdp.detach();
  const traces = await on.evaluate(() => ({
    address: location.href, title: document.title, referrer: document.referrer, cookies: document.cookie, state: history.state,
    kept: { ...localStorage }, page: document.documentElement.outerHTML,
    entries: performance.getEntries().map((entry) => entry.name),
  }));
  for (const [where, what] of Object.entries({ ...traces, history: entries.map(({ url, userTypedURL, title }) => [url, userTypedURL, title]) })) {
    truth(!JSON.stringify(what ?? null).includes(server.token), `the key stays in: ${where}`);
  }
}

try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));
  page.on("console", (message) => truth(!message.text().includes(server.token), "the key is in the console"));
  let first, second;

  await suite.check("the key leaves the address, and leaves no trace", async () => {
    await page.goto(server.link);
    await page.getByRole("heading", { name: "Where should Claude work?" }).waitFor();
    await goesTo("/");
    await isClean();
  });

  await suite.check("an open session has an address", async () => {
    await page.getByRole("button", { name: "Choose a folder…" }).click();
    await page.getByRole("combobox").fill(sandbox.work);
    await page.getByRole("option").or(page.getByText("No folders in here.")).first().waitFor();
    await page.getByRole("button", { name: "Open project" }).click();
    await prompt().waitFor();
    await until("its address", async () => /^\/session\/[\w-]+$/.test(await path()));
    first = await path();
  });

  await suite.check("a running turn continues through a reload, and claims no window before it is known", async () => {
    await say("slowly, please");
    await log().getByText("The beginning comes at once").waitFor();
    await until("the meter", async () => (await meter())?.includes("Context: 130k"));
    await page.screenshot(shot(sandbox, "meter-unknown"));
    const size = page.viewportSize();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 720, height: 480 });
    await page.locator('[data-component="meter"]').click();
    const panel = page.getByRole("dialog", { name: "Context window" });
    await panel.getByText(/^\d+k tokens$/).first().waitFor();
    truth(!(await panel.locator('[data-component="context-view"]').innerText()).includes("%"), "the panel claims a share");
    await page.screenshot(shot(sandbox, "meter-unknown-dark"));
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize(size);
    await page.reload();
    await log().getByText("The beginning comes at once").waitFor();
    equal(await path(), first, "the address");
    truth(!(await meter()).includes("%"), `the meter claims ${await meter()}`);
    model.release();
    await log().getByText("and the end after the reload.").waitFor();
    await until("the window", async () => (await meter())?.includes("130k / 1M, 13%"));
    await idle();
    await isClean();
  });

  await suite.check("a draft and an open question are there after a reload", async () => {
    await say("make a file");
    await dock().waitFor();
    await prompt().fill("not sent yet");
    await page.reload();
    await dock().getByRole("group", { name: "Command" }).getByText("touch made.txt").waitFor();
    await until("the draft", async () => (await prompt().inputValue()) === "not sent yet");
    await prompt().fill("");
    await dock().getByRole("button", { name: /^Allow(?! and)/ }).click();
    await log().getByText("The file is made.").waitFor();
    await idle();
  });

  await suite.check("back and forward go through the sessions", async () => {
    await page.getByRole("navigation", { name: "Sessions" }).getByRole("button", { name: /^New session in / }).first().click();
    await until("another address", async () => (await path()) !== first && (await path()).startsWith("/session/"));
    second = await path();
    await say("greet me");
    await log().getByText("Hello from the scripted model.").waitFor();
    await idle();
    await page.goBack();
    await log().getByText("The file is made.").waitFor();
    equal(await path(), first, "the address");
    await page.goForward();
    await log().getByText("Hello from the scripted model.").waitFor();
    equal(await path(), second, "the address");
    await page.goBack();
    await log().getByText("The file is made.").waitFor();
    await page.reload();
    await log().getByText("The file is made.").waitFor();
    equal(await path(), first, "the address");
    await isClean();
  });

  await suite.check("another tab and a bookmark get in, and another browser does not", async () => {
    for (const [address, words] of [[first, "The file is made."], [second, "Hello from the scripted model."]]) {
      const other = await page.context().newPage();
      await other.goto(server.url + address.slice(1));
      await log(other).getByText(words).waitFor();
      await isClean(other);
      await other.close();
    }
    const stranger = await openPage(browser);
    for (const address of ["", first.slice(1)]) {
      await stranger.page.goto(server.url + address);
      await keyless(stranger.page).waitFor();
      await stranger.page.getByText("parley serve").waitFor();
    }
    await stranger.page.context().close();
  });

  await suite.check("the cookie is for no script, no other site and no other port", async () => {
    const [cookie, ...more] = await page.context().cookies();
    equal(more.length, 0, "more cookies");
    equal([cookie.name, cookie.httpOnly, cookie.sameSite, cookie.expires], [`parley-${new URL(server.url).port}`, true, "Strict", -1], "the cookie");
    // Another server on this host receives it from the browser, and can't use it.
    const got = [];
    const thief = createServer((request, response) => {
      got.push(request.headers.cookie ?? "");
      response.setHeader("Content-Type", "text/html").end(`<a href="${server.url}${first.slice(1)}">in the ticket</a>`);
    });
    await new Promise((resolve) => thief.listen(0, "127.0.0.1", resolve));
    const other = await page.context().newPage();
    await other.goto(`http://127.0.0.1:${thief.address().port}/`);
    truth(got[0].includes(cookie.value), "the browser keeps the cookie to itself: this check shows nothing");
    const stolen = await fetch(`${server.url}ws`, { headers: { Cookie: got[0] } });
    equal(stolen.status, 401, "with the stolen cookie");
    const opened = await other.evaluate(
      (url) =>
        new Promise((resolve) => {
          const socket = new WebSocket(url, ["parley.v1"]);
          socket.onopen = () => resolve("open");
          socket.onerror = () => resolve("refused");
        }),
      `${server.url.replace("http", "ws")}ws`,
    );
    equal(opened, "refused", "a page of another port");
    // A link from there is only a link.
    await other.getByText("in the ticket").click();
    await log(other).getByText("The file is made.").waitFor();
    await other.close();
    await new Promise((resolve) => thief.close(resolve));
  });

  await suite.check("places have addresses, in every tab", async () => {
    const other = await page.context().newPage();
    for (const [address, title] of [["heartbeats", "Heartbeats"], ["memory", "Memory"], ["rooms", "Rooms"], ["permissions", "Permissions"], ["usage", "Usage"], ["processes", "Processes"], ["settings", "Settings"]]) {
      await other.goto(server.url + address);
      await other.getByRole("tab", { name: title, selected: true }).first().waitFor();
      await goesTo(`/${address}`, other);
    }
    await other.reload();
    await other.getByRole("tab", { name: "Settings", selected: true }).first().waitFor();
    await other.goBack();
    await other.getByRole("tab", { name: "Processes", selected: true }).first().waitFor();
    await other.close();
    await page.goto(server.url + first.slice(1));
    await log().getByText("The file is made.").waitFor();
  });

  await suite.check("who leaves while a session is drawn finds it as always: nothing crashed", async () => {
    const leave = {
      elsewhere: async (tab) => {
        await tab.goto(`${server.url}settings`);
        await tab.getByRole("tab", { name: "Settings", selected: true }).first().waitFor();
        await tab.close();
      },
      "and comes back": async (tab) => {
        await tab.reload();
        await log(tab).getByText("Hello from the scripted model.").waitFor();
        await tab.close();
      },
      "by closing the tab": (tab) => tab.close(),
    };
    for (const how of Object.values(leave)) {
      const tab = await page.context().newPage();
      // It never becomes idle there, so the page is not known to have survived it.
      await tab.addInitScript(() => (window.requestIdleCallback = () => 0));
      await tab.goto(server.url + second.slice(1));
      await log(tab).getByText("Hello from the scripted model.").waitFor();
      await how(tab);
      await page.goto(server.url + second.slice(1));
      await log().getByText("Hello from the scripted model.").waitFor();
    }
    await page.goto(server.url + first.slice(1));
    await log().getByText("The file is made.").waitFor();
  });

  await suite.check("the address of a session opens it with the key, and is clean then", async () => {
    const other = await page.context().newPage();
    await other.goto(`${server.url}${second.slice(1)}#token=${server.token}`);
    await other.getByRole("log", { name: "Conversation" }).getByText("Hello from the scripted model.").waitFor();
    await goesTo(second, other);
    await isClean(other);
    await other.reload();
    await other.getByRole("log", { name: "Conversation" }).getByText("Hello from the scripted model.").waitFor();
    await other.close();
  });

  await suite.check("an address that names nothing says so in its place", async () => {
    for (const address of ["session/nobody", "session/a.b", "session/%3Cb%3E"]) {
      await page.goto(server.url + address);
      await page.getByText("This session doesn’t exist.").waitFor();
      equal(await path(), `/${address}`, "the address");
    }
    await page.screenshot(shot(sandbox, "unknown-session"));
    await page.goto(`${server.url}workspace/nobody`);
    await page.getByText("No workspace at this address.").waitFor();
    for (const address of ["/evil/", "session/%2e%2e", "session/../nothing", "session/"]) {
      await page.goto(server.url + address);
      await page.getByRole("navigation", { name: "Sessions" }).waitFor();
      equal(await page.evaluate(() => location.origin), server.url.slice(0, -1), "the origin");
    }
    const evil = await page.context().newPage();
    await evil.goto(`${server.url}/evil/#token=${server.token}`);
    await evil.getByRole("navigation", { name: "Sessions" }).waitFor();
    await isClean(evil);
    await evil.close();
  });

  await suite.check("a wrong key gets nobody in, and locks nobody out", async () => {
    const stranger = await openPage(browser);
    await stranger.page.goto(`${server.url}#token=${"x".repeat(43)}`);
    await keyless(stranger.page).waitFor();
    equal(await stranger.page.evaluate(() => sessionStorage.length + localStorage.length), 0, "what is kept");
    await stranger.page.context().close();
    await page.goto("about:blank");
    await page.goto(`${server.url}${first.slice(1)}#token=${"x".repeat(43)}`);
    await log().getByText("The file is made.").waitFor();
    await page.reload();
    await log().getByText("The file is made.").waitFor();
  });

  let phone;
  /** Opens the devices page, and pairs a separate browser of a phone's size. */
  const pairs = async (name, role) => {
    await page.keyboard.press("Control+,");
    const settings = place(page, "Settings");
    await settings.getByRole("tab", { name: "Devices", exact: true }).click();
    await settings.getByLabel("Name", { exact: true }).fill(name);
    await settings.getByRole("radiogroup").getByText(role, { exact: true }).click();
    await settings.getByRole("button", { name: "Pair a device" }).click();
    await settings.getByRole("img", { name: "Pairing code" }).waitFor();
    await page.screenshot(shot(sandbox, "pairing"));
    const link = await settings.getByText("#token=pair.").textContent();
    const other = (await openPage(browser, { viewport: { width: 360, height: 640 } })).page;
    await other.goto(link.trim().replace(/#/, `${first.slice(1)}#`));
    await log(other).getByText("The file is made.").first().waitFor();
    await settings.getByText(`${name} is paired.`).waitFor();
    return { other, link };
  };

  await suite.check("a phone is paired with a link that is good once, and answers a question", async () => {
    const { other, link } = await pairs("My phone", "View and answer requests");
    phone = other;
    const thief = (await openPage(browser)).page;
    await thief.goto(link.trim());
    await keyless(thief).waitFor();
    await thief.context().close();
    await page.keyboard.press("Escape");
    await say("make it again");
    const question = phone.getByRole("region", { name: "Question" });
    await question.getByRole("button", { name: /^Allow/ }).first().waitFor();
    await phone.screenshot(shot(sandbox, "phone"));
    await question.getByRole("button", { name: /^Allow/ }).first().click();
    await page.getByText("My phone answered: allowed.").waitFor();
    await until("the second answer", async () => (await log().getByText("The file is made.").count()) === 2);
    await idle();
    await prompt(phone).fill("greet me");
    await phone.keyboard.press("Enter");
    await phone.getByText("This device is not allowed to do that.").first().waitFor();
    await phone.screenshot(shot(sandbox, "phone-refused"));
  });

  await suite.check("a device that is removed is out at once", async () => {
    const { other } = await pairs("Old tablet", "View only");
    const settings = place(page, "Settings");
    await settings.getByRole("button", { name: "Remove Old tablet" }).click();
    await settings.getByRole("button", { name: "Remove", exact: true }).click();
    await keyless(other).waitFor();
    await other.reload();
    await keyless(other).waitFor();
    await other.context().close();
    await page.keyboard.press("Escape");
  });

  await suite.check("a Parley that was started anew is shown plainly, and its link works in the same tab", async () => {
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
    const old = server.token;
    server = await startServer(sandbox, { name: "again", args: ["--listen", new URL(server.url).host], env: modelEnv(model) });
    truth(server.token !== old, "the key is the same");
    await keyless().waitFor();
    await page.screenshot(shot(sandbox, "keyless"));
    await page.emulateMedia({ colorScheme: "dark" });
    await page.screenshot(shot(sandbox, "keyless-dark"));
    await page.reload();
    await keyless().waitFor();
    equal(await page.evaluate(() => sessionStorage.length), 0, "what is kept");
    await page.evaluate((hash) => (location.hash = hash), `token=${server.token}`);
    await log().getByText("The file is made.").first().waitFor();
    await goesTo(first);
    await isClean();
    await phone.reload();
    await log(phone).getByText("The file is made.").first().waitFor();
    await phone.context().close();
  });

  await suite.check("the page made no errors of its own", async () => {
    equal(unexpected(problems).filter((problem) => !/401|favicon/.test(problem)), [], "what went wrong");
  });

  await suite.check("ends and leaves nothing", async () => {
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
    await browser.close();
    await sandbox.leavesNothing();
  });
} finally {
  await model.close();
  await sandbox.close();
}
suite.end();
