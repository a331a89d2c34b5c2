import { createRoot } from "solid-js";
import type { VirtualizerHandle } from "virtua/solid";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createFollowScroll, type FollowScroll } from "./scroll";

const view = 600;

/** A list of rows with these heights, simulating the browser and the virtual list. known is the list's idea of their
 * height. */
function rows(heights: number[], known?: () => number) {
  const ids = heights.map((_, i) => `r${i}`);
  const scroller = document.createElement("div");
  let at = 0;
  let width = 700;
  let high = view;
  const height = () => heights.reduce((sum, one) => sum + one, 0);
  const offset = (i: number) => heights.slice(0, i).reduce((sum, one) => sum + one, 0);
  const box = (top: number, height: number) => ({ top, height, bottom: top + height }) as DOMRect;
  Object.defineProperties(scroller, {
    clientHeight: { get: () => high },
    clientWidth: { get: () => width },
    scrollHeight: { get: height },
    scrollTop: {
      get: () => (at = Math.max(0, Math.min(at, height() - high))),
      set(to: number) {
        at = Math.max(0, Math.min(to, height() - high));
      },
    },
  });
  scroller.getBoundingClientRect = () => box(0, view);
  /** Text at the end of each row, 20 px high. */
  const drawRow = (i: number) => {
    const row = document.createElement("div");
    row.getBoundingClientRect = () => box(offset(i) - scroller.scrollTop, heights[i] ?? 0);
    const words = document.createElement("p");
    words.getBoundingClientRect = () => box(offset(i + 1) - scroller.scrollTop - 20, 20);
    row.append(document.createElement("h2"), words);
    scroller.append(row);
    return row;
  };
  const elements = ids.map((_, i) => drawRow(i));
  document.body.append(scroller);
  const virtual = {
    getItemOffset: offset,
    findItemIndex: (top: number) => Math.max(0, heights.findIndex((one, i) => offset(i) + one > top)),
  } as unknown as VirtualizerHandle;
  let follow!: FollowScroll;
  createRoot((dispose) => {
    follow = createFollowScroll(() => false);
    follow.attach({ scroller, lead: 0, height: known ?? height, ids: () => ids, virtual: () => virtual, row: (id) => elements[ids.indexOf(id)] });
    onTestEnd = () => {
      dispose();
      scroller.remove();
    };
  });
  /** The view is scrolled, by the user or otherwise, and the list is notified. */
  const scroll = (by: number) => {
    scroller.scrollTop += by;
    follow.scrolled();
  };
  /** A row changes its height; the browser lays it out before anyone is notified. For rows above, the list compensates. */
  const measure = (i: number, height: number) => {
    const above = offset(i + 1) <= scroller.scrollTop;
    const by = height - (heights[i] ?? 0);
    heights[i] = height;
    if (above) scroll(by);
    follow.resized();
  };
  /**
   * The view changes its width, and all rows their height; then the list compensates for those above, and may have
   * removed one.
   */
  const resize = (to: number, higher: number[], gone = -1) => {
    const before = offset(virtual.findItemIndex(scroller.scrollTop));
    width = to;
    for (const [i, one] of higher.entries()) heights[i] = one;
    follow.resized();
    elements[gone]?.remove();
    if (gone >= 0) elements[gone] = drawRow(gone);
    scroll(offset(1) - before);
  };
  /** The view changes its height, and more is appended, before anyone is notified. */
  const grow = (to: number, more: number) => {
    high = to;
    scroller.scrollTop += 0; // clamps it to the new maximum
    heights[heights.length - 1] = (heights.at(-1) ?? 0) + more;
    follow.scrolled();
    follow.resized();
  };
  /** All rows change their heights; nobody has been notified yet. */
  const change = (to: number[]) => {
    for (const [i, one] of to.entries()) heights[i] = one;
  };
  return { follow, scroller, scroll, measure, resize, grow, change, y: (i: number) => offset(i) - scroller.scrollTop };
}

let onTestEnd = () => {};
afterEach(() => {
  onTestEnd();
  vi.useRealTimers();
});

describe("what was gone to, near the end of what is there", () => {
  test("stays where the rows around it leave it, when more comes below", () => {
    const { follow, measure, y } = rows([500, 110, 500, 100, 110]);
    follow.show("r3");
    measure(1, 405);
    measure(4, 79);
    const shown = y(3);
    measure(4, 20_000);
    expect(y(3)).toBe(shown);
  });

  test("and what the user scrolls to meanwhile is where they stay", () => {
    const { follow, scroller, scroll, measure, y } = rows([500, 500, 500, 110, 110]);
    follow.show("r3");
    scroller.dispatchEvent(new Event("wheel"));
    scroll(-200);
    const read = y(2);
    measure(4, 20_000);
    measure(3, 400);
    expect(y(2)).toBe(read);
  });

  test("and after a while it is a place like any other: scrolling continues without a wheel", () => {
    vi.useFakeTimers();
    const { follow, scroll, measure, y } = rows([500, 500, 500, 110, 110]);
    follow.show("r3");
    vi.advanceTimersByTime(1500);
    scroll(-200);
    const read = y(2);
    measure(4, 20_000);
    expect(y(2)).toBe(read);
  });
});

describe("another width", () => {
  test("leaves what is read where it is, whatever the list makes up for", () => {
    vi.useFakeTimers();
    const { scroller, scroll, resize, y } = rows([500, 500, 500, 5000]);
    scroller.dispatchEvent(new Event("wheel"));
    scroll(900);
    scroll(-200);
    const read = y(2);
    resize(400, [700, 650, 650, 7000]);
    expect(y(2)).toBe(read);
    // After that, scrolling counts as the user's again.
    vi.advanceTimersByTime(1500);
    scroll(100);
    expect(y(2)).toBe(read - 100);
  });

  test("also in a row that begins above the view and is drawn anew", () => {
    const { scroll, resize, y } = rows([500, 500, 500, 5000]);
    scroll(900);
    scroll(-100);
    // The text at the end of the second row is in view: it starts at 180 px, the next row at 200.
    const read = y(2);
    resize(400, [700, 650, 650, 7000], 1);
    expect(y(2)).toBe(read);
  });

  test("and who scrolls right after it is let", () => {
    const { scroller, scroll, resize, y } = rows([500, 500, 500, 5000]);
    scroll(900);
    scroll(-200);
    resize(400, [700, 650, 650, 7000]);
    const read = y(2);
    scroller.dispatchEvent(new Event("wheel"));
    scroll(100);
    expect(y(2)).toBe(read - 100);
  });
});

describe("the end", () => {
  const heights = [500, 500, 500];
  const sum = () => heights.reduce((all, one) => all + one, 0);

  test("is where the scroller ends, if the list knows all of it", () => {
    const { follow, scroller } = rows(heights);
    follow.toEnd();
    expect(scroller.scrollTop).toBe(1500 - view);
  });

  test("is not beyond what the list knows, until it has measured", () => {
    const grown = [...heights];
    const { follow, scroller, measure } = rows(grown, sum);
    follow.toEnd();
    // The last row is higher than the list assumes: at the scroller's end it would render nothing.
    grown[2] = 4000;
    follow.toEnd();
    expect(scroller.scrollTop).toBe(1500 - view);
    heights[2] = 4000;
    measure(2, 4000);
    follow.toEnd();
    expect(scroller.scrollTop).toBe(5000 - view);
  });

  test("is followed when the view becomes higher while more comes", () => {
    const { follow, scroller, grow } = rows([500, 500, 500]);
    follow.toEnd();
    grow(900, 200);
    expect(scroller.scrollTop).toBe(1700 - 900);
    expect(follow.newBelow()).toBe(false);
  });

  // Rows above shrink, for which the list compensates, and even more is added below.
  test("is followed when the list scrolls up automatically while more comes", () => {
    const { follow, scroller, scroll, change } = rows([500, 500, 500]);
    follow.toEnd();
    change([300, 400, 900]);
    scroll(-300);
    expect(scroller.scrollTop).toBe(1600 - view);
    change([300, 400, 950]);
    follow.resized();
    expect(scroller.scrollTop).toBe(1650 - view);
  });

  test.each([new WheelEvent("wheel"), new Event("touchmove"), new KeyboardEvent("keydown")])("is left by who scrolls up while more comes: $type", (input) => {
    const { follow, scroller, scroll, change } = rows([500, 500, 500]);
    follow.toEnd();
    change([500, 500, 900]);
    scroller.dispatchEvent(input);
    scroll(-100);
    expect(scroller.scrollTop).toBe(1500 - view - 100);
  });

  test("is left by who drags the scroll bar up while more comes", () => {
    const { follow, scroller, scroll, change } = rows([500, 500, 500]);
    follow.toEnd();
    scroller.dispatchEvent(new Event("pointerdown"));
    change([500, 500, 900]);
    scroll(-100);
    expect(scroller.scrollTop).toBe(1500 - view - 100);
    window.dispatchEvent(new Event("pointerup"));
  });

  test("is left by who scrolls up from it", () => {
    const { follow, scroller, scroll, grow } = rows([500, 500, 500]);
    follow.toEnd();
    scroll(-100);
    grow(view, 200);
    expect(scroller.scrollTop).toBe(1500 - view - 100);
  });
});
