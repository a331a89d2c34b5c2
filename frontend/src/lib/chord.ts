// Shortcuts as text: "Mod+Shift+K". Mod is the system's main modifier: Ctrl, except on a Mac, where Ctrl is a separate
// key.

import { isMac } from "./keys";

const order = ["Mod", "Ctrl", "Alt", "Shift"] as const;

const names: Record<string, string> = {
  escape: "Esc",
  arrowup: "Up",
  arrowdown: "Down",
  arrowleft: "Left",
  arrowright: "Right",
  " ": "Space",
  "+": "Plus",
  "=": "Plus",
  "-": "Minus",
  delete: "Delete",
  backspace: "Backspace",
  pageup: "PageUp",
  pagedown: "PageDown",
};

const modifiers = new Set(["control", "shift", "alt", "meta", "altgraph", "capslock", "dead", "process", "unidentified", "os"]);

function nameOf(key: string): string {
  const lower = key.toLowerCase();
  return names[lower] ?? (key.length === 1 ? key.toUpperCase() : key.charAt(0).toUpperCase() + key.slice(1));
}

const isWord = (name: string) => name.length > 1 || /[A-Z0-9]/.test(name);

/** The key by its position, for layouts on which its character needs other keys. */
function byPlace(code: string): string | null {
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(code)?.[1];
  if (letter ?? digit) return letter ?? digit ?? null;
  return { Backslash: "\\", NumpadAdd: "Plus", NumpadSubtract: "Minus" }[code] ?? null;
}

/**
 * The possible notations of a key press, the one by character first. Empty for a modifier alone. A symbol is written
 * without Shift, because whether it needs Shift depends on the layout.
 */
export function chordsOf(event: KeyboardEvent): string[] {
  if (modifiers.has(event.key.toLowerCase())) return [];
  const held = {
    Mod: isMac ? event.metaKey : event.ctrlKey,
    Ctrl: isMac && event.ctrlKey,
    Alt: event.altKey,
    Shift: event.shiftKey,
  };
  // The other main modifier belongs to the system.
  if (!isMac && event.metaKey) return [];
  const write = (name: string, shift: boolean) => [...order.filter((m) => (m === "Shift" ? shift : held[m])), name].join("+");
  const name = nameOf(event.key);
  const said = write(name, held.Shift && isWord(name) && name !== "Plus" && name !== "Minus");
  const place = byPlace(event.code);
  // With Alt, a key's character is no name for it, and other scripts have no such letters.
  const placed = place === null ? [] : [write(place, held.Shift)];
  return event.altKey && place !== null ? [...placed, said] : [...new Set([said, ...placed])];
}

/** Whether these keys are for typing, or do something in every text field. */
export function isForTyping(chord: string): boolean {
  const parts = chord.split("+");
  const key = parts.at(-1) ?? "";
  if (/^F\d{1,2}$/.test(key)) return false;
  if (!parts.includes("Mod") && !parts.includes("Alt") && !parts.includes("Ctrl")) return true;
  return /^Mod(\+Shift)?\+[ACVXZ]$/.test(chord) || /^(Mod|Alt)(\+Shift)?\+(Enter|Backspace|Delete|Left|Right|Up|Down|Tab)$/.test(chord);
}

/** Whether browsers never pass these keys to a page. */
export function isBrowsers(chord: string): boolean {
  return /^Mod(\+Shift)?\+[NTWQ]$/.test(chord) || /^(Mod|Ctrl)(\+Shift)?\+Tab$/.test(chord) || /^Mod\+[1-9]$/.test(chord) || chord === "F11" || chord === "Alt+F4";
}
