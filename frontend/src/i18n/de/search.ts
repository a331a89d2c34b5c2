import { number, plural } from "../format";

const places = (n: number) => `${number(n)} ${plural(n, { one: "Treffer", other: "Treffern" })}`;

export const search = {
  title: "Suche",
  label: "In allen Gesprächen suchen",
  placeholder: "Wörter oder \"eine Wortfolge\"",
  about: "Durchsucht Titel, Prompts, Antworten sowie Eingaben und Ergebnisse von Werkzeugen in allen Gesprächen, auch denen aus dem Terminal.",
  address: "Das ist die Adresse einer Nachricht.",
  goTo: "Zur Nachricht gehen",
  failed: "Die Suche ist fehlgeschlagen",
  nothing: "Keine Treffer",
  nothingHas: (partial: boolean, filtered: boolean) =>
    `${partial ? "Bisher keine Treffer" : "Keine Treffer"}${filtered ? " mit diesen Filtern." : "."}`,
  withoutFilters: "Ohne Filter suchen",
  found: "Gefunden",
  more: "Mehr zeigen",
  places: (n: number, inSessions: number) => `${number(n)} Treffer in ${number(inSessions)} ${plural(inSessions, { one: "Sitzung", other: "Sitzungen" })}`,
  shownOf: (shown: number, total: number) => `${number(shown)} von ${places(total)} gezeigt`,
  shownOfMore: (shown: number, total: number) => `${number(shown)} von mehr als ${places(total)} gezeigt`,
  notAllRead: (why: string) => `Nicht alle Gespräche ließen sich lesen: ${why}`,
  stillReading: "Gespräche werden noch gelesen",
  stillReadingPart: (percent: string) => `Wird noch gelesen: ${percent}`,

  filters: "Filter",
  what: "Suchen in",
  folder: "Ordner",
  when: "Zeit",
  model: "Modell",
  anyModel: "Alle Modelle",
  allFolders: "Alle Ordner",
  onlyFailed: "Nur Fehlgeschlagenes",
  clear: "Aufheben",
  times: { any: "Beliebige Zeit", day: "Letzte 24 Stunden", week: "Letzte 7 Tage", month: "Letzte 30 Tage", year: "Letztes Jahr", older: "Älter als ein Jahr" },
  kinds: { any: "Alles", title: "Titel", prompt: "Ihre Prompts", answer: "Antworten von Claude", input: "Eingaben von Werkzeugen", output: "Ergebnisse von Werkzeugen" },
  hits: { title: "Titel", prompt: "Sie", answer: "Claude", thinking: "Gedanken", tool_input: "Eingabe", tool_output: "Ausgabe", notice: "Hinweis" },
  directions: { tool_input: "(Eingabe)", tool_output: "(Ausgabe)" },
  hitFailed: "fehlgeschlagen",
};
