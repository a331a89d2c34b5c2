// Everything around the sessions in Chromium, with a headless Parley: the palette and the shortcuts, settings on the
// page and in their file, colors, languages, zoom, notifications, the log.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPage, place, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const model = await startModel({
  slowly: [[text("I am at it. "), { type: "hold" }, text("Done.")]],
  again: [[text("Once more. "), { type: "hold" }, text("Done again.")]],
});
const sandbox = new Sandbox("settings-and-shortcuts");
let page;
let server;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });

const button = (name) => page.getByRole("button", { name });
const tab = (name) => page.getByRole("tab", { name, exact: true });
const box = () => page.getByRole("textbox", { name: /^(Prompt|Eingabe)$/ });
const root = () => page.evaluate(() => ({ ...document.documentElement.dataset, lang: document.documentElement.lang, size: getComputedStyle(document.documentElement).fontSize }));
const token = (name) => page.evaluate((n) => getComputedStyle(document.documentElement).getPropertyValue(n).trim(), name);
const settingsFile = join(sandbox.data, "settings.json");
const kept = () => JSON.parse(readFileSync(settingsFile, "utf8"));
const palette = async (words) => {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill(words);
};
/** Changes settings from elsewhere, like another window. */
const change = (patch) => page.evaluate(
  ([token, params]) => new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://${location.host}/ws`, ["parley.v1", `token.${token}`]);
    socket.onopen = () => socket.send(JSON.stringify({ type: "req", id: "1", method: "settings.set", params }));
    socket.onmessage = ({ data }) => {
      const { ok, error } = JSON.parse(data);
      socket.close();
      if (ok) resolve();
      else reject(new Error(error.message));
    };
  }),
  [server.token, patch],
);
const settings = async (name) => {
  await page.keyboard.press("Control+,");
  await tab(name).click();
};
// Pressed repeatedly, as a user would, because a search field or tooltip in the dialog may take the first press.
const close = () => until("the dialog to be closed", async () => {
  await page.keyboard.press("Escape");
  return (await page.locator('[role="dialog"], [data-component="page"]').count()) === 0;
}, { every: 200 });

/** Replaces the browser's notifications, which no headless browser shows. */
const notifications = `
  window.notes = [];
  window.Notification = class {
    static permission = "default";
    static async requestPermission() { return (this.permission = "granted"); }
    constructor(title, { body, tag }) {
      Object.assign(this, { title, body, tag, closed: false });
      window.notes.push(this);
    }
    close() { this.closed = true; this.onclose?.(); }
  };
  window.away = false;
  const hasFocus = document.hasFocus.bind(document);
  document.hasFocus = () => !window.away && hasFocus();
`;
const notes = () => page.evaluate(() => window.notes.map(({ title, body, closed }) => ({ title, body, closed })));
const away = (gone) => page.evaluate((g) => {
  window.away = g;
  window.dispatchEvent(new Event(g ? "blur" : "focus"));
}, gone);

let problems = [];
try {
  const browser = await startBrowser(sandbox);
  server = await startServer(sandbox, { env: { ...modelEnv(model), ANTHROPIC_AUTH_TOKEN: "made-up-secret-token" } });
  ({ page, problems } = await openPage(browser));
  await page.addInitScript(notifications);
  await page.goto(server.link);
  await button("Choose a folder…").click();
  await page.getByRole("combobox").fill(sandbox.work);
  await button("Open project").click();
  await box().waitFor();

  await suite.check("the palette has every action with its keys, and runs them", async () => {
    await palette("");
    await page.getByRole("option", { name: /Toggle split view/ }).getByText("Ctrl+\\").waitFor();
    await page.screenshot(shot(sandbox, "palette"));
    await page.getByRole("combobox").fill("colors fjord");
    await page.keyboard.press("Enter");
    await until("the scheme", async () => (await root()).scheme === "fjord");
    await until("the file", () => kept().scheme === "fjord");
  });

  await suite.check("every scheme, light and dark", async () => {
    for (const scheme of ["parley", "contrast", "sand", "fjord", "grove", "rose"]) {
      for (const theme of ["light", "dark"]) {
        await change({ scheme, theme });
        await until(scheme, async () => (await root()).scheme === scheme && (await root()).theme === theme);
        await page.screenshot(shot(sandbox, `scheme-${scheme}-${theme}`));
      }
    }
    await change({ scheme: "parley", theme: "light" });
  });

  await suite.check("a shortcut is changed, told where it is taken, and listed", async () => {
    await settings("Shortcuts");
    await button("Change shortcut for Toggle sidebar").click();
    await page.keyboard.press("Control+k");
    await page.getByText("Ctrl+K is already used for: Command palette.").waitFor();
    await page.screenshot(shot(sandbox, "settings-conflict"));
    await button("Change shortcut for Toggle sidebar").click();
    await page.keyboard.press("Control+Shift+L");
    await until("the file", () => kept().shortcuts.toggleSidebar === "Mod+Shift+L");
    // The file is written before the page is notified.
    await button("Change shortcut for Toggle sidebar: Ctrl+Shift+L").waitFor();
    await close();
    // Not by role: elements behind a dialog have none.
    const sidebar = page.locator('[data-component="sidebar"]');
    await page.keyboard.press("Control+Shift+L");
    await sidebar.waitFor({ state: "detached" });
    await page.keyboard.press("Control+b");
    await page.keyboard.press("Control+/");
    await page.getByRole("dialog").getByText("Ctrl+Shift+L").waitFor();
    truth((await sidebar.count()) === 0, "the old keys still work");
    await close();
    await page.keyboard.press("Control+Shift+L");
    await sidebar.waitFor();
  });

  await suite.check("zoom, by keys and as a setting", async () => {
    await page.keyboard.press("Control++");
    await until("110 %", async () => (await root()).size === "17.6px");
    await change({ zoom: 200 });
    for (const [width, height] of [[720, 480], [2560, 1400]]) {
      await page.setViewportSize({ width, height });
      await until("200 %", async () => (await root()).size === "32px");
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      truth(over <= 0, `the page is ${over} px too wide at ${width}`);
      await page.screenshot(shot(sandbox, `zoom-${width}`));
    }
    await page.setViewportSize({ width: 720, height: 480 });
    await settings("Appearance");
    await page.screenshot(shot(sandbox, "zoom-settings"));
    await close();
    await page.keyboard.press("Control+0");
    await until("100 %", async () => (await root()).size === "16px");
    await page.screenshot(shot(sandbox, "small"));
    await page.setViewportSize({ width: 1180, height: 800 });
  });

  await suite.check("settings are found over all pages, and each can be set back", async () => {
    await page.keyboard.press("Control+,");
    for (const name of ["General", "Appearance", "Shortcuts", "Notifications", "New sessions", "Budgets", "Claude Code", "Profiles", "Files", "Log"]) {
      await tab(name).click();
      await page.screenshot(shot(sandbox, `settings-${name.toLowerCase().replace(" ", "-")}`));
    }
    await page.getByRole("searchbox", { name: "Search settings" }).fill("idle");
    await page.getByRole("spinbutton", { name: "Suspend idle sessions after" }).fill("45");
    await page.keyboard.press("Enter");
    await until("the file", () => kept().suspendMinutes === 45);
    await page.screenshot(shot(sandbox, "settings-search"));
    await button("Reset Suspend idle sessions after to default").click();
    await until("the default", () => kept().suspendMinutes === 30);
    await close();
  });

  await suite.check("the settings are changed by hand: what is right is taken, what is wrong is told, nothing is lost", async () => {
    const before = kept();
    writeFileSync(settingsFile, JSON.stringify({ ...before, scheme: "rose", mine: [1] }));
    await until("the scheme", async () => (await root()).scheme === "rose");
    writeFileSync(settingsFile, '{"scheme": "gro');
    await settings("Files");
    await page.getByRole("alert").getByText(/can’t be read/).waitFor();
    equal((await root()).scheme, "rose", "the scheme");
    writeFileSync(settingsFile, JSON.stringify({ scheme: "parley", theme: "light", mine: [1] }));
    await until("the scheme", async () => (await root()).scheme === "parley");
    await close();
    await change({ zoom: 100, density: "compact" });
    equal(kept().mine, [1], "what Parley does not know");
    // A change that allows more is held for the user, or disappears when it is reverted.
    await button("Review…").waitFor();
    const { mine: _, ...rest } = kept();
    writeFileSync(settingsFile, JSON.stringify({ ...rest, shortcuts: before.shortcuts }));
    await until("the notice to go", async () => (await button("Review…").count()) === 0);
    await change({ density: "comfortable" });
  });

  await suite.check("settings are taken along without secrets, and brought in", async () => {
    await settings("Files");
    const [saved] = await Promise.all([page.waitForEvent("download"), button("Save to file").click()]);
    const exported = JSON.parse(readFileSync(await saved.path(), "utf8"));
    equal(exported.scheme, "parley", "the scheme");
    truth(!JSON.stringify(exported).includes("made-up-secret-token"), "there is a secret in it");
    await page.getByRole("textbox", { name: "Or paste settings here" }).fill(JSON.stringify({ ...exported, accent: "teal", zoom: 9 }));
    await button("Import").click();
    await page.getByRole("alert").getByText(/"zoom" must be 50 to 300/).waitFor();
    await page.getByRole("textbox", { name: "Or paste settings here" }).fill(JSON.stringify({ ...exported, accent: "teal" }));
    await button("Import").click();
    await page.getByText("1 setting changed.").waitFor();
    equal((await root()).accent, "teal", "the accent");
    await change({ accent: "" });
    await close();
  });

  await suite.check("a style sheet of one's own: values only, reloaded, and what is left out is shown", async () => {
    const file = join(sandbox.data, "theme.css");
    const usual = await token("--text");
    const decide = async (name) => {
      await button(name).click();
      await page.getByRole("dialog", { name: "Changed by other programs" }).waitFor({ state: "hidden" });
    };
    const accept = async () => {
      await button("Review…").click();
      await decide("Accept");
    };
    // A command of the model could hide a question: a change waits for the user.
    writeFileSync(file, ":root { --text: transparent; --critical: transparent; --text-md: 0px }");
    await button("Review…").click();
    await page.getByText("A style sheet can hide what Parley asks you.").waitFor();
    await page.screenshot(shot(sandbox, "own-styles-held"));
    equal(await token("--text"), usual, "the color of text");
    await decide("Undo");
    truth(!existsSync(file), "the file is still there");
    writeFileSync(file, ":root { --accent: oklch(0.5 0.2 30); --radius-2: 0px }");
    await accept();
    await until("the accent", async () => (await token("--accent")) === "oklch(0.5 0.2 30)");
    writeFileSync(
      file,
      '@import "http://127.0.0.1:1/x.css"; :root { --accent: rgb(10 20 30); --bg: url(http://127.0.0.1:1/x); --nothing: 1px } body { display: none }',
    );
    await accept();
    await until("the other accent", async () => (await token("--accent")) === "rgb(10 20 30)");
    truth(!(await token("--bg")).includes("url"), "an address was taken");
    await settings("Appearance");
    const dialog = place(page, "Settings");
    await dialog.getByText("1 value used.").waitFor();
    for (const what of ["--nothing", "body", "--bg: url("]) await dialog.getByText(what).first().waitFor();
    await dialog.getByText("1 value used.").scrollIntoViewIfNeeded();
    await page.screenshot(shot(sandbox, "own-styles"));
    await close();
    writeFileSync(file, "");
    await until("the scheme's accent", async () => (await token("--accent")) !== "rgb(10 20 30)");
  });

  await suite.check("German, with its dates and numbers, and back", async () => {
    await palette("language deutsch");
    await page.keyboard.press("Enter");
    await until("the language", async () => (await root()).lang === "de");
    await page.keyboard.press("Control+,");
    await place(page, "Einstellungen").waitFor();
    await page.screenshot(shot(sandbox, "german"));
    await tab("Tastenkürzel").click();
    await page.screenshot(shot(sandbox, "german-keys"));
    await close();
    await palette("sprache english");
    await page.screenshot(shot(sandbox, "german-palette"));
    await page.keyboard.press("Enter");
    await until("the language", async () => (await root()).lang === "en");
  });

  await suite.check("who is not looking is told that a turn has ended; putting it away is no answer", async () => {
    await settings("Notifications");
    await button("Allow notifications").click();
    await button("Send test").click();
    await until("a note", async () => (await notes()).length === 1);
    await close();
    await change({ notifyAfterSeconds: 0 });
    await box().fill("slowly");
    await page.keyboard.press("Enter");
    await page.getByText("I am at it.").waitFor();
    await away(true);
    model.release();
    await until("the note", async () => (await notes()).at(-1)?.body === "Finished.");
    equal((await notes()).at(-1).title, "slowly", "its title");
    await away(false);
    await until("it to be withdrawn", async () => (await notes()).at(-1).closed);
  });

  await suite.check("a click on it goes to the session", async () => {
    await box().fill("again");
    await page.keyboard.press("Enter");
    await page.getByText("Once more.").waitFor();
    await page.keyboard.press("Alt+w");
    await away(true);
    model.release();
    await until("the note", async () => (await notes()).length === 3);
    await page.evaluate(() => window.notes.at(-1).onclick());
    await page.getByText("Done again.").waitFor();
    await away(false);
  });

  await suite.check("the log is followed and searched; the diagnostics hold no secret", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await palette("show log");
    await page.keyboard.press("Enter");
    await page.getByText("Couldn't parse the settings", { exact: false }).or(page.getByText("Couldn't parse the changed settings")).first().waitFor();
    await page.screenshot(shot(sandbox, "log"));
    await page.getByRole("searchbox", { name: "Search the log" }).fill("parse");
    await button("Copy diagnostics").click();
    await button("Copied").waitFor();
    const said = await page.evaluate(() => navigator.clipboard.readText());
    truth(/^Parley \d/.test(said) && said.includes("Claude Code: found true"), said);
    truth(!said.includes("made-up-secret-token") && !said.includes(sandbox.home), said);
    await close();
  });

  await suite.check("what Parley knows to be wrong is shown while it is so, and leads to where it is explained", async () => {
    const line = page.getByRole("button", { name: /^\d+ problems? / });
    equal(await line.count(), 0, "what is wrong at first");
    const whole = readFileSync(settingsFile, "utf8");
    await page.setViewportSize({ width: 720, height: 480 });
    try {
      writeFileSync(settingsFile, "{");
      await page.getByRole("status").filter({ has: line }).waitFor();
      truth((await line.innerText()).includes("can’t be read"), await line.innerText());
      await page.screenshot(shot(sandbox, "problem"));
      await line.click();
      await page.getByRole("dialog", { name: "Problems" }).getByText("can’t be read").waitFor();
      await page.screenshot(shot(sandbox, "problem-open"));
      await button("Open settings").click();
      await place(page, "Settings").getByRole("alert").getByText("can’t be read").waitFor();
      await close();
      // A page opened in the meantime is notified too.
      const other = await openPage(browser);
      await other.page.goto(server.link);
      await other.page.getByRole("button", { name: /^1 problem / }).waitFor();
      await other.page.close();
    } finally {
      writeFileSync(settingsFile, whole);
    }
    await until("the line to go", async () => (await line.count()) === 0);
  });

  await suite.check("the page made no errors", async () => equal(problems, [], "what went wrong"));

  await suite.check("ends and leaves nothing", async () => {
    equal(await server.running.stop(), { code: 0, signal: null }, "the end");
    await browser.close();
    await sandbox.leavesNothing();
  });
} finally {
  await model.close();
  await sandbox.close();
}
process.exit(suite.end());
