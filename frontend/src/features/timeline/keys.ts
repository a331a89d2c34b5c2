// The keys that go through a conversation message by message, and to its ends.

import { onCleanup, onMount } from "solid-js";
import { isComposing, isOverlaid } from "../../lib/keys";

export interface MessageKeys {
  /** Whether the keys are this conversation's. */
  active(): boolean;
  root(): HTMLElement;
  ids(): readonly string[];
  /** Where the user is: the message with the focus, or the one at the top of the view. */
  here(): string;
  /** Whether a message has the focus. */
  started(): boolean;
  /** Shows a message and gives it the focus. */
  show(id: string): void;
  /** Goes to the very first message, or to the last. */
  toEdge(edge: "start" | "end"): void;
}

/** The end of the conversation that a key stands for. */
export const edgeOf = (key: string) => (key === "Home" ? "start" : key === "End" ? "end" : null);

/** Whether the keys of a text belong to the element: one with nothing in it needs none. */
const isText = (target: EventTarget | null) =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement ? target.value !== "" : target instanceof HTMLElement && target.isContentEditable;

/** Listens for Alt+Shift+Up and Alt+Shift+Down, Ctrl+Home and Ctrl+End until the owner is disposed of. */
export function createMessageKeys(keys: MessageKeys): void {
  onMount(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const edge = edgeOf(event.key);
      if (edge && event.ctrlKey && !event.altKey && !event.shiftKey && !event.metaKey && !isComposing(event)) {
        if (isText(event.target) || !keys.active() || keys.root().clientHeight === 0 || isOverlaid()) return;
        event.preventDefault();
        keys.toEdge(edge);
        return;
      }
      if (!event.altKey || !event.shiftKey || event.ctrlKey || event.metaKey || isComposing(event)) return;
      const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
      if (by === 0 || !keys.active() || keys.root().clientHeight === 0) return;
      if (isOverlaid()) return;
      event.preventDefault();
      const ids = keys.ids();
      const at = ids.lastIndexOf(keys.here());
      // The first press goes to what is read anyway.
      const to = ids[Math.max(0, Math.min(ids.length - 1, keys.started() || by > 0 ? at + by : at))];
      if (to !== undefined) keys.show(to);
    };
    // Before the shortcuts of the page, which do not ask for Shift.
    document.addEventListener("keydown", onKeyDown, { capture: true });
    onCleanup(() => document.removeEventListener("keydown", onKeyDown, { capture: true }));
  });
}
