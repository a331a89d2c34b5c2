// The keys of a question work wherever the focus is, but never while the person
// is typing something: a prompt half written must not approve a command.

import { onCleanup, onMount } from "solid-js";
import { isComposing, isMod } from "../../lib/keys";

export const ALLOW_KEYS = "Mod+Enter";
export const DENY_KEYS = "Mod+Backspace";

export function createQuestionKeys(on: { allow: () => void; deny: () => void }): void {
  const listen = (event: KeyboardEvent) => {
    if (event.repeat || isComposing(event) || !isMod(event)) return;
    if (event.shiftKey || event.altKey || typing(event.target)) return;
    if (event.key !== "Enter" && event.key !== "Backspace") return;
    event.preventDefault();
    if (event.key === "Enter") on.allow();
    else on.deny();
  };
  // Before anything else hears of the key: sending a prompt empties its field.
  onMount(() => document.addEventListener("keydown", listen, { capture: true }));
  onCleanup(() => document.removeEventListener("keydown", listen, { capture: true }));
}

function typing(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return target.value !== "";
  if (target instanceof HTMLInputElement) return !["checkbox", "radio"].includes(target.type) && target.value !== "";
  return target instanceof HTMLElement && target.isContentEditable;
}
