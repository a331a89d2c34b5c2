import { createRoot } from "solid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createPace } from "./pace";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A list with a view of 600 px, in which a row takes 1.5 ms to render. */
function list() {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  let heard: (event: Event) => void = () => {};
  const scroller = { scrollTop: 0, clientHeight: 600, addEventListener: vi.fn((_: string, listener: (event: Event) => void) => (heard = listener)), removeEventListener: vi.fn() };
  const drawn: number[] = [];
  const draw = (row: number) => {
    now += 1.5;
    drawn.push(row);
  };
  const { pace, dispose } = createRoot((dispose) => {
    const pace = createPace();
    pace.attach(scroller as unknown as HTMLElement);
    return { pace, dispose };
  });
  return {
    drawn,
    dispose,
    scroller,
    scroll(by: number, isTrusted = true) {
      scroller.scrollTop += by;
      heard({ isTrusted } as Event);
    },
    /** Rows come into view. Returns functions that remove them. */
    rows: (from: number, count: number) =>
      Array.from({ length: count }, (_, i) =>
        createRoot((end) => {
          if (pace.begin(() => draw(from + i))) draw(from + i);
          return end;
        }),
      ),
    /** Advances by one frame. */
    frame() {
      now += 20;
      vi.advanceTimersToNextFrame();
    },
  };
}

test.each([
  ["at the beginning", () => {}],
  ["by pages", (l: ReturnType<typeof list>) => l.scroll(700)],
  ["by the page itself, however far", (l: ReturnType<typeof list>) => l.scroll(90_000, false)],
  ["after the page itself went far", (l: ReturnType<typeof list>) => [l.scroll(90_000, false), l.scroll(10)]],
])("what comes in sight is drawn at once %s", (_, go) => {
  const l = list();
  go(l);
  l.rows(0, 20);
  expect(l.drawn).toHaveLength(20);
});

test("a flight draws what there is time for, and the rest when it is over, the newest first", () => {
  const l = list();
  l.scroll(-1200);
  l.rows(0, 5);
  expect(l.drawn).toEqual([0, 1, 2]);
  // While the flight continues, skipped rows have to wait.
  l.frame();
  l.scroll(-1200);
  l.rows(5, 9);
  expect(l.drawn).toEqual([0, 1, 2, 5, 6, 7]);
  l.frame();
  expect(l.drawn).toHaveLength(6);
  l.frame();
  expect(l.drawn.slice(6)).toEqual([13, 12, 11]);
  // Then everything is as before.
  l.rows(20, 6);
  expect(l.drawn.slice(9)).toEqual([20, 21, 22, 23, 24, 25]);
  for (let i = 0; i < 3; i++) l.frame();
  expect(l.drawn.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 20, 21, 22, 23, 24, 25]);
  expect(vi.getTimerCount()).toBe(0);
});

test("rows that are gone are not drawn, and nothing continues after the end", () => {
  const l = list();
  l.scroll(-1200);
  const ends = l.rows(0, 9);
  ends[8]?.();
  l.frame();
  l.frame();
  expect(l.drawn).toEqual([0, 1, 2, 7, 6, 5]);
  l.dispose();
  expect(vi.getTimerCount()).toBe(0);
  expect(l.scroller.removeEventListener).toHaveBeenCalledOnce();
});
