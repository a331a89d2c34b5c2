// The shortcuts of the whole page. Those of a part (the composer, a dialog, a
// question) are handled there and stop here.

import { onCleanup } from "solid-js";
import { isComposing, isMod } from "../../lib/keys";

export interface Shortcut {
  keys: string;
  about: string;
}

/** The keys for a new session: a browser keeps Ctrl+N to itself. */
export function newSessionKeys(kind: string): string {
  return kind === "window" ? "Mod+N" : "Mod+Shift+O";
}

export function shortcutList(kind: string): Shortcut[] {
  return [
    { keys: newSessionKeys(kind), about: "New session" },
    { keys: "Alt+Up", about: "Previous session" },
    { keys: "Alt+Down", about: "Next session" },
    { keys: "Mod+B", about: "Show or hide the sidebar" },
    { keys: "Enter", about: "Send the prompt, or queue it" },
    { keys: "Shift+Enter", about: "New line" },
    { keys: "Shift+Tab", about: "Next permission mode (in the composer)" },
    { keys: "Esc", about: "Interrupt the running turn" },
    { keys: "Mod+/", about: "This list" },
  ];
}

export interface ShortcutHandlers {
  newSession(): void;
  neighbour(by: 1 | -1): void;
  toggleSidebar(): void;
  interrupt(): void;
  showList(): void;
}

/** Listens for the page's shortcuts until the owner is disposed of. */
export function createShortcuts(handlers: ShortcutHandlers): void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || isComposing(event)) return;
    // A dialog or menu that is open has the keyboard to itself.
    if (document.querySelector('[role="dialog"], [role="menu"], [role="alertdialog"]')) return;
    const act = find(event, handlers);
    if (!act) return;
    event.preventDefault();
    act();
  };
  document.addEventListener("keydown", onKeyDown);
  onCleanup(() => document.removeEventListener("keydown", onKeyDown));
}

function find(event: KeyboardEvent, handlers: ShortcutHandlers): (() => void) | undefined {
  const key = event.key.toLowerCase();
  if (isMod(event) && !event.altKey) {
    if (key === "n" && !event.shiftKey) return () => handlers.newSession();
    if (key === "o" && event.shiftKey) return () => handlers.newSession();
    if (key === "b" && !event.shiftKey) return () => handlers.toggleSidebar();
    if (key === "/") return () => handlers.showList();
    return undefined;
  }
  if (event.ctrlKey || event.metaKey) return undefined;
  if (event.altKey && key === "arrowup") return () => handlers.neighbour(-1);
  if (event.altKey && key === "arrowdown") return () => handlers.neighbour(1);
  if (key === "escape" && !event.altKey && !event.shiftKey && !event.repeat) return () => handlers.interrupt();
  return undefined;
}
