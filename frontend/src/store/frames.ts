// When what came in is shown: with the next frame, but not with each one. A text that
// grows ten times in a second reads as well as one that grows sixty times, and
// costs a fifth. What is no text, and what is typed, goes first.

/** calm says that texts grow, and nothing else came. */
export type Schedule = (flush: () => void, calm?: () => boolean) => void;

/** The least time to the next, in ms: less than two frames of a usual screen, and less than six where only texts grow. */
const apart = 24;
const apartCalm = 90;
/** The most, however slow the machine is. */
const farthest = 100;
/** Layout and paint take about as long as taking it in, which is what is measured; the rest is left to others. */
const share = 3;

/**
 * Makes a schedule that flushes with one of the next frames, or at once while the page is
 * hidden: there are no frames then. The timer is for a window that is covered and does not
 * say so. It hears keys for as long as the page lives.
 *
 * A frame with a key is left to it, and what came in is shown one later: in a stream,
 * taking it in and laying it out is most of what a frame does.
 */
export function createFrames(): Schedule {
  /** A frame is due that shows what a key did. */
  let typed = false;
  /** The last frame was left to a key: the next one is not, however fast somebody types. */
  let left = false;
  /** When what was last shown had been taken in, and how long that took, in ms. */
  let last = -Infinity;
  let cost = 0;
  addEventListener("keydown", () => (typed = true), { capture: true, passive: true });

  return (flush, calm = () => false) => {
    if (document.visibilityState === "hidden") {
      flush();
      return;
    }
    let done = false;
    let frame = requestAnimationFrame(onFrame);
    const timer = setTimeout(once, 250);
    document.addEventListener("visibilitychange", once);

    function onFrame(): void {
      left = typed && !left;
      typed = false;
      const soon = performance.now() - last < Math.min(Math.max(calm() ? apartCalm : apart, cost * share), farthest);
      if (left || soon) frame = requestAnimationFrame(onFrame);
      else once();
    }
    function once(): void {
      if (done) return;
      done = true;
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", once);
      const from = performance.now();
      flush();
      last = performance.now();
      cost = last - from;
    }
  };
}
