// Gives elements a size, which jsdom does not, so that virtual lists render something.

import { onTestFinished } from "vitest";

const size = { width: 260, height: 800 };
const row = 32;

/** Until the test ends, observed sizes are those of a list and its rows. */
export function giveSizes(): void {
  const before = globalThis.ResizeObserver;
  globalThis.ResizeObserver = class implements ResizeObserver {
    readonly #callback: ResizeObserverCallback;
    constructor(callback: ResizeObserverCallback) {
      this.#callback = callback;
    }
    observe(target: Element): void {
      const scrolls = target.matches('[data-slot="list"], [data-slot="scroller"]');
      // jsdom has no offsetParent.
      Object.defineProperty(target, "offsetParent", { value: document.body, configurable: true });
      const contentRect = { width: size.width, height: scrolls ? size.height : row } as DOMRectReadOnly;
      queueMicrotask(() => this.#callback([{ target, contentRect } as ResizeObserverEntry], this));
    }
    unobserve(): void {}
    disconnect(): void {}
  };
  onTestFinished(() => {
    globalThis.ResizeObserver = before;
  });
}
