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

/** A shortcut as the system writes it; "Mod" is its main modifier. */
export function keyLabel(shortcut: string): string {
  if (!isMac) return shortcut.replace("Mod", "Ctrl");
  return shortcut.replace("Mod", "⌘").replace("Shift", "⇧").replace("Alt", "⌥").replaceAll("+", "");
}
