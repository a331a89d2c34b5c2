// Actions and keys for panes and tabs. Browsers reserve some of the keys, so they have alternatives there.

import { onCleanup } from "solid-js";
import { text } from "../../i18n";
import { isComposing, isMod, isOverlaid } from "../../lib/keys";
import { placeOf, placeTab } from "../../store/arrangement";
import type { Layout } from "../../store/layout";
import { type Action, createShortcuts, shownKeys } from "../../desk/shortcuts";

/** The keys that close a tab: browsers reserve Ctrl+W. */
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
        const id = layout.active();
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
    { id: "processes", name: words.processes, run: () => layout.go({ kind: "processes" }) },
    { id: "usage", name: words.usage, run: () => layout.go({ kind: "usage" }) },
    { id: "permissions", name: text().permission.title, run: () => layout.go({ kind: "permissions" }) },
    { id: "memory", name: text().memory.title, run: () => layout.go({ kind: "memory" }) },
    { id: "rooms", name: text().rooms.title, run: () => layout.go({ kind: "rooms" }) },
    { id: "chat", name: text().chat.title, run: () => layout.go({ kind: "chat" }) },
    { id: "heartbeats", name: text().heartbeats.title, run: () => layout.go({ kind: "heartbeats" }) },
  ];
}

/** Handles their keys until the owner is disposed of. */
export function createPaneKeys(kind: string, layout: Layout): void {
  // Before other handlers: a composer takes every Shift+Tab.
  createShortcuts(kind, () => paneActions(layout), { first: true });

  const onDigit = (event: KeyboardEvent) => {
    if (event.defaultPrevented || isComposing(event)) return;
    // By key position: on some keyboards digits need a modifier.
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

  /**
   * Escape leaves a place: from inside it, and from wherever the focus went when its element was removed. Text fields
   * elsewhere and sessions beside it keep the key.
   */
  const onEscape = (event: KeyboardEvent) => {
    const kind = placeOf(layout.active());
    const { target } = event;
    if (event.key !== "Escape" || event.defaultPrevented || isComposing(event) || kind === null || isOverlaid() || !(target instanceof Element)) return;
    if (layout.panel(kind).contains(target) || !target.closest('input, textarea, select, [contenteditable], [data-component="session-pane"]')) layout.close(placeTab(kind));
  };
  // After menus and fields, which first close what they opened.
  window.addEventListener("keydown", onEscape);
  onCleanup(() => window.removeEventListener("keydown", onEscape));
}
