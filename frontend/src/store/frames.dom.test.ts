import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createFrames, type Schedule } from "./frames";

let frames: FrameRequestCallback[];
let nextFrame: Schedule;
beforeEach(() => {
  vi.useFakeTimers();
  frames = [];
  vi.stubGlobal("requestAnimationFrame", (frame: FrameRequestCallback) => frames.push(frame));
  vi.stubGlobal("cancelAnimationFrame", () => {});
  nextFrame = createFrames();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** The next frame of a screen with one every ms milliseconds. */
const frame = (ms = 40) => {
  vi.advanceTimersByTime(ms);
  frames.splice(0).forEach((run) => run(0));
};
const press = () => dispatchEvent(new KeyboardEvent("keydown", { key: "x" }));

it("shows what came in with the next frame", () => {
  const flush = vi.fn<() => void>();
  nextFrame(flush);
  expect(flush).not.toHaveBeenCalled();
  frame();
  expect(flush).toHaveBeenCalledOnce();
  vi.runAllTimers();
  expect(flush).toHaveBeenCalledOnce();
});

it("leaves a frame to a key, and the one after it to what came in", () => {
  const flush = vi.fn<() => void>();
  nextFrame(flush);
  press();
  frame();
  expect(flush).not.toHaveBeenCalled();
  press();
  frame();
  expect(flush).toHaveBeenCalledOnce();
});

it("never leaves two frames in a row to keys", () => {
  const flushed: number[] = [];
  let now = 0;
  for (; now < 6; now++) {
    if (frames.length === 0) nextFrame(() => flushed.push(now));
    press();
    frame();
  }
  expect(flushed).toEqual([1, 3, 5]);
});

it.each([
  { takes: 0, shows: [0, 2, 4, 6] },
  { takes: 12, shows: [0, 3, 6] },
  { takes: 500, shows: [0, 7] },
])("shows what takes $takes ms in the frames $shows", ({ takes, shows }) => {
  const shown: number[] = [];
  let now = 0;
  for (; now < 8; now++) {
    if (frames.length === 0) {
      nextFrame(() => {
        shown.push(now);
        vi.advanceTimersByTime(takes);
      });
    }
    frame(16);
  }
  expect(shown).toEqual(shows);
});

it("shows less often what only grows", () => {
  const shown: number[] = [];
  let calm = true;
  let now = 0;
  for (; now < 12; now++) {
    if (frames.length === 0) nextFrame(() => shown.push(now), () => calm);
    calm = now < 8;
    frame(16);
  }
  expect(shown).toEqual([0, 6, 8, 10]);
});

it("does not wait for frames that do not come", () => {
  const flush = vi.fn<() => void>();
  nextFrame(flush);
  press();
  frame();
  vi.runAllTimers();
  expect(flush).toHaveBeenCalledOnce();
  frame();
  expect(flush).toHaveBeenCalledOnce();
});
