// The rows of a timeline as a virtual list wants them: it keeps its sizes by index
// and has to be told where rows came or went.

import { type Accessor, createMemo } from "solid-js";
import { unwrap } from "solid-js/store";

export interface Rows {
  /** Ids of messages, oldest first. The array may be the store's own: it is only read. */
  ids: readonly string[];
  /** What changed last, changed at the beginning. */
  shift: boolean;
  /** Another number means other messages altogether. */
  epoch: number;
}

interface Known extends Rows {
  first: string;
  last: string;
}

/** Follows an order of ids. Looking at a longer one costs no more than what was added in front. */
export function createRows(order: () => readonly string[]): Accessor<Rows> {
  return createMemo<Known>(
    (old) => {
      const now = order();
      const first = now[0] ?? "";
      const last = now[now.length - 1] ?? "";
      const ids = unwrap(now);
      const known = { ids, first, last };
      if (old.first === "" || first === old.first) return { ...known, shift: false, epoch: old.epoch };
      // In front of what there was, or without its oldest ones.
      if (ids.includes(old.first) || ids.includes(old.last)) return { ...known, shift: true, epoch: old.epoch };
      return { ...known, shift: false, epoch: old.epoch + 1 };
    },
    { ids: [], first: "", last: "", shift: false, epoch: 1 },
  );
}
