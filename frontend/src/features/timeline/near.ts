// Which messages somebody is at, with the pointer or the focus, and which have stood for a
// while. All share a few listeners and one timer: what a listener or a timer has held is let
// go only when the browser goes through its whole heap, even after they are taken away. With
// listeners of its own, everything of a message would outlive it so, and be copied meanwhile,
// which took a whole frame several times in a second of scrolling.

/** So long a message has to stand before it is more than passing by, in ms. */
const standing = 150;

export interface Watcher {
  /** It has stood for a while, or somebody is at it. May come again. */
  stands(): void;
  /** The pointer has come to it, or left it. */
  near(now: boolean): void;
}

/**
 * Beside each element its watcher, until that ends. Maps that live for long leave copies
 * behind, which the browser keeps like listeners, with all that was in them.
 */
const watched = new Map<Element, { watcher: Watcher | undefined }>();
/** When those will have stood for long enough that came last, in their order. */
const waiting = new Map<Element, number>();
/** Those under the pointer. */
let under = new Set<Element>();
let listening: AbortController | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Watches a message; what is returned ends that. */
export function watch(element: Element, watcher: Watcher): () => void {
  const held: { watcher: Watcher | undefined } = { watcher };
  watched.set(element, held);
  waiting.set(element, performance.now() + standing);
  timer ??= setTimeout(stood, standing);
  if (!listening) {
    listening = new AbortController();
    const how = { passive: true, signal: listening.signal };
    document.addEventListener("pointerover", pointed, how);
    document.addEventListener("pointerout", pointed, how);
    document.addEventListener("focusin", focused, how);
  }
  return () => {
    watched.delete(element);
    held.watcher = undefined;
    waiting.delete(element);
    under.delete(element);
    if (watched.size > 0) return;
    listening?.abort();
    listening = undefined;
    clearTimeout(timer);
    timer = undefined;
  };
}

function stood(): void {
  timer = undefined;
  const now = performance.now();
  for (const [element, due] of waiting) {
    if (due > now) {
      timer = setTimeout(stood, due - now);
      return;
    }
    waiting.delete(element);
    watched.get(element)?.watcher?.stands();
  }
}

/** The watched elements that something is in. */
function around(target: EventTarget | null): Set<Element> {
  const found = new Set<Element>();
  for (let at = target instanceof Element ? target : null; at; at = at.parentElement) if (watched.has(at)) found.add(at);
  return found;
}

function pointed({ type, target, relatedTarget }: PointerEvent): void {
  // What is left for something else is heard of when the pointer is there.
  if (type === "pointerout" && relatedTarget !== null) return;
  const before = under;
  under = around(type === "pointerout" ? null : target);
  for (const element of before) if (!under.has(element)) watched.get(element)?.watcher?.near(false);
  for (const element of under) {
    if (before.has(element)) continue;
    watched.get(element)?.watcher?.stands();
    watched.get(element)?.watcher?.near(true);
  }
}

function focused({ target }: FocusEvent): void {
  for (const element of around(target)) watched.get(element)?.watcher?.stands();
}
