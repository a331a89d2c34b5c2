// The keys of a question work wherever the focus is, but never while the user
// is typing something: a prompt half written must not approve a command. They are
// for one question only: the one in the dialog that is open, else the one in the pane
// that has the focus.

import { onCleanup, onMount } from "solid-js";
import { isComposing, isMod, topDialog } from "../../lib/keys";
import { type Pane, usePane } from "../../store/pane";

export const ALLOW_KEYS = "Mod+Enter";
export const DENY_KEYS = "Mod+Backspace";

export interface QuestionKeys {
  allow: () => void;
  deny: () => void;
}

/** Listens for the keys of the question that root is the frame of. */
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
  // Before anything else hears of the key: sending a prompt empties its field.
  onMount(() => document.addEventListener("keydown", listen, { capture: true }));
  onCleanup(() => document.removeEventListener("keydown", listen, { capture: true }));
}

/** Whether keys are for this question and for no other one on the page. */
function meant(root: HTMLElement, pane: Pane): boolean {
  return topDialog()?.contains(root) ?? pane.focused();
}

function typing(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return target.value !== "";
  if (target instanceof HTMLInputElement) return !["checkbox", "radio"].includes(target.type) && target.value !== "";
  return target instanceof HTMLElement && target.isContentEditable;
}
