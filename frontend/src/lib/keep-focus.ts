// The focus is never lost, and neither is what is typed. What has the focus may go away:
// a panel is closed with a shortcut, a button does its work and vanishes. The browser
// then leaves the focus to the page, where no key does anything.

import { onCleanup } from "solid-js";
import { isComposing, isInDialog, isMod, isOverlaid } from "./keys";

/** A dialog that fades away gives the focus back by itself; what is later than this never will. */
const patience = 250;
const remembered = 8;
/** What has the focus only to be scrolled: no character does anything there. */
const mute = "body, [role=log]";

const closed = "parley:dialog-closed";
const lost = "parley:focus-lost";

/**
 * Gives the focus of a dialog that closes back to what had it before. What was opened
 * out of the dialog takes it first; when neither is there, the focus is lost.
 */
export function giveBack(before: Element | null): void {
  if (!document.dispatchEvent(new Event(closed, { cancelable: true }))) return;
  if (before instanceof HTMLElement && before.isConnected) before.focus();
  if (document.activeElement === document.body) document.dispatchEvent(new Event(lost));
}

/**
 * Gives a focus that was lost with a key or with a dialog to what had it before and is
 * still there, or else to what fallback returns. What is typed or pasted where nothing
 * takes it goes to the fallback. Runs inside an owner. Returns what takes the focus
 * as soon as the dialog that is open has closed.
 */
export function keepFocus(fallback: () => HTMLElement | null): (enter: () => void) => void {
  const had: WeakRef<HTMLElement>[] = [];
  let before: Element | null = null;
  let next: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const onFocusIn = (event: FocusEvent) => {
    // What takes the focus only where it is put, like a whole side, is nobody's place.
    if (!(event.target instanceof HTMLElement) || event.target.tabIndex < 0) return;
    had.push(new WeakRef(event.target));
    if (had.length > remembered) had.shift();
  };
  const nowhere = () => document.activeElement === document.body;
  const onKeyDown = (event: KeyboardEvent) => {
    if (document.activeElement?.matches(mute) && isTyped(event) && !isOverlaid()) fallback()?.focus({ preventScroll: true });
    // What was clicked on may have no focus; that is nothing lost.
    before = nowhere() ? null : document.activeElement;
  };
  const onKeyUp = () => {
    clearTimeout(timer);
    timer = setTimeout(() => before && restore(), patience);
  };
  function restore(): void {
    if (!nowhere() || !document.hasFocus()) return;
    const there = had.map((ref) => ref.deref()).findLast((element) => element && isReachable(element));
    (there ?? fallback())?.focus({ preventScroll: true });
  }

  function onClosed(event: Event): void {
    const enter = next;
    next = undefined;
    if (!enter || isInDialog()) return;
    event.preventDefault();
    enter();
  }

  document.addEventListener("focusin", onFocusIn);
  document.addEventListener("keydown", onKeyDown, { capture: true });
  document.addEventListener("keyup", onKeyUp, { capture: true });
  document.addEventListener(closed, onClosed);
  document.addEventListener(lost, restore);
  onCleanup(() => {
    clearTimeout(timer);
    document.removeEventListener(closed, onClosed);
    document.removeEventListener(lost, restore);
    document.removeEventListener("focusin", onFocusIn);
    document.removeEventListener("keydown", onKeyDown, { capture: true });
    document.removeEventListener("keyup", onKeyUp, { capture: true });
  });
  return (enter) => (next = enter);
}

/** Whether a key puts something into a field: a character, or what is pasted. A space alone may be meant to scroll. */
function isTyped(event: KeyboardEvent): boolean {
  if (isComposing(event)) return true;
  if (isMod(event)) return event.key.toLowerCase() === "v" && !event.altKey;
  return event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
}

function isReachable(element: HTMLElement): boolean {
  return element.isConnected && !element.closest("[inert], [aria-hidden=true]") && !element.matches(":disabled") && (element.checkVisibility?.() ?? true);
}
