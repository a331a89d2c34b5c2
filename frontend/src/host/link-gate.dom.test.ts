import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { guardLinks } from "./link-gate";

const openExternal = vi.fn<(url: string) => void>();
let stop: () => void;

beforeEach(() => {
  openExternal.mockReset();
  stop = guardLinks({ openExternal });
});

afterEach(() => {
  stop();
  document.body.replaceChildren();
});

/** Clicks in the markup; returns whether the default action was prevented. */
function click(markup: string, type = "click"): boolean {
  document.body.innerHTML = markup;
  const event = new MouseEvent(type, { bubbles: true, cancelable: true, composed: true });
  (document.querySelector("[data-target]") ?? document.body.firstElementChild)?.dispatchEvent(event);
  return event.defaultPrevented;
}

it.each([
  ['<a href="https://example.org/a">x</a>', "https://example.org/a"],
  ['<a href="http://example.org/"><b data-target>x</b></a>', "http://example.org/"],
  ['<a href="mailto:a@example.org">x</a>', "mailto:a@example.org"],
])("opens %s outside", (markup, url) => {
  expect(click(markup)).toBe(true);
  expect(openExternal.mock.calls).toEqual([[url]]);
});

it.each([
  '<a href="javascript:alert(1)">x</a>',
  '<a href=" java\tscript:alert(1)">x</a>',
  '<a href="data:text/html,x">x</a>',
  '<a href="file:///etc/passwd">x</a>',
  '<a href="/elsewhere">x</a>',
  '<a href="#here">x</a>',
  '<a href="">x</a>',
  '<map><area data-target href="/x"></map>',
  '<svg><a data-target href="/x"><text>x</text></a></svg>',
])("swallows %s", (markup) => {
  expect(click(markup)).toBe(true);
  expect(openExternal).not.toHaveBeenCalled();
});

it("does not open a tab for the middle button", () => {
  expect(click('<a href="https://example.org">x</a>', "auxclick")).toBe(true);
  expect(openExternal).not.toHaveBeenCalled();
});

it("keeps forms and dropped files from replacing the page", () => {
  for (const type of ["submit", "drop", "dragover"]) {
    const event = new Event(type, { bubbles: true, cancelable: true });
    document.body.dispatchEvent(event);
    expect(event.defaultPrevented, type).toBe(true);
  }
});

it("leaves other clicks alone", () => {
  expect(click("<button>x</button>")).toBe(false);
});
