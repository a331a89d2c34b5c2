import { number, plural } from "../format";

export const find = {
  action: "Find in this conversation",
  label: "Find in this conversation",
  placeholder: "Find in this conversation",
  older: "Older match (Enter)",
  newer: "Newer match (Shift+Enter)",
  close: "Close (Esc)",
  matchCase: "Match case",
  words: "Whole words",
  none: "No results",
  place: (at: number, all: number) => `${number(at)} of ${number(all)}`,
  soFar: (at: number, all: number) => `${number(at)} of ${number(all)} so far`,
  /** Announced to screen readers. */
  found: (n: number) => plural(n, { one: "1 result", other: `${number(n)} results` }),
  looking: (done: number, total: number) => `Searched ${number(done)} of ${number(total)} messages`,
};
