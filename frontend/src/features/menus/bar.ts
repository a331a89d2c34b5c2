// The window's menu bar: the page's actions, grouped as in desktop menus, and the window's own editing commands.

import { languages, text } from "../../i18n";
import { keyLabel } from "../../lib/keys";
import type { MenuEntry } from "../../host/menus";
import { type Action, keyedActions, keysOf, shownKeys } from "../../desk/shortcuts";
import { withMnemonics } from "./mnemonics";

const line = null;
/** The actions whose ids start with the name and a dot, exactly one of which is checked. */
const oneOf = (name: "theme" | "scheme" | "language") => ({ oneOf: name });
type Part = string | typeof line | ReturnType<typeof oneOf>;

/** Every listed action is in one of the groups; one not named here is at the end of "go". */
export const layout = {
  file: ["newSession", "newHere", line, "attach", "export", line, "closeTab", "quit"],
  edit: ["undo", "redo", line, "cut", "copy", "paste", "selectAll", line, "find", "search", line, "write", line, "settings"],
  view: ["toggleSidebar", "inspector", "menuBar", line, "split", "otherSide", line, "byWorkspace", "byTime", "showArchive", "showTrash", line, "zoomIn", "zoomOut", "zoomReset", line, oneOf("theme"), oneOf("scheme"), oneOf("language")],
  session: ["interrupt", "chooseModel", "compact", line, "rename", "fork", "duplicate", "pin", "archive", line, "copyPath", "copyResume", line, "fresh", "suspend", "closeSession", "delete"],
  go: ["switcher", line, "previousSession", "nextSession", "previousTab", "nextTab", line, "nextQuestion", "waiting", line, "heartbeats", "memory", "rooms", "chat", "permissions", "processes", "usage"],
  help: ["shortcuts", line, "log", "copyDiagnostics"],
} as const satisfies Record<string, readonly Part[]>;

type MenuName = keyof typeof layout;
const menuNames = Object.keys(layout) as MenuName[];

/** The window runs these and knows whether they are available. */
const editingKeys: Readonly<Record<string, string>> = { undo: "Mod+Z", redo: "Mod+Shift+Z", cut: "Mod+X", copy: "Mod+C", paste: "Mod+V", selectAll: "Mod+A" };

/** Two entries that form a radio group among others. */
const orders: readonly string[] = ["byWorkspace", "byTime"];

const groupOf = (id: string) => id.split(".")[0] ?? "";
const isOneOf = (part: Part): part is ReturnType<typeof oneOf> => typeof part === "object" && part !== line;

/** The short labels of the entries; an action without one uses its own name. */
function nameOf(id: string, action: Action | undefined): string {
  const short: Readonly<Record<string, string>> = text().menus.names;
  if (id === "pin" && action?.name === text().shell.actions.unpin) return text().menus.unpin;
  return short[id] ?? action?.name ?? "";
}

function choiceName(id: string): string {
  const [group, choice = ""] = id.split(".");
  const { themes, schemes } = text().settings;
  if (group === "language") return languages.find(({ code }) => code === choice)?.name ?? choice;
  const names: Readonly<Record<string, string>> = group === "theme" ? themes : schemes;
  return names[choice] ?? choice;
}

/** The letters used by the page with Alt, even if not now: the menu bar must not take them. */
function lettersOf(kind: string): Set<string> {
  const chords = keyedActions.flatMap((id) => keysOf(id, kind));
  return new Set(chords.flatMap((chord) => /^Alt\+([A-Z])$/.exec(chord)?.[1]?.toLowerCase() ?? []));
}

/** The current choice of a group is the one that can't be chosen. */
const choice = (action: Action | undefined, idle: boolean): Partial<MenuEntry> => ({ enabled: !idle && action !== undefined, kind: "radio", checked: action?.enabled?.() === false });

/** The menus for the current actions. With idle, all are disabled, because a dialog has the page to itself. */
export function barOf(actions: readonly Action[], kind: string, idle: boolean): MenuEntry[] {
  const known = new Map(actions.filter(({ listed, id }) => listed !== false || id === "switcher").map((action) => [action.id, action]));
  const named = new Set<string>(Object.values(layout).flatMap((parts: readonly Part[]) => parts.flatMap((part) => (typeof part === "string" ? part : []))));
  const groups = new Set(["theme", "scheme", "language"]);
  const rest = [...known.keys()].filter((id) => !named.has(id) && !groups.has(groupOf(id)));

  const can = (action: Action | undefined) => !idle && action !== undefined && action.enabled?.() !== false;
  const entryOf = (id: string): MenuEntry => {
    const keys = editingKeys[id] ?? shownKeys(id, kind);
    const action = known.get(id);
    const named = { id, label: nameOf(id, action), keys, shown: keys === "" ? "" : keyLabel(keys) };
    if (orders.includes(id)) return { ...named, ...choice(action, idle) };
    const enabled = id in editingKeys || id === "quit" || can(action);
    return { ...named, enabled, ...(action?.checked ? { kind: "check", checked: action.checked() } : {}) };
  };
  const choicesOf = (group: "theme" | "scheme" | "language"): MenuEntry => {
    const entries = [...known.values()].filter(({ id }) => groupOf(id) === group);
    return {
      id: "",
      label: text().menus[group],
      entries: marked(entries.map((action) => ({ id: action.id, label: choiceName(action.id), ...choice(action, idle) }))),
    };
  };
  const menus = menuNames.map((name): MenuEntry => {
    const parts: readonly Part[] = name === "go" && rest.length > 0 ? [...layout.go, line, ...rest] : layout[name];
    const entries = parts.flatMap((part): MenuEntry[] => {
      if (part === line) return [{ id: "" }];
      if (isOneOf(part)) return [choicesOf(part.oneOf)];
      // This surface does not have it at all.
      return part === "menuBar" && !known.has(part) ? [] : [entryOf(part)];
    });
    return { id: "", label: text().menus[name], entries: marked(entries) };
  });
  return marked(menus, lettersOf(kind));
}

function marked(entries: MenuEntry[], taken?: ReadonlySet<string>): MenuEntry[] {
  const named = entries.filter((entry) => entry.label !== undefined);
  const labels = withMnemonics(named.map((entry) => entry.label ?? ""), taken);
  return entries.map((entry) => {
    const at = named.indexOf(entry);
    return at < 0 ? entry : { ...entry, label: labels[at] ?? "" };
  });
}

