// What a part of the page offers to the context menu, which looks it up at the element under the pointer and its
// ancestors.

export interface Offers {
  /** The displayed code, unabridged. */
  code: () => string;
  /** The message as Markdown; undefined if there is nothing to copy. */
  message: () => string | undefined;
  /** An image in memory, and its name. */
  picture: () => { src: string; name: string };
}

// Stored on the element itself: a long-lived map would keep every message alive for a while.
const place = Symbol("offers");
type Offering = Element & { [place]?: Partial<Offers> };

export function offer(element: Element, offers: Partial<Offers>): void {
  (element as Offering)[place] = offers;
}

/** The offer of the nearest element that has this one. */
export function offered<K extends keyof Offers>(from: Element, what: K): Offers[K] | undefined {
  for (let element: Element | null = from; element; element = element.parentElement) {
    const found = (element as Offering)[place]?.[what];
    if (found) return found;
  }
  return undefined;
}
