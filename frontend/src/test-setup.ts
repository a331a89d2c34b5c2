import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@solidjs/testing-library";
import { afterEach, vi } from "vitest";

afterEach(cleanup);

// What is waited for may take its time where much else runs. A second, which both
// libraries give it, is too short for that, and one of them has no setting.
const PATIENCE_MS = 30_000;
configure({ asyncUtilTimeout: PATIENCE_MS });
const { waitFor } = vi;
vi.waitFor = (check, options) => waitFor(check, typeof options === "number" ? options : { timeout: PATIENCE_MS, ...options });

// jsdom has no layout: what the page asks of it gets an answer that changes
// nothing.
Element.prototype.scrollIntoView = () => {};
Element.prototype.scrollTo = () => {};
Element.prototype.scrollBy = () => {};
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
