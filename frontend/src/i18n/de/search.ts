import { number, plural } from "..";

const places = (n: number) => `${number(n)} ${plural(n, { one: "Stelle", other: "Stellen" })}`;

export const search = {
  title: "Suche",
  label: "In allen Gesprächen suchen",
  placeholder: "Wörter oder \"eine Wortfolge\"",
  about: "Findet Wörter in Titeln, Prompts und Antworten und in Eingaben und Ergebnissen von Werkzeugen, in allen Gesprächen, auch denen aus dem Terminal.",
  address: "Das ist die Adresse einer Nachricht.",
  goTo: "Zur Nachricht gehen",
  failed: "Die Suche ist fehlgeschlagen",
  nothing: "Nichts gefunden",
  nothingHas: (partial: boolean, filtered: boolean) =>
    `${partial ? "In dem, was bisher gelesen ist, stehen diese Wörter nicht" : "Diese Wörter stehen nirgends"}${filtered ? ", jedenfalls nicht mit diesen Filtern." : "."}`,
  withoutFilters: "Ohne Filter suchen",
  found: "Gefunden",
  more: "Mehr zeigen",
  places: (n: number, inSessions: number) => `${places(n)} in ${number(inSessions)} ${plural(inSessions, { one: "Sitzung", other: "Sitzungen" })}`,
  shownOf: (shown: number, total: number) => `${number(shown)} von ${places(total)} gezeigt`,
  shownOfMore: (shown: number, total: number) => `${number(shown)} von mehr als ${places(total)} gezeigt`,
  notAllRead: (why: string) => `Nicht alle Gespräche ließen sich lesen: ${why}`,
  stillReading: "Gespräche werden noch gelesen",
  stillReadingPart: (percent: string) => `Wird noch gelesen: ${percent}`,

  filters: "Filter",
  what: "Was",
  folder: "Ordner",
  when: "Wann",
  model: "Modell",
  anyModel: "Jedes Modell",
  allFolders: "Alle Ordner",
  onlyFailed: "Nur Fehlgeschlagenes",
  clear: "Aufheben",
  times: { any: "Jederzeit", day: "Letzte 24 Stunden", week: "Letzte 7 Tage", month: "Letzte 30 Tage", year: "Letztes Jahr", older: "Älter als ein Jahr" },
  kinds: { any: "Alles", title: "Titel", prompt: "Was Sie gesagt haben", answer: "Was Claude gesagt hat", input: "Eingaben von Werkzeugen", output: "Ergebnisse von Werkzeugen" },
  hits: { title: "Titel", prompt: "Sie", answer: "Claude", thinking: "Gedanken", tool_input: "Eingabe", tool_output: "Ergebnis", notice: "Hinweis" },
  directions: { tool_input: "Eingabe", tool_output: "Ergebnis" },
  hitFailed: "fehlgeschlagen",
};
