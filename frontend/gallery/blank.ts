// The page between two scenes: as it was before the first, so that a scene looks the same
// whatever was shown before it.

import { forgetKept } from "../src/features/approval/draft-answers";

/** Remembers the page without a scene. What is returned takes away what a scene that has ended left on it. */
export function rememberBlank(root: HTMLElement): () => void {
  const title = document.title;
  const kept = [document.documentElement, document.body, root].map((element) => ({ element, attributes: attributesOf(element) }));
  return () => {
    forgetKept();
    localStorage.clear();
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    getSelection()?.removeAllRanges();
    for (const element of document.querySelectorAll("body > :not(#root)")) element.remove();
    for (const { element, attributes } of kept) {
      for (const name of element.getAttributeNames()) if (!attributes.has(name)) element.removeAttribute(name);
      for (const [name, value] of attributes) element.setAttribute(name, value);
    }
    document.title = title;
    scrollTo(0, 0);
  };
}

function attributesOf(element: Element): ReadonlyMap<string, string> {
  return new Map(element.getAttributeNames().map((name) => [name, element.getAttribute(name) ?? ""]));
}
