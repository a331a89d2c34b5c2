// Changes to the page for tests. The test files share it, so this runs once.

import "@testing-library/jest-dom/vitest";
import { configure } from "@solidjs/testing-library";
import { setLanguage } from "../i18n";
import { forgetMath } from "../ui/markdown/math";
import { quickenComputedStyle } from "./computed-style";
import { PATIENCE_MS } from "./globals";

configure({ asyncUtilTimeout: PATIENCE_MS });

export const jsdomStyle = quickenComputedStyle(window);

// jsdom has no layout: stub what the page uses of it.
Element.prototype.scrollIntoView = () => {};
Element.prototype.scrollTo = () => {};
Element.prototype.scrollBy = () => {};
window.scrollTo = () => {};
window.matchMedia ??= (query: string) =>
  ({
    matches: false,
    media: query,
    onchange: null,
    addEventListener: () => {},
    removeEventListener: () => {},
    addListener: () => {},
    removeListener: () => {},
    dispatchEvent: () => false,
  }) satisfies MediaQueryList;
globalThis.ResizeObserver ??= class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};

/** Restores the page to its initial state. */
export async function leavePage(): Promise<void> {
  await setLanguage("en");
  forgetMath();
  localStorage.clear();
  sessionStorage.clear();
  document.head.replaceChildren();
  document.body.replaceChildren();
  // Its style stays: modules add their icons to it once.
  for (const name of document.documentElement.getAttributeNames()) if (name !== "style") document.documentElement.removeAttribute(name);
  history.replaceState(null, "", "/");
}
