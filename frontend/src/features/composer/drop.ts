// Files that are dropped anywhere on a session.

import { type Accessor, createSignal, onCleanup, onMount } from "solid-js";

/** Gives the files to take, and says whether something is being dragged over the session. */
export function createDrop(root: () => HTMLElement, take: (files: File[]) => void): Accessor<boolean> {
  const [dropping, setDropping] = createSignal(false);
  // Nothing says when a drag has ended outside, so the mark goes when no more is
  // heard of it.
  onMount(() => {
    const pane = root().closest<HTMLElement>('[data-component="session-pane"]') ?? root();
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
      if (files.length > 0) take(files);
    };
    pane.addEventListener("dragover", onDragOver);
    pane.addEventListener("drop", onDrop);
    onCleanup(() => {
      clearTimeout(timer);
      pane.removeEventListener("dragover", onDragOver);
      pane.removeEventListener("drop", onDrop);
    });
  });
  return dropping;
}
