// Files dropped anywhere on a session.

import { type Accessor, createSignal, onCleanup, onMount } from "solid-js";
import type { Handed, Handing } from "../../host/handing";

/** Handles what was dropped. */
export interface Takes {
  files(files: File[]): void;
  handed(from: Handing, asked: Promise<Handed>): void;
}

/** Passes drops to take, and returns whether something is being dragged over the session. */
export function createDrop(area: () => HTMLElement, take: Takes, handing?: Handing): Accessor<boolean> {
  const [dropping, setDropping] = createSignal(false);
  // Nothing reports a drag that ends outside, so the mark is removed when its events stop.
  onMount(() => {
    const pane = area();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onDragOver = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      setDropping(true);
      clearTimeout(timer);
      timer = setTimeout(() => setDropping(false), 200);
    };
    const onDrop = (event: DragEvent) => {
      setDropping(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) take.files(files);
    };
    pane.addEventListener("dragover", onDragOver);
    pane.addEventListener("drop", onDrop);
    // A dialog over the session is not the session.
    const off = handing?.onDrag((drag) => {
      const here = drag.kind !== "left" && pane.contains(document.elementFromPoint(drag.x, drag.y));
      setDropping(here && drag.kind === "over");
      if (here && drag.kind === "drop") take.handed(handing, drag.handed());
      return here;
    });
    onCleanup(() => {
      clearTimeout(timer);
      pane.removeEventListener("dragover", onDragOver);
      pane.removeEventListener("drop", onDrop);
      off?.();
    });
  });
  return dropping;
}
