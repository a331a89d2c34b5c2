// Row heights by session, for the page's lifetime. When a conversation is shown again,
// its position is restored, and its scrollbar is right from the start.
//
// Heights are valid for one width only. They are only an estimate: rendered rows are
// measured anyway.

import type { CacheSnapshot } from "virtua";
import type { Layout } from "../../store/layout";
import { maxMessages } from "../../store/conversation";

/** The number of conversations whose heights are kept. */
const most = 12;
/** The estimated height of an unknown row: rather low, so that the first rows rendered fill the view. */
const guess = 110;

/** virtua's snapshot: the sizes by index, -1 for unknown, and the estimate for those. */
type Sizes = [sizes: number[], guess: number];

interface Remembered {
  width: number;
  heights: Map<string, number>;
  guess: number;
}

// Keyed by window, and collected with it.
const windows = new WeakMap<Layout, Map<string, Remembered>>();

/** Saves the heights a list has measured. */
export function rememberHeights(layout: Layout, sessionId: string, width: number, ids: readonly string[], snapshot: CacheSnapshot): void {
  let sessions = windows.get(layout);
  if (!sessions) windows.set(layout, (sessions = new Map()));
  const old = sessions.get(sessionId);
  const [sizes, taken] = snapshot as unknown as Sizes;
  const heights = old?.width === width ? old.heights : new Map<string, number>();
  for (const [i, id] of ids.entries()) {
    const size = sizes[i] ?? -1;
    if (size >= 0) heights.set(id, size);
  }
  for (const id of heights.keys()) {
    if (heights.size <= maxMessages) break;
    heights.delete(id);
  }
  sessions.delete(sessionId);
  sessions.set(sessionId, { width, heights, guess: taken });
  for (const id of sessions.keys()) {
    if (sessions.size <= most) break;
    sessions.delete(id);
  }
}

/** The known heights of these rows, to initialize a list. */
export function recallHeights(layout: Layout, sessionId: string, width: number, ids: readonly string[]): CacheSnapshot {
  const known = windows.get(layout)?.get(sessionId);
  const fits = known?.width === width ? known : undefined;
  const sizes: Sizes = [ids.map((id) => fits?.heights.get(id) ?? -1), fits?.guess ?? guess];
  return sizes as unknown as CacheSnapshot;
}
