// Tracks which messages have the pointer or the focus, and which have been in view for a while. All share a few
// listeners and one timer: the browser only frees what a listener or timer has captured in a full garbage collection,
// even after it is removed. With listeners per message, everything of a removed message would stay alive and be copied
// by minor collections, which took a whole frame several times per second of scrolling.

/** How long a message has to be in view, in ms, before it counts as more than scrolling past. */
const standing = 150;

export interface Watcher {
  /** It has been in view for a while, or has the pointer or focus. May be called repeatedly. */
  stands(): void;
  /** The pointer has entered or left it. */
  near(now: boolean): void;
}

/**
 * Each element's watcher until it ends. Long-lived maps leave copies behind, which the browser keeps like listeners,
 * with everything in them.
 */
const watched = new Map<Element, { watcher: Watcher | undefined }>();
/** When recently added ones will have been in view for long enough, in order. */
const waiting = new Map<Element, number>();
/** Elements under the pointer. */
let under = new Set<Element>();
let listening: AbortController | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Watches a message; the returned function stops that. */
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

/** The watched elements around a target. */
function around(target: EventTarget | null): Set<Element> {
  const found = new Set<Element>();
  for (let at = target instanceof Element ? target : null; at; at = at.parentElement) if (watched.has(at)) found.add(at);
  return found;
}

function pointed({ type, target, relatedTarget }: PointerEvent): void {
  // Leaving for another element is handled by that element's pointerover.
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
