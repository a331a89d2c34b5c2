// The focus is never lost to somebody who has only the keyboard. What has it may go
// away: a panel is closed with a shortcut, a button does its work and vanishes. The
// browser then leaves the focus to the page, where no key does anything.

import { onCleanup } from "solid-js";

/** A dialog that fades away gives the focus back by itself; what is later than this never will. */
const patience = 250;
const remembered = 8;

/**
 * Gives a focus that was lost with a key to what had it before and is still there, or
 * else to what fallback returns. Runs inside an owner.
 */
export function keepFocus(fallback: () => HTMLElement | null): void {
  const had: WeakRef<HTMLElement>[] = [];
  let before: Element | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const onFocusIn = (event: FocusEvent) => {
    // What takes the focus only where it is put, like a whole side, is nobody's place.
    if (!(event.target instanceof HTMLElement) || event.target.tabIndex < 0) return;
    had.push(new WeakRef(event.target));
    if (had.length > remembered) had.shift();
  };
  const onKeyDown = () => {
    // What was clicked on may have no focus; that is nothing lost.
    before = document.activeElement === document.body ? null : document.activeElement;
  };
  const onKeyUp = () => {
    clearTimeout(timer);
    timer = setTimeout(restore, patience);
  };
  function restore(): void {
    if (!before || document.activeElement !== document.body || !document.hasFocus()) return;
    const there = had.map((ref) => ref.deref()).findLast((element) => element && isReachable(element));
    (there ?? fallback())?.focus({ preventScroll: true });
  }

  document.addEventListener("focusin", onFocusIn);
  document.addEventListener("keydown", onKeyDown, { capture: true });
  document.addEventListener("keyup", onKeyUp, { capture: true });
  onCleanup(() => {
    clearTimeout(timer);
    document.removeEventListener("focusin", onFocusIn);
    document.removeEventListener("keydown", onKeyDown, { capture: true });
    document.removeEventListener("keyup", onKeyUp, { capture: true });
  });
}

function isReachable(element: HTMLElement): boolean {
  return element.isConnected && !element.closest("[inert], [aria-hidden=true]") && !element.matches(":disabled") && (element.checkVisibility?.() ?? true);
}
