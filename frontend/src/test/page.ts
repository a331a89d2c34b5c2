// What tests change of the page. The files share it, so it is done once.

import "@testing-library/jest-dom/vitest";
import { configure } from "@solidjs/testing-library";
import { setLanguage } from "../i18n";
import { forgetMath } from "../ui/markdown/math";
import { quickenComputedStyle } from "./computed-style";
import { PATIENCE_MS } from "./globals";

configure({ asyncUtilTimeout: PATIENCE_MS });

export const jsdomStyle = quickenComputedStyle(window);

// jsdom has no layout: what the page asks of it gets an answer that changes
// nothing.
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

/** Leaves the page as the first file found it. */
export async function leavePage(): Promise<void> {
  await setLanguage("en");
  forgetMath();
  localStorage.clear();
  sessionStorage.clear();
  document.head.replaceChildren();
  document.body.replaceChildren();
  // Its style stays: the modules put their icons there once.
  for (const name of document.documentElement.getAttributeNames()) if (name !== "style") document.documentElement.removeAttribute(name);
  history.replaceState(null, "", "/");
}
