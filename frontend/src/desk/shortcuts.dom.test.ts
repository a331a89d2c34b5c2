import { createRoot } from "solid-js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Action, createShortcuts, keyedActions, keysOf, newSessionKeys, partKeys, setChosenKeys, shortcutList } from "./shortcuts";

const run = vi.fn<(id: string) => void>();
const actions: Action[] = keyedActions.map((id) => ({ id, name: `the ${id}`, run: () => run(id) }));
let dispose: () => void = () => {};

function listen(kind = "window", all: readonly Action[] = actions): void {
  dispose = createRoot((d) => {
    createShortcuts(kind, () => all);
    return d;
  });
}

beforeEach(() => run.mockReset());

afterEach(() => {
  dispose();
  setChosenKeys({});
  document.body.replaceChildren();
});

function press(init: KeyboardEventInit, target: EventTarget = document.body): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init });
  target.dispatchEvent(event);
  return event;
}

const called = () => run.mock.calls.map(([id]) => id);

describe("shortcuts", () => {
  it.each<[KeyboardEventInit, string]>([
    [{ key: "n", ctrlKey: true }, "newSession"],
    [{ key: "O", ctrlKey: true, shiftKey: true }, "newSession"],
    [{ key: "N", ctrlKey: true, shiftKey: true }, "newHere"],
    [{ key: "n", code: "KeyN", altKey: true }, "newHere"],
    [{ key: "˜", code: "KeyN", altKey: true }, "newHere"],
    [{ key: "k", ctrlKey: true }, "switcher"],
    [{ key: "л", code: "KeyK", ctrlKey: true }, "switcher"],
    [{ key: "b", ctrlKey: true }, "toggleSidebar"],
    [{ key: ",", ctrlKey: true }, "settings"],
    [{ key: "/", code: "Slash", ctrlKey: true }, "shortcuts"],
    [{ key: "/", code: "Digit7", ctrlKey: true, shiftKey: true }, "shortcuts"],
    [{ key: "+", ctrlKey: true, shiftKey: true }, "zoomIn"],
    [{ key: "=", ctrlKey: true }, "zoomIn"],
    [{ key: "-", ctrlKey: true }, "zoomOut"],
    [{ key: "0", ctrlKey: true }, "zoomReset"],
    [{ key: "ArrowUp", altKey: true }, "previousSession"],
    [{ key: "ArrowDown", altKey: true }, "nextSession"],
    [{ key: "Tab", ctrlKey: true }, "nextTab"],
    [{ key: "Tab", ctrlKey: true, shiftKey: true }, "previousTab"],
    [{ key: "#", code: "Backslash", ctrlKey: true }, "split"],
    [{ key: "Escape" }, "interrupt"],
  ])("%j", (init, id) => {
    listen();
    expect(press(init).defaultPrevented).toBe(true);
    expect(called()).toEqual([id]);
  });

  it.each<KeyboardEventInit>([
    { key: "b" },
    { key: "b", ctrlKey: true, altKey: true },
    { key: "b", ctrlKey: true, metaKey: true },
    { key: "b", ctrlKey: true, isComposing: true },
    { key: "Escape", isComposing: true },
    { key: "Escape", repeat: true },
    { key: "ArrowUp" },
    { key: "Control", ctrlKey: true },
  ])("%j is nothing", (init) => {
    listen();
    expect(press(init).defaultPrevented).toBe(false);
    expect(called()).toEqual([]);
  });

  it.each<KeyboardEventInit>([{ key: "Backspace" }, { key: "Enter" }, { key: "ArrowLeft" }, { key: "b", ctrlKey: true, altKey: true }])("%j does not search the page", (init) => {
    listen();
    const search = vi.spyOn(document, "querySelector");
    press(init);
    expect(search).not.toHaveBeenCalled();
    press({ key: "n", ctrlKey: true });
    expect(search).toHaveBeenCalled();
    search.mockRestore();
  });

  it("leaves what a part has dealt with alone", () => {
    listen();
    const part = document.body.appendChild(document.createElement("div"));
    part.addEventListener("keydown", (event) => event.preventDefault());
    press({ key: "Escape" }, part);
    expect(called()).toEqual([]);
  });

  it("leaves the keyboard to an open dialog or menu", () => {
    listen();
    for (const role of ["dialog", "menu"]) {
      document.body.innerHTML = `<div role="${role}"></div>`;
      press({ key: "Escape" });
    }
    expect(called()).toEqual([]);
  });

  it("does not take the keys of what cannot be done", () => {
    listen("window", actions.map((action) => ({ ...action, enabled: () => false })));
    expect(press({ key: "k", ctrlKey: true }).defaultPrevented).toBe(false);
  });

  it("goes by the keys that a user chose, and no longer by the usual ones", () => {
    listen();
    setChosenKeys({ settings: "Alt+Shift+S", toggleSidebar: "" });
    press({ key: ",", ctrlKey: true });
    press({ key: "b", ctrlKey: true });
    expect(called()).toEqual([]);
    press({ key: "S", code: "KeyS", altKey: true, shiftKey: true });
    expect(called()).toEqual(["settings"]);
    expect(shortcutList("window", actions)).toContainEqual({ keys: "Alt+Shift+S", about: "the settings" });
    expect(shortcutList("window", actions).map(({ about }) => about)).not.toContain("the toggleSidebar");
  });

  it("keys that a user chose are no longer those of another action", () => {
    listen();
    setChosenKeys({ log: "Alt+Shift+F" });
    press({ key: "F", code: "KeyF", altKey: true, shiftKey: true });
    expect(called()).toEqual(["log"]);
    expect(keysOf("fork", "window")).toEqual([]);
    setChosenKeys({});
    expect(keysOf("fork", "window")).toEqual(["Alt+Shift+F"]);
  });

  it.each(["window", "gateway"])("has no keys twice (%s)", (kind) => {
    const all = [...keyedActions.flatMap((id) => keysOf(id, kind)), ...partKeys(kind).map(({ keys }) => keys)];
    expect(all.filter((keys, i) => all.indexOf(keys) !== i)).toEqual([]);
  });

  it("lists keys that the surface does not keep to itself", () => {
    expect(newSessionKeys("window")).toBe("Mod+N");
    expect(newSessionKeys("gateway")).toBe("Mod+Shift+O");
  });
});
