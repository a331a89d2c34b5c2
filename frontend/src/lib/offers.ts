// What a part of the page offers to those who point at it: the context menu finds it
// at the element under the pointer, or around that.

export interface Offers {
  /** The code that is shown, as it really is. */
  code: () => string;
  /** The message as Markdown; undefined while there is none to copy. */
  message: () => string | undefined;
  /** A picture held in memory, and what it is called. */
  picture: () => { src: string; name: string };
}

// On the element itself: a map that lives for long would keep every message for a while.
const place = Symbol("offers");
type Offering = Element & { [place]?: Partial<Offers> };

export function offer(element: Element, offers: Partial<Offers>): void {
  (element as Offering)[place] = offers;
}

/** What the nearest element offers that offers this. */
export function offered<K extends keyof Offers>(from: Element, what: K): Offers[K] | undefined {
  for (let element: Element | null = from; element; element = element.parentElement) {
    const found = (element as Offering)[place]?.[what];
    if (found) return found;
  }
  return undefined;
}
