import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { watch } from "./hover";

const said: string[] = [];
const ends: (() => void)[] = [];

function message(name: string, inside: Element = document.body): HTMLElement {
  const element = document.createElement("article");
  element.append(document.createElement("button"));
  inside.append(element);
  ends.push(watch(element, { stands: () => said.push(`${name} stands`), near: (now) => said.push(`${name} ${now ? "near" : "left"}`) }));
  return element;
}

const take = () => said.splice(0);
const point = (type: "pointerover" | "pointerout", at: Element, related: Element | null = null) =>
  at.dispatchEvent(new MouseEvent(type, { bubbles: true, relatedTarget: related }));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  for (const end of ends.splice(0)) end();
  document.body.replaceChildren();
  vi.useRealTimers();
  take();
});

describe("watch", () => {
  test("tells what has stood for a while, each in its time", () => {
    message("a");
    vi.advanceTimersByTime(100);
    message("b");
    vi.advanceTimersByTime(60);
    expect(take()).toEqual(["a stands"]);
    vi.advanceTimersByTime(200);
    expect(take()).toEqual(["b stands"]);
  });

  test("what is gone before has never stood", () => {
    message("a");
    ends.pop()?.();
    message("b");
    vi.advanceTimersByTime(200);
    expect(take()).toEqual(["b stands"]);
  });

  test("leaves no timer behind", () => {
    message("a");
    message("b");
    vi.advanceTimersByTime(10);
    for (const end of ends.splice(0)) end();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("the pointer comes and goes, also from one into another inside of it", () => {
    const outer = message("outer");
    const inner = message("inner", outer);
    const button = inner.querySelector("button") as Element;
    point("pointerover", outer);
    expect(take()).toEqual(["outer stands", "outer near"]);
    point("pointerout", outer, button);
    point("pointerover", button, outer);
    expect(take()).toEqual(["inner stands", "inner near"]);
    point("pointerout", button, outer);
    point("pointerover", outer, button);
    expect(take()).toEqual(["inner left"]);
    point("pointerout", outer);
    expect(take()).toEqual(["outer left"]);
  });

  test("the focus makes it stand", () => {
    const one = message("a");
    one.querySelector("button")?.focus();
    expect(take()).toEqual(["a stands"]);
  });

  test("hears of nothing once it has ended", () => {
    const one = message("a");
    point("pointerover", one);
    take();
    ends.pop()?.();
    point("pointerout", one);
    point("pointerover", one);
    one.querySelector("button")?.focus();
    expect(take()).toEqual([]);
  });
});
