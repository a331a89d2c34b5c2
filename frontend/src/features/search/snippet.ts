import type { SearchMark } from "../../host/border.gen";

export interface Piece {
  text: string;
  marked: boolean;
}

/** Splits a snippet at its marks. Overlapping, unordered or out-of-range marks are tolerated. */
export function pieces(snippet: string, marks: readonly SearchMark[]): Piece[] {
  const made: Piece[] = [];
  let at = 0;
  for (const { start, end } of marks.toSorted((a, b) => a.start - b.start)) {
    const from = Math.max(at, start);
    const to = Math.min(snippet.length, end);
    if (to <= from) continue;
    if (from > at) made.push({ text: snippet.slice(at, from), marked: false });
    made.push({ text: snippet.slice(from, to), marked: true });
    at = to;
  }
  if (at < snippet.length) made.push({ text: snippet.slice(at), marked: false });
  return made;
}
