import type { Catalogue } from "../catalogue";

/** Changes to Parley's files by other programs. */
export const outside: Catalogue["outside"] = {
  title: (count, shown) => (count === 1 ? "Ein anderes Programm hat eine von Parleys Dateien geändert." : `Andere Programme haben ${shown} von Parleys Dateien geändert.`),
  doubtTitle: "Parleys Datenbank ist nicht so, wie Parley sie zuletzt gespeichert hat.",
  hint: "Nichts davon gilt, bevor Sie es annehmen.",
  look: "Ansehen …",
  dialog: "Von anderen Programmen geändert",
  about: "Diese Änderungen erlauben mehr als zuvor. Was Sie hatten, gilt, bis Sie entscheiden. Haben Sie sie nicht selbst gemacht, nehmen Sie sie zurück.",
  was: "Es gilt",
  is: "In der Datei",
  nothing: "nichts",
  tooLong: (count, shown) =>
    `${count === 1 ? "Eine Änderung ist" : `${shown} Änderungen sind`} zu lang, um ganz gezeigt zu werden; die Datei lässt sich so nicht annehmen. Nehmen Sie sie zurück und ändern Sie sie in kleineren Schritten.`,
  moreFiles: (count, shown) => (count === 1 ? "Eine weitere Datei folgt, wenn Sie über diese entschieden haben." : `${shown} weitere Dateien folgen, wenn Sie über diese entschieden haben.`),
  accept: "Annehmen",
  undo: "Zurücknehmen",
  store: "Parleys Datenbank",
  acceptStore: "Ich habe es geprüft: annehmen",
  doubts: {
    gone: "Parleys Datenbank Ihrer Erlaubnisse fehlt. Erlaubende Regeln, vertraute Ordner, Profile und lockere Berechtigungsmodi gelten nicht.",
    older: "Parleys Datenbank Ihrer Erlaubnisse ist älter, als das Protokoll sagt, oder gehört einem anderen Parley. Erlaubende Regeln, vertraute Ordner, Profile und lockere Berechtigungsmodi gelten nicht, bis Sie sie annehmen.",
    log: "Das Protokoll der Berechtigungen ist nicht so, wie Parley es hinterlassen hat; die Datenbank lässt sich nicht damit vergleichen. Erlaubende Regeln, vertraute Ordner, Profile und lockere Berechtigungsmodi gelten nicht, bis Sie sie annehmen.",
    restored: "Parleys Daten kamen aus einem Schnappschuss zurück. Erlaubende Regeln, vertraute Ordner, Profile und lockere Berechtigungsmodi gelten nicht, bis Sie sie annehmen: Es sind die von damals.",
    damaged: "Parleys Datenbank war beschädigt; einige Einträge fehlen vielleicht. Erlaubende Regeln, vertraute Ordner, Profile und lockere Berechtigungsmodi gelten nicht, bis Sie sie annehmen.",
    seal: "Jemand anders hat Parleys Datenbank Ihrer Erlaubnisse geändert, oder ihr Schlüssel fehlt im Schlüsselbund. Erlaubende Regeln, vertraute Ordner, Profile und lockere Berechtigungsmodi gelten nicht, bis Sie sie annehmen.",
  },
};
