// Where something is in a row of the conversation.

/** So deep in a row something is looked for that can be held on to. */
const DEPTH = 6;

/** From an element to one in it: the first, the second… of a kind. */
export type Step = [tag: string, nth: number];

/** The way to an element in a row, which holds in the same row when that is drawn again. */
export function pathTo(element: Element, row: Element): Step[] {
  const path: Step[] = [];
  for (let at = element; at !== row && at.parentElement; at = at.parentElement) {
    let nth = 0;
    for (let before = at.previousElementSibling; before; before = before.previousElementSibling) if (before.tagName === at.tagName) nth++;
    path.unshift([at.tagName, nth]);
  }
  return path;
}

/** The element at the end of a way, null when there is none. */
export function along(path: Step[], row: Element | undefined): Element | null {
  let at: Element | undefined = row;
  for (const [tag, nth] of path) at = [...(at?.children ?? [])].filter((child) => child.tagName === tag)[nth];
  return at ?? null;
}

/** The first element inside of another that begins below the top of the view. */
export function beginning(inside: Element, top: number, depth = DEPTH): Element | null {
  for (const child of inside.children) {
    const box = child.getBoundingClientRect();
    // What lies over the rest does not move with it.
    if (box.bottom <= top || box.height === 0 || getComputedStyle(child).position === "absolute") continue;
    if (box.top >= top) return child;
    const found = depth > 0 ? beginning(child, top, depth - 1) : null;
    if (found) return found;
  }
  return null;
}

/** The innermost element that reaches from above the view into it. */
export function innermost(row: Element, top: number): Element {
  let inside = row;
  for (let depth = 0; depth < DEPTH; depth++) {
    const next = [...inside.children].find((child) => child.getBoundingClientRect().bottom > top);
    if (!next) break;
    inside = next;
  }
  return inside;
}
