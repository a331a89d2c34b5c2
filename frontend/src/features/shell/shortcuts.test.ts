import { createRoot } from "solid-js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createShortcuts, newSessionKeys, shortcutList } from "./shortcuts";

const handlers = {
  newSession: vi.fn(),
  neighbour: vi.fn(),
  toggleSidebar: vi.fn(),
  interrupt: vi.fn(),
  showList: vi.fn(),
};
let dispose: () => void;

beforeEach(() => {
  for (const handler of Object.values(handlers)) handler.mockReset();
  dispose = createRoot((d) => {
    createShortcuts(handlers);
    return d;
  });
});

afterEach(() => {
  dispose();
  document.body.replaceChildren();
});

function press(init: KeyboardEventInit, target: EventTarget = document.body): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init });
  target.dispatchEvent(event);
  return event;
}

const called = () => Object.entries(handlers).flatMap(([name, fn]) => fn.mock.calls.map((args) => [name, ...args]));

describe("shortcuts", () => {
  it.each([
    [{ key: "n", ctrlKey: true }, ["newSession"]],
    [{ key: "O", ctrlKey: true, shiftKey: true }, ["newSession"]],
    [{ key: "b", ctrlKey: true }, ["toggleSidebar"]],
    [{ key: "/", ctrlKey: true }, ["showList"]],
    [{ key: "ArrowUp", altKey: true }, ["neighbour", -1]],
    [{ key: "ArrowDown", altKey: true }, ["neighbour", 1]],
    [{ key: "Escape" }, ["interrupt"]],
  ])("%j", (init, call) => {
    expect(press(init).defaultPrevented).toBe(true);
    expect(called()).toEqual([call]);
  });

  it.each([
    { key: "b" },
    { key: "b", ctrlKey: true, altKey: true },
    { key: "b", ctrlKey: true, isComposing: true },
    { key: "Escape", isComposing: true },
    { key: "Escape", repeat: true },
    { key: "ArrowUp" },
  ])("%j is nothing", (init) => {
    expect(press(init).defaultPrevented).toBe(false);
    expect(called()).toEqual([]);
  });

  it("leaves what a part has dealt with alone", () => {
    const part = document.body.appendChild(document.createElement("div"));
    part.addEventListener("keydown", (event) => event.preventDefault());
    press({ key: "Escape" }, part);
    expect(called()).toEqual([]);
  });

  it("leaves the keyboard to an open dialog or menu", () => {
    for (const role of ["dialog", "menu"]) {
      document.body.innerHTML = `<div role="${role}"></div>`;
      press({ key: "Escape" });
    }
    expect(called()).toEqual([]);
  });

  it("lists keys that the surface does not keep to itself", () => {
    expect(newSessionKeys("window")).toBe("Mod+N");
    expect(shortcutList("gateway")[0]).toEqual({ keys: "Mod+Shift+O", about: "New session" });
  });
});
