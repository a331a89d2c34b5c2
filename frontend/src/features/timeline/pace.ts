// Limits how much of a list is rendered per frame during fast scrolling ("flight"). A user who scrolls by more than a
// view per frame isn't reading: rows without time left stay blank, at their estimated height, and are rendered when the
// flight ends. Everything else is rendered immediately: opening, jumping, and scrolling at reading speed.

import { onCleanup } from "solid-js";

/** The time for rendering rows per frame of a flight, in ms; styles and layout take as long again. */
const budget = 4;
/** Scrolling by more views than this per frame is a flight. Paging is reading. */
const flying = 1.25;

export interface Pace {
  /** Reports whether there is time to render a row now. Otherwise draw is called in one of the next frames. */
  begin(draw: () => void): boolean;
  /** Call once with the list's element: observes scrolling before the list renders new rows. */
  attach(scroller: HTMLElement): void;
}

export function createPace(): Pace {
  /** The blank rows, longest-waiting first. Each holder drops its draw function when done: long-lived sets are copied,
   * and the copies are kept (hover.ts). */
  const blank = new Set<{ draw: (() => void) | undefined }>();
  let top = 0;
  /** Whether there was a flight since the last frame began. */
  let flew = false;
  /** When the time for rendering ends; infinite without a flight. */
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
    // The rows that came into view last are the visible ones. At least one is rendered, however slow the machine is.
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
        // Programmatic scrolling goes to something to be read.
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
