import { createRoot } from "solid-js";
import { afterEach, expect, it, vi } from "vitest";
import { keepFocus } from "./keep-focus";

let dispose = () => {};
afterEach(() => {
  dispose();
  vi.useRealTimers();
  document.body.replaceChildren();
});

function page(): { first: HTMLButtonElement; second: HTMLButtonElement; box: HTMLTextAreaElement } {
  vi.useFakeTimers();
  const [first, second, box] = [document.createElement("button"), document.createElement("button"), document.createElement("textarea")];
  document.body.append(first, second, box);
  createRoot((end) => {
    dispose = end;
    keepFocus(() => box);
  });
  return { first, second, box };
}

function key(then: () => void): void {
  const from = document.activeElement ?? document.body;
  from.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  then();
  document.body.dispatchEvent(new KeyboardEvent("keyup", { key: "Escape", bubbles: true }));
  vi.runAllTimers();
}

it("gives a lost focus to what had it before", () => {
  const { first, second } = page();
  first.focus();
  second.focus();
  key(() => second.remove());
  expect(document.activeElement).toBe(first);
});

it("gives it to the fallback when nothing of that is left", () => {
  const { first, box } = page();
  first.focus();
  key(() => first.remove());
  expect(document.activeElement).toBe(box);
});

it("leaves it alone where it was not lost, or not with a key", () => {
  const { first, second } = page();
  first.focus();
  key(() => second.remove());
  expect(document.activeElement).toBe(first);
  first.blur();
  key(() => {});
  expect(document.activeElement).toBe(document.body);
});

it("does not take for a place what has the focus only because it was put there", () => {
  const { first, box } = page();
  const side = document.createElement("div");
  side.tabIndex = -1;
  document.body.append(side);
  side.focus();
  first.focus();
  key(() => first.remove());
  expect(document.activeElement).toBe(box);
});
