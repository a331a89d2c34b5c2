// For tests with a page.

import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@solidjs/testing-library";
import { afterEach } from "vitest";
import { PATIENCE_MS } from "./test-setup";
import { quickenComputedStyle } from "./test/computed-style";

afterEach(cleanup);

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
