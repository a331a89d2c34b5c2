// Keeps the focus and keyboard input from getting lost. The focused element may disappear: a shortcut closes a panel,
// or a button removes itself. The browser then focuses the body, where keys do nothing.

import { onCleanup } from "solid-js";
import { isComposing, isInDialog, isMod, isOverlaid } from "./keys";

/** A closing dialog returns the focus itself within this time, or never. */
const patience = 250;
const remembered = 8;
/** Elements that are focused only for scrolling: characters do nothing there. */
const mute = "body, [role=log]";

const closed = "parley:dialog-closed";
const lost = "parley:focus-lost";

/**
 * Returns the focus of a closing dialog to the previous element. An element opened from the dialog takes precedence; if
 * both are gone, the focus is lost.
 */
export function giveBack(before: Element | null): void {
  if (!document.dispatchEvent(new Event(closed, { cancelable: true }))) return;
  if (before instanceof HTMLElement && before.isConnected) before.focus();
  if (document.activeElement === document.body) document.dispatchEvent(new Event(lost));
}

/**
 * If a key or a dialog loses the focus, moves it to the previous element if that still exists, otherwise to the one
 * returned by fallback. Text typed or pasted where nothing accepts it goes to the fallback. Runs inside an owner.
 * Returns a function that moves the focus once the open dialog has closed.
 */
export function keepFocus(fallback: () => HTMLElement | null): (enter: () => void) => void {
  const had: WeakRef<HTMLElement>[] = [];
  let before: Element | null = null;
  let next: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const onFocusIn = (event: FocusEvent) => {
    // Containers that can only be focused by code, like a whole pane, don't count.
    if (!(event.target instanceof HTMLElement) || event.target.tabIndex < 0) return;
    had.push(new WeakRef(event.target));
    if (had.length > remembered) had.shift();
    // A dialog that closed on its own way is over, too.
    if (!isInDialog()) next = undefined;
  };
  const nowhere = () => document.activeElement === document.body;
  const onKeyDown = (event: KeyboardEvent) => {
    if (document.activeElement?.matches(mute) && isTyped(event) && !isOverlaid()) fallback()?.focus({ preventScroll: true });
    // A clicked element may not be focusable; then nothing was lost.
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

/** Whether a key enters text: a character, or a paste. A space alone may be meant to scroll. */
function isTyped(event: KeyboardEvent): boolean {
  if (isComposing(event)) return true;
  if (isMod(event)) return event.key.toLowerCase() === "v" && !event.altKey;
  return event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
}

function isReachable(element: HTMLElement): boolean {
  return element.isConnected && !element.closest("[inert], [aria-hidden=true]") && !element.matches(":disabled") && (element.checkVisibility?.() ?? true);
}
