// The page in another language, in Chromium with a headless Parley: chosen in the settings, checked everywhere, and
// changed back.

import { openPage, place, shot, startBrowser } from "./kit/browser.mjs";
import { equal, Suite, truth, until } from "./kit/checks.mjs";
import { modelEnv, startModel, text, tool } from "./kit/model.mjs";
import { Sandbox } from "./kit/sandbox.mjs";
import { startServer } from "./kit/server.mjs";

const model = await startModel({
  anlegen: [[tool("Bash", { command: "touch neu.txt", description: "Datei anlegen" })], [text("Die Datei liegt da.")]],
});
const sandbox = new Sandbox("language");
let page;
const suite = new Suite({ onFailure: (name) => page?.screenshot(shot(sandbox, `failed-${name}`)) });

const button = (name) => page.getByRole("button", { name });
const tab = (name) => page.getByRole("tab", { name, exact: true });
const lang = () => page.evaluate(() => document.documentElement.lang);
const close = () => until("the dialog to be closed", async () => {
  await page.keyboard.press("Escape");
  return (await page.locator('[role="dialog"], [data-component="page"]').count()) === 0;
}, { every: 200 });

/**
 * All visible or announced text, except for code, paths, names of models, languages by their own name, and reports of
 * the program and the CLI.
 */
const read = () => page.evaluate(() => {
  const foreign = 'code, pre, kbd, [data-slot="path"], [data-slot="folder"], [data-slot="lines"], [data-component="markdown"], [lang="en"]:not(html)';
  const said = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node instanceof Element ? node : node.parentElement;
    if (!element || element.closest(foreign) || element.closest("script, style") || !element.checkVisibility()) continue;
    if (node instanceof Text) said.push(node.data);
    else for (const name of ["aria-label", "title", "placeholder", "aria-description"]) said.push(node.getAttribute(name) ?? "");
  }
  return [...new Set(said.map((words) => words.trim()).filter((words) => words !== ""))];
});

const english = /\b(?:the|and|of|with|this|that|these|your|you|is|are|not|no|to|for|from|by|on|it|its|session|sessions|search|settings|close|open|copy|cancel|save|new|show|hide|nothing|choose|folder|allow|deny|ask|asks|working|ready|today|yesterday|send|running|file|files|message|model|thinking|used|cost|day|more|less|general|look|keys|all|any|every|when|what|where|back|default)\b/i;
/** The CLI's descriptions of its commands and models are not translated; nor are file names. */
const excused = /^(?:Parley|English|Claude Code|settings\.json|[\w./~-]+)$/;
const mostlyGerman = async (where, least) => {
  const said = await read();
  truth(said.length >= least, `${where}: only ${said.length} texts were read`);
  equal(said.filter((words) => english.test(words) && !excused.test(words)), [], where);
  await page.screenshot(shot(sandbox, where.replaceAll(" ", "-")));
};

let problems = [];
try {
  const browser = await startBrowser(sandbox);
  const server = await startServer(sandbox, { env: modelEnv(model) });
  ({ page, problems } = await openPage(browser));
  await page.goto(server.link);

  await suite.check("a language is chosen in the settings, and the page speaks it at once", async () => {
    await button("Choose a folder…").waitFor();
    await page.keyboard.press("Control+,");
    await place(page, "Settings").getByText("Deutsch").click();
    await place(page, "Einstellungen").waitFor();
    equal(await lang(), "de", "the page's language");
    await page.getByText(/bleibt auf Englisch/).waitFor();
  });

  await suite.check("every page of the settings", async () => {
    for (const name of ["Allgemein", "Aussehen", "Tastenkürzel", "Mitteilungen", "Neue Sitzungen", "Budgets", "Profile", "Dateien"]) {
      await tab(name).click();
      await mostlyGerman(`settings ${name}`, 15);
    }
    await close();
  });

  await suite.check("the start page, and choosing a folder", async () => {
    await mostlyGerman("start", 10);
    await button("Ordner wählen …").click();
    await page.getByRole("combobox", { name: "Filter oder Pfad" }).fill(`${sandbox.work}/fehlt/`);
    await page.getByText(/lässt sich nicht (?:öffnen|lesen)|gibt es nicht/).waitFor();
    await mostlyGerman("a folder that there is not", 8);
    await page.getByRole("combobox", { name: "Filter oder Pfad" }).fill(sandbox.work);
    await mostlyGerman("folder", 8);
    await button("project öffnen").click();
    await page.getByRole("textbox", { name: "Prompt" }).waitFor();
  });

  await suite.check("a question, and the conversation with its answer", async () => {
    await page.getByRole("textbox", { name: "Prompt" }).fill("Bitte anlegen");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Diesen Befehl ausführen?" }).waitFor();
    await mostlyGerman("question", 20);
    await page.getByText("Keine passende Regel.").waitFor();
    await button(/^Erlauben(?! und)/).click();
    await page.getByText("Die Datei liegt da.", { exact: true }).waitFor();
    await until("the end of the turn", async () => (await page.getByRole("img", { name: "Arbeitet" }).count()) === 0);
    await mostlyGerman("conversation", 20);
    await page.getByRole("button", { name: /Bitte anlegen/ }).first().click({ button: "right" });
    await page.getByRole("menuitem", { name: "Umbenennen" }).waitFor();
    await mostlyGerman("menu", 25);
    await page.keyboard.press("Escape");
  });

  await suite.check("the search, the processes and the palette", async () => {
    await page.keyboard.press("Control+Shift+f");
    await page.getByRole("combobox").fill("anlegen");
    await page.getByRole("option").first().waitFor();
    await mostlyGerman("search", 15);
    await close();
    await button("Menü").click();
    await page.getByRole("menuitem", { name: /^Prozesse/ }).click();
    await button(/^Bitte anlegen beenden$/).waitFor();
    await mostlyGerman("processes", 10);
    await close();
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "Neue Sitzung", exact: false }).first().waitFor();
    await mostlyGerman("palette", 20);
    await close();
  });

  await suite.check("dates and numbers are German ones", async () => {
    await page.keyboard.press("Alt+u");
    const dialog = place(page, "Verbrauch und Kosten");
    const day = new Intl.DateTimeFormat("de", { day: "numeric", month: "short", year: "numeric" }).format(Date.now());
    await dialog.getByText(day).first().waitFor();
    await dialog.getByText("240.000").first().waitFor();
    await mostlyGerman("usage", 20);
    await close();
  });

  await suite.check("it is kept, and English comes back", async () => {
    await page.reload();
    await page.goto(server.link);
    await until("German after a reload", async () => (await lang()) === "de");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("sprache english");
    await page.keyboard.press("Enter");
    await until("English", async () => (await lang()) === "en");
    await page.getByRole("navigation", { name: "Sessions" }).waitFor();
  });

  equal(problems, [], "errors of the page");
} finally {
  await model.close();
  await sandbox.close();
}
process.exit(suite.end());
