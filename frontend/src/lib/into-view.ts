// Scrolls something into view within a container that anchors its own position, such as a conversation.

/** The event that tells such a container which element was scrolled into view. */
export const SHOWN = "parley:shown";

/**
 * Scrolls an element into view, if it is not visible, and notifies the containers around it: this is their new anchor.
 * Otherwise they would notice in the next frame, and return to the old anchor if anything changed its size until then.
 */
export function bringIntoView(element: Element, how: ScrollIntoViewOptions | null): void {
  if (how) element.scrollIntoView(how);
  element.dispatchEvent(new Event(SHOWN, { bubbles: true }));
}

/** Scrolls a list to the option with this id. */
export function showOption(list: Element | undefined, id: string): void {
  list?.querySelector(`#${CSS.escape(id)}`)?.scrollIntoView({ block: "nearest" });
}
