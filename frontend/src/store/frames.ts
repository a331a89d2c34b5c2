// When what came in is shown: with the next frame. What somebody types goes first.

export type Schedule = (flush: () => void) => void;

/** A frame is due that shows what a key did. */
let typed = false;
/** The last frame was left to a key: the next one is not, however fast somebody types. */
let left = false;
addEventListener("keydown", () => (typed = true), { capture: true, passive: true });

/**
 * Runs with the next frame, or at once while the page is hidden: there are no
 * frames then. The timer is for a window that is covered and does not say so.
 *
 * A frame with a key is left to it, and what came in is shown one later: in a stream,
 * taking it in and laying it out is most of what a frame does.
 */
export function nextFrame(flush: () => void): void {
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
    if (left) frame = requestAnimationFrame(onFrame);
    else once();
  }
  function once(): void {
    if (done) return;
    done = true;
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", once);
    flush();
  }
}
