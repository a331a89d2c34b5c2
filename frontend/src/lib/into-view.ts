// Bringing something into view inside of what keeps its own place, as a conversation does.

/** What whoever keeps a place hears from the element that was brought into view. */
export const SHOWN = "parley:shown";

/**
 * Brings an element into view, if it is not there, and says so to whoever keeps a place
 * around it: this is the place now. Otherwise they would hear of it with the next frame,
 * and go back to the old one if anything has another size until then.
 */
export function bringIntoView(element: Element, how: ScrollIntoViewOptions | null): void {
  if (how) element.scrollIntoView(how);
  element.dispatchEvent(new Event(SHOWN, { bubbles: true }));
}

/** Scrolls a list to the option with this id. */
export function showOption(list: Element | undefined, id: string): void {
  list?.querySelector(`#${CSS.escape(id)}`)?.scrollIntoView({ block: "nearest" });
}
