// Left-to-right and right-to-left text direction.

/** Whether the page is read from right to left. */
export function isRightToLeft(): boolean {
  return document.documentElement.dir === "rtl";
}

/** A key by its reading direction: left and right arrows are swapped in right-to-left text. */
export function readingKey(event: KeyboardEvent): string {
  if (!isRightToLeft()) return event.key;
  return { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" }[event.key] ?? event.key;
}

/** The distance from the edge where reading starts. */
export function readingOffset(x: number, box: { left: number; right: number }): number {
  return isRightToLeft() ? box.right - x : x - box.left;
}
