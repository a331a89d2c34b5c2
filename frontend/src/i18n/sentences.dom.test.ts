import { afterEach, expect, it, test } from "vitest";
import { setLanguage, translated, translatedAround } from ".";
import { sentences as german } from "./de/sentences";
import { sentences } from "./sentences.gen";
import { verb } from "./sentences";

afterEach(() => setLanguage("en"));

test("what the back end says has words in German", () => {
  const missing = sentences.filter((sentence) => !Object.hasOwn(german, sentence) && /\p{L}{3}/u.test(sentence.replaceAll(verb, "")));
  expect(missing, "Translate these in i18n/de/sentences").toEqual([]);
});

it.each(Object.entries(german))("puts in only what the back end gives: %j", (from, to) => {
  const verbs = from.match(verb)?.length ?? 0;
  expect([...to.matchAll(/%(\d)/g)].map(([, n]) => Number(n)).filter((n) => n < 1 || n > verbs)).toEqual([]);
  expect(to).not.toMatch(/%(?!\d)/);
});

it.each([
  ["a sentence", "Deletes files.", "Löscht Dateien."],
  ["a name, without the quotes of Go", 'There is no folder "/p".', "Den Ordner „/p“ gibt es nicht."],
  ["several facts", "The Claude Code CLI at /c is version 1; Parley needs 2 or newer. Update it with: npm i", "Die Claude-Code-CLI unter /c hat die Version 1, Parley braucht 2 oder neuer. Aktualisieren Sie sie: npm i"],
  ["a cause that is a sentence itself", "A queued prompt was not sent: Parley is closing.", "Ein wartender Prompt wurde nicht gesendet: Parley wird gerade beendet."],
  ["a cause without its full stop", "The settings in /s cannot be read. Check the file's permissions", "Die Einstellungen in /s lassen sich nicht lesen. Prüfen Sie die Rechte der Datei"],
  ["the most exact of those that fit", "The folder /p cannot be read.", "Der Ordner /p lässt sich nicht lesen."],
  ["a parameter, which is for programs", "The prompt is empty (parameter text).", "Der Prompt ist leer."],
  ["lines and signs in a fact", 'There is no folder "/p\\n%1 $& „x“".', "Den Ordner „/p\\n%1 $& „x““ gibt es nicht."],
  ["a word in place of a number", "The file is larger than many MB.", "The file is larger than many MB."],
  ["what nobody knows", "A new sentence.", "A new sentence."],
  ["nothing", "", ""],
  ["output of a program", `There is no folder "${"x".repeat(5000)}".`, `There is no folder "${"x".repeat(5000)}".`],
  ["an offered rule", "Exactly “go test ./...”, “ls”.", "Genau „go test ./...”, “ls“."],
  ["a folder of one", "Reading everything in ~/p.", "Alles in ~/p lesen."],
  ["what a tool of Parley asks", "Join the room #plans?", "Dem Raum #plans beitreten?"],
  ["several lines", "The model of “a” wants to type this into the terminal main:1 in /p:\n\nls -la\nexit", "Das Modell von „a“ möchte dies in das Terminal main:1 in /p eingeben:\n\nls -la\nexit"],
])("says %s in German, and in English as it came", async (_, from, to) => {
  expect(translated(from)).toBe(from);
  await setLanguage("de");
  expect(translated(from)).toBe(to);
});

it.each([
  ["what a model wants to type", "The model of “a” wants to type this into the terminal t in f:\n\nDeletes files.", "Das Modell von „a“ möchte dies in das Terminal t in f eingeben:\n\nDeletes files."],
  ["a rule", "Exactly “Fetching from x.”.", "Genau „Fetching from x.“."],
  ["a folder", "Reading everything in Deletes files.", "Alles in Deletes files lesen."],
])("keeps %s as it is", async (_, from, to) => {
  await setLanguage("de");
  expect(translatedAround(from)).toBe(to);
});

it("keeps what is quoted as it is, also in an error", async () => {
  await setLanguage("de");
  expect(translated("Exactly “Deletes files.”.")).toBe("Genau „Deletes files.“.");
});

it("ends soon, whatever it is given", async () => {
  await setLanguage("de");
  const nested = "A queued prompt was not sent: ".repeat(100);
  expect(translated(nested)).toContain("Ein wartender Prompt");
});

it("shows the language that was chosen last, however long the other one loads", async () => {
  await Promise.all([setLanguage("de"), setLanguage("en")]);
  expect(document.documentElement.lang).toBe("en");
  expect(translated("Deletes files.")).toBe("Deletes files.");
});
