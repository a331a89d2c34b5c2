// Schedules when received events are shown: with a frame, but not with each one. A text that grows ten times per second
// reads as well as one that grows sixty times, at a fifth of the cost. Other events and typing go first.

/** calm reports that only texts grow. */
export type Schedule = (flush: () => void, calm?: () => boolean) => void;

/** The minimum interval, in ms: less than two frames of a usual screen, and less than six if only texts grow. */
const apart = 24;
const apartCalm = 90;
/** The maximum interval, however slow the machine is. */
const farthest = 100;
/** Layout and paint take about as long as applying the events, which is what is measured; the rest is left to others. */
const share = 3;

/**
 * Creates a schedule that flushes with one of the next frames, or immediately while the page is hidden, when there are
 * no frames. The timer is for a covered window that does not report being hidden. It listens for keys for the page's
 * lifetime.
 *
 * A frame with a key is left to the key, and received events are shown one frame later: in a stream, applying them and
 * layout are most of a frame's work.
 */
export function createFrames(): Schedule {
  /** A pending frame shows the effect of a key. */
  let typed = false;
  /** The last frame was left to a key: the next one is not, however fast the user types. */
  let left = false;
  /** When the last flush was applied, and how long that took, in ms. */
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
