import { number, plural } from "../format";

export const find = {
  action: "In diesem Gespräch suchen",
  label: "In diesem Gespräch suchen",
  placeholder: "In diesem Gespräch suchen",
  older: "Älterer Treffer (Enter)",
  newer: "Neuerer Treffer (Umschalt+Enter)",
  close: "Schließen (Esc)",
  matchCase: "Groß- und Kleinschreibung beachten",
  words: "Ganze Wörter",
  none: "Keine Treffer",
  place: (at: number, all: number) => `${number(at)} von ${number(all)}`,
  soFar: (at: number, all: number) => `${number(at)} von bisher ${number(all)}`,
  found: (n: number) => plural(n, { one: "1 Treffer", other: `${number(n)} Treffer` }),
  looking: (done: number, total: number) => `${number(done)} von ${number(total)} Nachrichten durchsucht`,
};
