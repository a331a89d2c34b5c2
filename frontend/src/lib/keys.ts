import { text } from "../i18n";

export const isMac = /^Mac|^iP/.test(navigator.platform);

/** The main modifier of the system and no other. */
export function isMod(event: KeyboardEvent): boolean {
  return isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
}

/** Whether a key press belongs to an input method that is composing text. */
export function isComposing(event: KeyboardEvent): boolean {
  // WebKit ends the composition before the key that ended it; 229 is how it says so.
  return event.isComposing || event.keyCode === 229;
}

/** A shortcut as the system writes it, in the user's language; "Mod" is its main modifier. */
export function keyLabel(shortcut: string): string {
  const names: Record<string, string> = text().names.keys;
  if (!isMac) return shortcut.split("+").map((key) => names[key] ?? key).join("+");
  return shortcut.replace("Mod", "⌘").replace("Shift", "⇧").replace("Alt", "⌥").replaceAll("+", "");
}

/**
 * Gives Shift+Tab its name: WebKitGTK calls the key "Unidentified", because X11
 * has a symbol of its own for it. Everything that listens sees "Tab", also what
 * keeps the focus inside of a dialog. Returns what stops it.
 */
export function nameBackTab(target: EventTarget = window): () => void {
  const onKey = (event: Event) => {
    if (!(event instanceof KeyboardEvent) || event.code !== "Tab" || event.key === "Tab") return;
    Object.defineProperty(event, "key", { value: "Tab" });
  };
  const stop = new AbortController();
  // Before all others.
  for (const name of ["keydown", "keyup"]) target.addEventListener(name, onKey, { capture: true, signal: stop.signal });
  return () => stop.abort();
}

/**
 * Whether a dialog or menu is open: it has the keyboard to itself. This looks through
 * the whole page, so it is asked only about keys that would do something.
 */
export const isOverlaid = (): boolean => document.querySelector('[role="dialog"], [role="menu"], [role="alertdialog"]') !== null;

/** The dialog that lies over all others. */
export const topDialog = (): Element | undefined => [...document.querySelectorAll('[role="dialog"], [role="alertdialog"]')].at(-1);

/** Whether a dialog is open that has the focus to itself: what is drawn late leaves it there. One that fades away has given it up. */
export const isInDialog = (): boolean => document.querySelector(':is([role="dialog"], [role="alertdialog"])[data-expanded]') !== null;
