import { number, plural } from "..";

export const find = {
  action: "Find in this conversation",
  label: "Find in this conversation",
  placeholder: "Find in this conversation",
  older: "Older place (Enter)",
  newer: "Newer place (Shift+Enter)",
  close: "Close (Esc)",
  matchCase: "Match upper and lower case",
  words: "Whole words",
  none: "Nothing found",
  place: (at: number, all: number) => `${number(at)} of ${number(all)}`,
  soFar: (at: number, all: number) => `${number(at)} of ${number(all)} so far`,
  /** For those who do not see the page. */
  found: (n: number) => plural(n, { one: "1 place found", other: `${number(n)} places found` }),
  looking: (done: number, total: number) => `Looked at ${number(done)} of ${number(total)} messages`,
};
