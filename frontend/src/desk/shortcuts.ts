// The page's shortcuts. Every action has an id, and its keys are defined here. The listener, the palette, the list and
// the tooltips all use keysOf, so they can't disagree. Users may change the keys in the settings. Keys in the composer,
// a dialog or a request are handled there and stop there; partKeys lists them.

import { createSignal, onCleanup } from "solid-js";
import { text } from "../i18n";
import { chordsOf } from "../lib/chord";
import { setInPlace } from "../lib/chosen-keys";
import { isComposing, isOverlaid } from "../lib/keys";

/** The default keys, the first of which is shown; a different one where browsers reserve it. */
interface Usual {
  window: readonly string[];
  browser: readonly string[];
}

const both = (...keys: string[]): Usual => ({ window: keys, browser: keys });

/**
 * One line for each action, in display order. Only actions that choose one of several
 * values (a theme, a language) have no keys; they are in the palette.
 */
const usual = {
  switcher: both("Mod+K", "Mod+Shift+P"),
  newSession: { window: ["Mod+N", "Mod+Shift+O"], browser: ["Mod+Shift+O"] },
  newHere: { window: ["Mod+Shift+N", "Alt+N"], browser: ["Alt+N"] },
  search: both("Mod+Shift+F"),
  find: both("Mod+F"),
  export: both("Mod+Shift+E"),
  previousSession: both("Alt+Up"),
  nextSession: both("Alt+Down"),
  nextTab: { window: ["Ctrl+Tab", "Mod+Tab", "Alt+PageDown"], browser: ["Alt+PageDown", "Ctrl+Tab", "Mod+Tab"] },
  previousTab: { window: ["Ctrl+Shift+Tab", "Mod+Shift+Tab", "Alt+PageUp"], browser: ["Alt+PageUp", "Ctrl+Shift+Tab", "Mod+Shift+Tab"] },
  closeTab: { window: ["Mod+W", "Alt+W"], browser: ["Alt+W", "Mod+W"] },
  split: both("Mod+\\"),
  otherSide: both("F6", "Shift+F6"),
  toggleSidebar: both("Mod+B"),
  inspector: both("Mod+Shift+B"),
  interrupt: both("Esc"),
  write: both("Alt+I"),
  chooseModel: both("Alt+P"),
  attach: both("Alt+O"),
  fork: both("Alt+Shift+F"),
  duplicate: both("Alt+Shift+D"),
  pin: both("Alt+Shift+P"),
  archive: both("Alt+Shift+A"),
  suspend: both("Alt+Shift+S"),
  closeSession: both("Alt+Shift+W"),
  rename: both("Alt+Shift+R"),
  compact: both("Alt+Shift+K"),
  fresh: both("Alt+Shift+X"),
  copyPath: both("Alt+Shift+C"),
  copyResume: both("Alt+Shift+U"),
  delete: both("Alt+Shift+Delete"),
  processes: both("Alt+J"),
  usage: both("Alt+U"),
  permissions: both("Alt+R"),
  heartbeats: both("Alt+H"),
  memory: both("Alt+M"),
  rooms: both("Alt+C"),
  chat: both("Alt+T"),
  nextQuestion: both("Mod+Shift+Y"),
  waiting: both("Alt+Y"),
  byWorkspace: both("Alt+Shift+G"),
  byTime: both("Alt+Shift+H"),
  showArchive: both("Alt+A"),
  showTrash: both("Alt+X"),
  zoomIn: both("Mod+Plus"),
  zoomOut: both("Mod+Minus"),
  zoomReset: both("Mod+0"),
  menuBar: { window: ["Alt+Shift+M"], browser: [] },
  settings: both("Mod+,"),
  log: both("Alt+L"),
  copyDiagnostics: both("Alt+Shift+L"),
  shortcuts: both("Mod+/"),
  restart: both("Alt+Shift+Q"),
} satisfies Record<string, Usual>;

export type KeyedAction = keyof typeof usual;
export const keyedActions = Object.keys(usual) as KeyedAction[];

const isKeyed = (id: string): id is KeyedAction => Object.hasOwn(usual, id);

const [chosen, setChosen] = createSignal<Readonly<Record<string, string>>>({});

/** Sets the keys the user chose, by action id; "" means none. */
export function setChosenKeys(keys: Readonly<Record<string, string>>): void {
  setChosen(keys);
  // Esc also closes things, whichever key interrupts a turn.
  const changed = Object.entries(keys).flatMap(([id, own]) => (isKeyed(id) && id !== "interrupt" ? [...usual[id].window, ...usual[id].browser].map((was): [string, string] => [was, own]) : []));
  setInPlace(new Map(changed));
}

/** All keys of an action; the first is shown. */
export function keysOf(id: string, kind: string): readonly string[] {
  const own = chosen()[id];
  if (own !== undefined) return own === "" ? [] : [own];
  if (!isKeyed(id)) return [];
  // A key the user assigned to one action no longer triggers another.
  const taken = Object.values(chosen());
  return usual[id][kind === "window" ? "window" : "browser"].filter((keys) => !taken.includes(keys));
}

/** The key to show for an action, "" for none. */
export const shownKeys = (id: string, kind: string): string => keysOf(id, kind)[0] ?? "";

/** An action's default key, "" for none. */
export const usualKeys = (id: string, kind: string): string => (isKeyed(id) ? (usual[id][kind === "window" ? "window" : "browser"][0] ?? "") : "");

export const newSessionKeys = (kind: string): string => shownKeys("newSession", kind);

/** An action available from the palette, by its keys, or both. */
export interface Action {
  id: string;
  name: string;
  run: () => void;
  /** Whether the action is available. Defaults to always. */
  enabled?: () => boolean;
  /** Whether the palette lists it; otherwise it only has keys. Defaults to true. */
  listed?: boolean;
  /** The state of an action that toggles something. */
  checked?: () => boolean;
}

const [parts, setParts] = createSignal<readonly Action[]>([]);

/** The actions of the visible parts of the page. */
export const partActions = parts;

/** Registers an action until the owner is disposed of. */
export function provideAction(action: Action): void {
  setParts((all) => [...all, action]);
  onCleanup(() => setParts((all) => all.filter((other) => other !== action)));
}

export interface Shortcut {
  keys: string;
  about: string;
}

/** The fixed keys of parts of the page, one line each. */
export function partKeys(kind: string): Shortcut[] {
  const words = text().shell.keys;
  return [
    { keys: "Enter", about: words.send },
    { keys: "Alt+Enter", about: words.sendOther },
    { keys: "Up", about: words.up },
    { keys: "/", about: words.commands },
    { keys: "Shift+Enter", about: words.newLine },
    { keys: "Shift+Tab", about: words.nextMode },
    { keys: kind === "window" ? "Mod+1" : "Alt+1", about: words.tabs },
  ];
}

/** Everything with a shortcut. The actions are those of the page. */
export function shortcutList(kind: string, actions: readonly Action[] = []): Shortcut[] {
  const listed = actions.flatMap((action) => {
    const keys = shownKeys(action.id, kind);
    return keys === "" ? [] : [{ keys, about: action.name }];
  });
  return [...listed, ...partKeys(kind)];
}

/** Handles the actions' keys until the owner is disposed of. With first, before all other handlers. */
export function createShortcuts(kind: string, actions: () => readonly Action[], options: { first?: boolean } = {}): void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || isComposing(event)) return;
    const pressed = chordsOf(event);
    if (pressed.length === 0) return;
    // Fast path: most key presses are text.
    if (!event.ctrlKey && !event.metaKey && !event.altKey && event.key.length === 1) return;
    const all = actions();
    for (const chord of pressed) {
      const action = all.find(({ id, enabled }) => keysOf(id, kind).includes(chord) && enabled?.() !== false);
      if (!action || (chord === "Esc" && event.repeat)) continue;
      if (isOverlaid()) return;
      event.preventDefault();
      if (options.first) event.stopPropagation();
      action.run();
      return;
    }
  };
  const capture = options.first === true;
  document.addEventListener("keydown", onKeyDown, { capture });
  onCleanup(() => document.removeEventListener("keydown", onKeyDown, { capture }));
}
