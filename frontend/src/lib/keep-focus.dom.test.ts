import { createRoot } from "solid-js";
import { afterEach, expect, it, vi } from "vitest";
import { giveBack, keepFocus } from "./keep-focus";

let dispose = () => {};
let later: (enter: () => void) => void;
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
    later = keepFocus(() => box);
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

it("gives the focus of a dialog back, or to the fallback when nothing is left to go back to", () => {
  const { first, second, box } = page();
  second.focus();
  giveBack(first);
  expect(document.activeElement).toBe(first);
  first.remove();
  second.remove();
  giveBack(first);
  expect(document.activeElement).toBe(box);
});

it("gives the focus of a dialog to what was opened out of it, once", () => {
  const { first, box } = page();
  later(() => box.focus());
  giveBack(first);
  expect(document.activeElement).toBe(box);
  giveBack(first);
  expect(document.activeElement).toBe(first);
});

it("forgets what was opened out of a dialog that closed without a word", () => {
  const { first, second } = page();
  const enter = vi.fn();
  later(enter);
  second.focus();
  giveBack(first);
  expect(enter).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(first);
});

it.each([
  ["a letter", { key: "a" }, true],
  ["a capital", { key: "Ä", shiftKey: true }, true],
  ["an input method", { key: "Process", keyCode: 229 }, true],
  ["pasting", { key: "v", ctrlKey: true }, true],
  ["copying", { key: "c", ctrlKey: true }, false],
  ["a space", { key: " " }, false],
  ["a mnemonic", { key: "f", altKey: true }, false],
  ["a key without a character", { key: "F5" }, false],
])("hears what is typed while nothing has the focus: %s", (_, init, heard) => {
  const { box } = page();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { ...init, bubbles: true }));
  expect(document.activeElement).toBe(heard ? box : document.body);
});

it("hears what is typed in the conversation, and not in a field", () => {
  const { box } = page();
  const log = document.body.appendChild(document.createElement("div"));
  log.role = "log";
  log.tabIndex = 0;
  log.focus();
  log.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
  expect(document.activeElement).toBe(box);
  const field = document.body.appendChild(document.createElement("input"));
  field.focus();
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
  expect(document.activeElement).toBe(field);
});

it("leaves what is typed to the menu that is open", () => {
  page();
  const menu = document.body.appendChild(document.createElement("div"));
  menu.setAttribute("role", "menu");
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
  expect(document.activeElement).toBe(document.body);
});
