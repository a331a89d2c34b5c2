import { text } from "../i18n";

export const isMac = /^Mac|^iP/.test(navigator.platform);

/** Whether the system's main modifier is held, and no other. */
export function isMod(event: KeyboardEvent): boolean {
  return isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
}

/** Whether a key press belongs to an input method that is composing text. */
export function isComposing(event: KeyboardEvent): boolean {
  // WebKit ends the composition before the key that ended it; it marks that key with 229.
  return event.isComposing || event.keyCode === 229;
}

/** A shortcut in the system's notation and the user's language; "Mod" is the main modifier. */
export function keyLabel(shortcut: string): string {
  const names: Record<string, string> = text().names.keys;
  if (!isMac) return shortcut.split("+").map((key) => names[key] ?? key).join("+");
  return shortcut.replace("Mod", "⌘").replace("Shift", "⇧").replace("Alt", "⌥").replaceAll("+", "");
}

/**
 * Fixes the name of Shift+Tab: WebKitGTK calls the key "Unidentified", because X11 has a separate symbol for it. All
 * listeners then see "Tab", including the focus traps of dialogs. Returns a function that stops it.
 */
export function nameBackTab(target: EventTarget = window): () => void {
  const onKey = (event: Event) => {
    if (!(event instanceof KeyboardEvent) || event.code !== "Tab" || event.key === "Tab") return;
    Object.defineProperty(event, "key", { value: "Tab" });
  };
  const stop = new AbortController();
  // Before all other listeners.
  for (const name of ["keydown", "keyup"]) target.addEventListener(name, onKey, { capture: true, signal: stop.signal });
  return () => stop.abort();
}

/**
 * Whether a dialog or menu is open, which takes all keys. This searches the whole page, so call it only for keys that
 * would have an effect.
 */
export const isOverlaid = (): boolean => document.querySelector('[role="dialog"], [role="menu"], [role="alertdialog"]') !== null;

/** The topmost dialog. */
export const topDialog = (): Element | undefined => [...document.querySelectorAll('[role="dialog"], [role="alertdialog"]')].at(-1);

/** Whether a dialog is open that traps the focus: content rendered later must leave it there. A dialog that fades out no
 * longer does. */
export const isInDialog = (): boolean => document.querySelector(':is([role="dialog"], [role="alertdialog"])[data-expanded]') !== null;
