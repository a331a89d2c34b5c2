// A request's keys work wherever the focus is, but not while the user is typing: a half-written prompt must not approve
// a command. They apply to one request only: the one in the open dialog, or else the one in the focused pane.

import { onCleanup, onMount } from "solid-js";
import { isComposing, isMod, topDialog } from "../../lib/keys";
import { type Pane, usePane } from "../../store/pane";

export const ALLOW_KEYS = "Mod+Enter";
export const DENY_KEYS = "Mod+Backspace";

export interface QuestionKeys {
  allow: () => void;
  deny: () => void;
}

/** Handles keys for the request whose frame is root. */
export function createQuestionKeys(root: () => HTMLElement, on: QuestionKeys): void {
  const pane = usePane();
  const listen = (event: KeyboardEvent) => {
    if (event.repeat || isComposing(event) || !isMod(event)) return;
    if (event.shiftKey || event.altKey || typing(event.target)) return;
    if (event.key !== "Enter" && event.key !== "Backspace") return;
    if (!meant(root(), pane)) return;
    event.preventDefault();
    if (event.key === "Enter") on.allow();
    else on.deny();
  };
  // Capture the key before others handle it: sending a prompt empties its field.
  onMount(() => document.addEventListener("keydown", listen, { capture: true }));
  onCleanup(() => document.removeEventListener("keydown", listen, { capture: true }));
}

/** Whether keys are meant for this request and no other. */
function meant(root: HTMLElement, pane: Pane): boolean {
  return topDialog()?.contains(root) ?? pane.focused();
}

function typing(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return target.value !== "";
  if (target instanceof HTMLInputElement) return !["checkbox", "radio"].includes(target.type) && target.value !== "";
  return target instanceof HTMLElement && target.isContentEditable;
}
