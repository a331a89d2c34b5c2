// The heights that rows once had, by session, for as long as the page lives. A
// conversation that is shown again then stands where it stood, and its scrollbar
// tells the truth from the start.
//
// Heights hold for one width only. They are a guess, whatever it is worth: what is
// drawn is measured anyway.

import type { CacheSnapshot } from "virtua";
import type { Layout } from "../../store/layout";
import { maxMessages } from "../../store/conversation";

/** Conversations whose heights are remembered. */
const most = 12;
/** What a row is taken for that nobody has seen: rather less, so that the first rows drawn fill the view. */
const guess = 110;

/** What virtua's snapshot is: the sizes by index, -1 for none, and what is taken for those. */
type Sizes = [sizes: number[], guess: number];

interface Remembered {
  width: number;
  heights: Map<string, number>;
  guess: number;
}

// Of the window that it belongs to, and gone with it.
const windows = new WeakMap<Layout, Map<string, Remembered>>();

/** Remembers what a list has measured. */
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

/** What is known of the heights of these rows, for a list to begin with. */
export function recallHeights(layout: Layout, sessionId: string, width: number, ids: readonly string[]): CacheSnapshot {
  const known = windows.get(layout)?.get(sessionId);
  const fits = known?.width === width ? known : undefined;
  const sizes: Sizes = [ids.map((id) => fits?.heights.get(id) ?? -1), fits?.guess ?? guess];
  return sizes as unknown as CacheSnapshot;
}
