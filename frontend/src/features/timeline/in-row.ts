// Locates elements within a row of the conversation.

/** How deep in a row an anchor element is searched. */
const DEPTH = 6;

/** A step from an element to a child: the nth of its tag. */
export type Step = [tag: string, nth: number];

/** The path to an element in a row, still valid after the row is rendered again. */
export function pathTo(element: Element, row: Element): Step[] {
  const path: Step[] = [];
  for (let at = element; at !== row && at.parentElement; at = at.parentElement) {
    let nth = 0;
    for (let before = at.previousElementSibling; before; before = before.previousElementSibling) if (before.tagName === at.tagName) nth++;
    path.unshift([at.tagName, nth]);
  }
  return path;
}

/** The element at the end of a path, null if there is none. */
export function along(path: Step[], row: Element | undefined): Element | null {
  let at: Element | undefined = row;
  for (const [tag, nth] of path) at = [...(at?.children ?? [])].filter((child) => child.tagName === tag)[nth];
  return at ?? null;
}

/** The first descendant that starts below the top of the view. */
export function beginning(inside: Element, top: number, depth = DEPTH): Element | null {
  for (const child of inside.children) {
    const box = child.getBoundingClientRect();
    // Overlays do not scroll with the rest.
    if (box.bottom <= top || box.height === 0 || getComputedStyle(child).position === "absolute") continue;
    if (box.top >= top) return child;
    const found = depth > 0 ? beginning(child, top, depth - 1) : null;
    if (found) return found;
  }
  return null;
}

/** The innermost element that crosses the top of the view. */
export function innermost(row: Element, top: number): Element {
  let inside = row;
  for (let depth = 0; depth < DEPTH; depth++) {
    const next = [...inside.children].find((child) => child.getBoundingClientRect().bottom > top);
    if (!next) break;
    inside = next;
  }
  return inside;
}
