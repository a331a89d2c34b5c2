// What lies to the left is what comes before, or what comes after where people read
// from right to left.

/** Whether the page is read from right to left. */
export function isRightToLeft(): boolean {
  return document.documentElement.dir === "rtl";
}

/** A key by where it leads in reading: the arrows to the sides change places where reading does. */
export function readingKey(event: KeyboardEvent): string {
  if (!isRightToLeft()) return event.key;
  return { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" }[event.key] ?? event.key;
}

/** How far something lies behind the edge at which reading begins. */
export function readingOffset(x: number, box: { left: number; right: number }): number {
  return isRightToLeft() ? box.right - x : x - box.left;
}
