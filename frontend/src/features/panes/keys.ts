// What can be done with panes and tabs, and the keys for it. In a browser some of
// them are the browser's own: there are others for those.

import { onCleanup } from "solid-js";
import { text } from "../../i18n";
import { isComposing, isMod, isOverlaid } from "../../lib/keys";
import type { Layout } from "../../store/layout";
import { type Action, createShortcuts, shownKeys } from "../shell/shortcuts";

/** The keys that close a tab: a browser keeps Ctrl+W to itself. */
export const closeKeys = (kind: string): string => shownKeys("closeTab", kind);

export function paneActions(layout: Layout): Action[] {
  const words = text().shell.actions;
  return [
    { id: "nextTab", name: words.nextTab, run: () => layout.step(1) },
    { id: "previousTab", name: words.previousTab, run: () => layout.step(-1) },
    {
      id: "closeTab",
      name: words.closeTab,
      run() {
        const id = layout.current();
        if (id !== null) layout.close(id);
      },
    },
    { id: "split", name: words.split, run: () => layout.toggleSplit() },
    {
      id: "otherSide",
      name: words.otherSide,
      enabled: () => layout.state.panes.length > 1,
      run: () => layout.focus(1 - layout.state.focused),
    },
    { id: "search", name: words.search, run: () => layout.setOverlay({ kind: "search", text: "" }) },
    { id: "processes", name: words.processes, run: () => layout.setOverlay({ kind: "processes" }) },
    { id: "usage", name: words.usage, run: () => layout.setOverlay({ kind: "usage" }) },
    { id: "permissions", name: text().permission.title, run: () => layout.setOverlay({ kind: "permissions", tab: "" }) },
    { id: "memory", name: text().memory.title, run: () => layout.setOverlay({ kind: "memory" }) },
    { id: "rooms", name: text().rooms.title, run: () => layout.setOverlay({ kind: "rooms" }) },
    { id: "chat", name: text().chat.title, run: () => layout.setOverlay({ kind: "chat" }) },
    { id: "heartbeats", name: text().heartbeats.title, run: () => layout.setOverlay({ kind: "heartbeats", tab: "" }) },
  ];
}

/** Listens for their keys until the owner is disposed of. */
export function createPaneKeys(kind: string, layout: Layout): void {
  // Before the parts: a composer takes every Shift+Tab for its own.
  createShortcuts(kind, () => paneActions(layout), { first: true });

  const onDigit = (event: KeyboardEvent) => {
    if (event.defaultPrevented || isComposing(event)) return;
    // By their place: with some keyboards digits need another key.
    const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
    const plainAlt = event.altKey && !event.ctrlKey && !event.metaKey;
    if (!digit || event.shiftKey || !(plainAlt || (isMod(event) && !event.altKey))) return;
    if (isOverlaid()) return;
    event.preventDefault();
    event.stopPropagation();
    layout.goTo(digit === "9" ? -1 : Number(digit) - 1);
  };
  document.addEventListener("keydown", onDigit, { capture: true });
  onCleanup(() => document.removeEventListener("keydown", onDigit, { capture: true }));
}
