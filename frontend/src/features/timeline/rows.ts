// The rows of a timeline for a virtual list, which stores sizes by index and has to know where rows were added or
// removed.

import { type Accessor, createMemo } from "solid-js";
import { unwrap } from "solid-js/store";

export interface Rows {
  /** Message ids, oldest first. The array may be the store's own: it is only read. */
  ids: readonly string[];
  /** Whether the last change was at the beginning. */
  shift: boolean;
  /** A new number means entirely different messages. */
  epoch: number;
}

interface Known extends Rows {
  first: string;
  last: string;
}

/** Follows an order of ids. Processing a longer one costs only what was prepended. */
export function createRows(order: () => readonly string[]): Accessor<Rows> {
  return createMemo<Known>(
    (old) => {
      const now = order();
      const first = now[0] ?? "";
      const last = now[now.length - 1] ?? "";
      const ids = unwrap(now);
      const known = { ids, first, last };
      if (old.first === "" || first === old.first) return { ...known, shift: false, epoch: old.epoch };
      // Rows were prepended, or the oldest were removed.
      if (ids.includes(old.first) || ids.includes(old.last)) return { ...known, shift: true, epoch: old.epoch };
      return { ...known, shift: false, epoch: old.epoch + 1 };
    },
    { ids: [], first: "", last: "", shift: false, epoch: 1 },
  );
}
