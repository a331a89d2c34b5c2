// The keys that move through a conversation by message, and to its ends.

import { onCleanup, onMount } from "solid-js";
import { isComposing, isOverlaid } from "../../lib/keys";

export interface MessageKeys {
  /** Whether the keys are for this conversation. */
  active(): boolean;
  root(): HTMLElement;
  ids(): readonly string[];
  /** The current message: the focused one, or the one at the top of the view. */
  here(): string;
  /** Whether a message has the focus. */
  started(): boolean;
  /** Scrolls to a message and focuses it. */
  show(id: string): void;
  /** Goes to the very first message, or to the last. */
  toEdge(edge: "start" | "end"): void;
}

/** The end of the conversation that a key goes to. */
export const edgeOf = (key: string) => (key === "Home" ? "start" : key === "End" ? "end" : null);

/** Whether the element is a text field that needs the keys; an empty one does not. */
const isText = (target: EventTarget | null) =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement ? target.value !== "" : target instanceof HTMLElement && target.isContentEditable;

/** Handles Alt+Shift+Up, Alt+Shift+Down, Ctrl+Home and Ctrl+End until the owner is disposed of. */
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
      // The first press upwards goes to the current message.
      const to = ids[Math.max(0, Math.min(ids.length - 1, keys.started() || by > 0 ? at + by : at))];
      if (to !== undefined) keys.show(to);
    };
    // In the capture phase, before the page's shortcuts, which ignore Shift.
    document.addEventListener("keydown", onKeyDown, { capture: true });
    onCleanup(() => document.removeEventListener("keydown", onKeyDown, { capture: true }));
  });
}
