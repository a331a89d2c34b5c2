// The rows that stay rendered out of view: the focused one, selected ones, and those
// in which the user opened something.
//
// A kept row may still be moved among the others, which loses its focus and
// selection. Both are restored immediately.

import { type Accessor, createMemo, createSignal, onCleanup } from "solid-js";
import type { Rows } from "./rows";

/** The maximum number of rows kept because something in them is open. */
const mostOpened = 40;
/** The maximum number of rows kept for a selection. */
const mostSelected = 300;

export interface PinnedRows {
  /** Their indexes. */
  indexes: Accessor<readonly number[]>;
  /** The focused row, "" for none. */
  focused: Accessor<string>;
  attach(root: HTMLElement): void;
  /** Call after the rows changed: restores the focus and selection. */
  restore(): void;
}

export function createPinnedRows(rows: Accessor<Rows>): PinnedRows {
  const [focused, setFocused] = createSignal("");
  const [opened, setOpened] = createSignal<readonly string[]>([]);
  const [selected, setSelected] = createSignal<readonly [string, string] | null>(null);

  let giveBack: (() => void) | undefined;

  const indexes = createMemo(() => {
    const { ids } = rows();
    const found = new Set<number>();
    for (const id of [focused(), ...opened()]) if (id !== "") found.add(ids.lastIndexOf(id));
    const ends = selected()?.map((id) => ids.lastIndexOf(id));
    if (ends) {
      const from = Math.min(...ends);
      const to = Math.max(...ends);
      for (let i = from; i <= Math.min(to, from + mostSelected); i++) found.add(i);
      found.add(to);
    }
    found.delete(-1);
    return [...found];
  });

  return {
    indexes,
    focused,
    restore() {
      giveBack?.();
      giveBack = undefined;
    },
    attach(root) {
      const on = new AbortController();
      const { signal } = on;
      onCleanup(() => on.abort());
      // In the capture phase, before the list reacts and renders other rows.
      root.addEventListener("scroll", () => (giveBack = remember(root)), { signal, capture: true, passive: true });
      root.addEventListener("focusin", (event) => setFocused(rowOf(event.target)), { signal });
      root.addEventListener(
        "focusout",
        (event) => {
          // Focus that goes to nothing will return, as from a menu or another window.
          if (event.relatedTarget !== null) setFocused(rowOf(event.relatedTarget));
        },
        { signal },
      );
      root.addEventListener(
        "click",
        (event) => {
          const id = event.target instanceof Element && event.target.closest("button, summary") ? rowOf(event.target) : "";
          if (id !== "") setOpened([...opened().filter((other) => other !== id), id].slice(-mostOpened));
        },
        { signal },
      );
      document.addEventListener(
        "selectionchange",
        () => {
          const selection = document.getSelection();
          const ends = [rowOf(selection?.anchorNode), rowOf(selection?.focusNode)] as const;
          const none = !selection || selection.isCollapsed || !root.contains(selection.anchorNode);
          const now = none || ends.includes("") ? null : ends;
          if (now?.join() !== selected()?.join()) setSelected(now);
        },
        { signal },
      );
    },
  };
}

/** Saves the focus and selection within an element; returns a function that restores them if lost. */
function remember(root: HTMLElement): (() => void) | undefined {
  const active = document.activeElement;
  const focused = active instanceof HTMLElement && active !== root && root.contains(active) ? active : null;
  const selection = document.getSelection();
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection ?? {};
  const selected = selection && !selection.isCollapsed && anchorNode && focusNode && root.contains(anchorNode) && root.contains(focusNode);
  if (!focused && !selected) return undefined;
  return () => {
    if (focused?.isConnected && document.activeElement === document.body) focused.focus({ preventScroll: true });
    if (!selected || !root.contains(anchorNode) || !root.contains(focusNode)) return;
    if (selection.anchorNode === anchorNode && selection.focusNode === focusNode && selection.focusOffset === focusOffset) return;
    selection.setBaseAndExtent(anchorNode, anchorOffset ?? 0, focusNode, focusOffset ?? 0);
  };
}

function rowOf(target: unknown): string {
  const element = target instanceof Element ? target : target instanceof Node ? target.parentElement : null;
  return element?.closest<HTMLElement>("[data-row]")?.dataset["row"] ?? "";
}
