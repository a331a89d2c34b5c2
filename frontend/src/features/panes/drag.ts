// Dragging tabs within their bar, or to the other pane. Uses pointer events, because the native window treats HTML drag
// and drop as files.

import { readingOffset } from "../../lib/direction";
import { type Accessor, createSignal } from "solid-js";
import type { Layout } from "../../store/layout";

export interface Target {
  pane: number;
  /** The tab is inserted before the one at this index. */
  index: number;
}

export interface TabDrag {
  /** The session whose tab is being dragged. */
  readonly dragged: Accessor<string | null>;
  readonly target: Accessor<Target | null>;
  start(event: PointerEvent, sessionId: string): void;
}

/** A smaller movement is a click. */
const slack = 6;

export function createTabDrag(layout: Layout): TabDrag {
  const [dragged, setDragged] = createSignal<string | null>(null);
  const [target, setTarget] = createSignal<Target | null>(null);

  return {
    dragged,
    target,
    start(event, sessionId) {
      if (event.button !== 0) return;
      const { clientX, pointerId } = event;
      const stop = new AbortController();
      const { signal } = stop;
      const end = () => {
        stop.abort();
        setDragged(null);
        setTarget(null);
      };
      const onMove = (move: PointerEvent) => {
        if (move.pointerId !== pointerId) return;
        if (dragged() === null && Math.abs(move.clientX - clientX) < slack) return;
        setDragged(sessionId);
        setTarget(targetAt(document.elementFromPoint(move.clientX, move.clientY), move.clientX));
      };
      const onUp = (up: PointerEvent) => {
        if (up.pointerId !== pointerId) return;
        const to = target();
        if (dragged() !== null && to) layout.move(sessionId, to.pane, to.index);
        end();
      };
      window.addEventListener("pointermove", onMove, { signal });
      window.addEventListener("pointerup", onUp, { signal });
      window.addEventListener("pointercancel", end, { signal });
      window.addEventListener("keydown", (key) => key.key === "Escape" && end(), { signal });
    },
  };
}

/** The drop target of a tab over an element. */
export function targetAt(element: Element | null, x: number): Target | null {
  const bar = element?.closest<HTMLElement>('[data-component="tab-bar"]');
  const pane = element?.closest<HTMLElement>("[data-pane]");
  if (!pane) return null;
  const tabs = [...pane.querySelectorAll<HTMLElement>("[data-tab]")];
  const number = Number(pane.dataset["pane"]);
  if (!bar) return { pane: number, index: tabs.length };
  const before = tabs.findIndex((tab) => {
    const box = tab.getBoundingClientRect();
    return readingOffset(x, box) < box.width / 2;
  });
  return { pane: number, index: before < 0 ? tabs.length : before };
}
