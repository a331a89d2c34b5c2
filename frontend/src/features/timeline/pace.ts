// How much of a list is drawn in one frame while somebody flies through it. Whoever
// scrolls by more than a view with one frame reads nothing: what there is no time for is
// left blank, as high as it is taken for, and is drawn when the flight has ended. All else is
// drawn at once: opening, jumping, and scrolling as one reads.

import { onCleanup } from "solid-js";

/** So long rows are drawn in one frame of a flight, in ms; as long again goes to styles and layout. */
const budget = 4;
/** Who scrolls by more views than this with one frame flies. Going on by pages is reading. */
const flying = 1.25;

export interface Pace {
  /** Whether there is time to draw a row now. Otherwise draw is called in one of the next frames. */
  begin(draw: () => void): boolean;
  /** To be given to the list's element once: hears of scrolling before the list draws what comes in sight. */
  attach(scroller: HTMLElement): void;
}

export function createPace(): Pace {
  /** The rows that are blank, the one that waits longest first. What draws a row goes with it: sets that live for long are copied, and copies are kept (near.ts). */
  const blank = new Set<{ draw: (() => void) | undefined }>();
  let top = 0;
  /** Somebody flew since the last frame began. */
  let flew = false;
  /** The end of the time for drawing; endless when nobody flies. */
  let end = Infinity;
  let frame = 0;
  onCleanup(() => cancelAnimationFrame(frame));

  function next(): void {
    frame = 0;
    if (!flew) {
      end = Infinity;
      fill();
    }
    flew = false;
    if (end !== Infinity || blank.size > 0) frame = requestAnimationFrame(next);
  }

  function fill(): void {
    const until = performance.now() + budget;
    // What came in sight last is what is looked at. One is drawn however slow the machine is.
    for (const row of [...blank].toReversed()) {
      blank.delete(row);
      row.draw?.();
      if (performance.now() >= until) return;
    }
  }

  return {
    begin(draw) {
      if (end === Infinity || performance.now() < end) return true;
      const row: { draw: (() => void) | undefined } = { draw };
      blank.add(row);
      onCleanup(() => {
        blank.delete(row);
        row.draw = undefined;
      });
      return false;
    },
    attach(scroller) {
      const heard = ({ isTrusted }: Event) => {
        const by = Math.abs(scroller.scrollTop - top);
        top = scroller.scrollTop;
        // What the page does itself goes to something that is to be read.
        if (!isTrusted || by <= scroller.clientHeight * flying) return;
        flew = true;
        end = performance.now() + budget;
        frame ||= requestAnimationFrame(next);
      };
      scroller.addEventListener("scroll", heard, { capture: true, passive: true });
      onCleanup(() => scroller.removeEventListener("scroll", heard, { capture: true }));
    },
  };
}
