import { afterEach, describe, expect, it } from "vitest";
import type { MenuEntry } from "../../host/menus";
import { languages, setLanguage } from "../../i18n";
import { type Action, keyedActions, setChosenKeys } from "../../desk/shortcuts";
import { barOf, layout } from "./bar";

const nothing = () => {};
const choices = ["theme.light", "theme.dark", "scheme.parley", "scheme.sand", "language.en", "language.de"];
/** The entries that are only available while a session is open. */
const ofSession = ["interrupt", "fork", "duplicate", "pin", "archive", "suspend", "closeSession", "delete", "write", "chooseModel", "attach", "find", "export", "inspector"];
const actions: Action[] = [...keyedActions, ...choices].map((id) => ({ id, name: `the ${id}`, run: nothing }));

afterEach(async () => {
  setChosenKeys({});
  await setLanguage("en");
});

const all = (menus: MenuEntry[]): MenuEntry[] => menus.flatMap((entry) => [entry, ...all(entry.entries ?? [])]);
const plain = (label = "") => label.replace(/_(?!_)/, "").replaceAll("__", "_");
const bar = (from: readonly Action[] = actions, idle = false) => barOf(from, "window", idle);
const entry = (id: string, menus = bar()) => all(menus).find((each) => each.id === id);
const change = (id: string, what: Partial<Action>) => actions.map((action) => (action.id === id ? { ...action, ...what } : action));

it("has every action once", () => {
  const ids = all(bar()).map(({ id }) => id).filter((id) => id !== "");
  expect(new Set(ids).size).toBe(ids.length);
  expect(actions.map(({ id }) => id).filter((id) => !ids.includes(id))).toEqual([]);
});

it("names no action that there is none of", () => {
  const known = new Set<string>([...keyedActions, "undo", "redo", "cut", "copy", "paste", "selectAll", "quit"]);
  const named = Object.values(layout).flatMap((parts) => parts.filter((part): part is Extract<typeof part, string> => typeof part === "string"));
  expect(named.filter((id) => !known.has(id))).toEqual([]);
});

it("has a place for an action that it does not know", () => {
  const go = bar([...actions, { id: "juggle", name: "Juggle", run: nothing }]).find(({ label }) => plain(label) === "Go");
  expect(go?.entries?.at(-1)).toMatchObject({ id: "juggle", enabled: true });
});

describe.each(languages.map(({ code }) => code))("in %s", (code) => {
  it.each<[string, readonly Action[]]>([["with all actions", actions], ["with no session", actions.filter(({ id }) => !ofSession.includes(id))]])("every entry has a name, and a letter of its own in its menu: %s", async (_what, from) => {
    await setLanguage(code);
    const menus = bar(from);
    expect(menus).toHaveLength(6);
    const check = (entries: MenuEntry[], where: string) => {
      const named = entries.filter((each) => each.id !== "" || each.entries);
      expect(named.filter(({ label }) => plain(label) === "").map(({ id }) => id), where).toEqual([]);
      const letters = named.map(({ label }) => /_([a-z])/i.exec(label ?? "")?.[1]?.toLowerCase());
      expect(letters.filter((letter) => letter === undefined), where).toEqual([]);
      expect(new Set(letters).size, where).toBe(letters.length);
      for (const each of entries) check(each.entries ?? [], `${where} > ${plain(each.label)}`);
    };
    check(menus, code);
  });

  it("leaves Alt and a letter to the actions that have it", async () => {
    await setLanguage(code);
    const letters = bar().map(({ label }) => /_([a-z])/i.exec(label ?? "")?.[1]?.toLowerCase() ?? "");
    const taken = all(bar()).flatMap(({ keys }) => /^Alt\+([A-Z])$/.exec(keys ?? "")?.[1]?.toLowerCase() ?? []);
    expect(taken.length).toBeGreaterThan(5);
    expect(letters.filter((letter) => taken.includes(letter))).toEqual([]);
  });
});

it("speaks the user's language, keys included", async () => {
  await setLanguage("de");
  expect(bar().map(({ label }) => plain(label))).toEqual(["Datei", "Bearbeiten", "Ansicht", "Sitzung", "Gehe zu", "Hilfe"]);
  expect(entry("newHere")?.shown).toBe("Strg+Umschalt+N");
});

it("shows the keys that the user chose, and keeps off their letters", () => {
  setChosenKeys({ fork: "Alt+F", pin: "" });
  expect(entry("fork")).toMatchObject({ keys: "Alt+F", shown: "Alt+F" });
  expect(entry("pin")).toMatchObject({ keys: "", shown: "" });
  expect(bar()[0]?.label).not.toBe("_File");
});

it("has what cannot be done now as what cannot be chosen", () => {
  expect(entry("interrupt", bar(change("interrupt", { enabled: () => false })))?.enabled).toBe(false);
  expect(entry("interrupt", bar(change("interrupt", { enabled: () => true })))?.enabled).toBe(true);
  // No session is open.
  expect(entry("fork", bar([]))?.enabled).toBe(false);
});

it("has nothing of the page to choose while a dialog has the page to itself", () => {
  const open = all(bar(actions, true)).filter(({ enabled }) => enabled).map(({ id }) => id);
  expect(open).toEqual(["quit", "undo", "redo", "cut", "copy", "paste", "selectAll"]);
});

it("ticks what is applied", () => {
  const menus = bar(change("theme.dark", { enabled: () => false }));
  expect(entry("theme.dark", menus)).toMatchObject({ kind: "radio", checked: true, enabled: true });
  expect(entry("theme.light", menus)).toMatchObject({ kind: "radio", checked: false, enabled: true });
  expect(entry("menuBar", bar(change("menuBar", { checked: () => true })))).toMatchObject({ kind: "check", checked: true });
});

it("calls a pinned session's entry by what it does", () => {
  expect(plain(entry("pin", bar(change("pin", { name: "Unpin session" })))?.label)).toBe("Unpin");
});
