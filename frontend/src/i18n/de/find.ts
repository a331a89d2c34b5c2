import { number, plural } from "..";

export const find = {
  action: "In diesem Gespräch suchen",
  label: "In diesem Gespräch suchen",
  placeholder: "In diesem Gespräch suchen",
  older: "Ältere Stelle (Enter)",
  newer: "Neuere Stelle (Umschalt+Enter)",
  close: "Schließen (Esc)",
  matchCase: "Groß- und Kleinschreibung beachten",
  words: "Ganze Wörter",
  none: "Nichts gefunden",
  place: (at: number, all: number) => `${number(at)} von ${number(all)}`,
  soFar: (at: number, all: number) => `${number(at)} von bisher ${number(all)}`,
  found: (n: number) => plural(n, { one: "1 Stelle gefunden", other: `${number(n)} Stellen gefunden` }),
  looking: (done: number, total: number) => `${number(done)} von ${number(total)} Nachrichten durchsucht`,
};
