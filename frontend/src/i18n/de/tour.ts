export const tour = {
  take: "Führung starten",
  label: "Die Führung",
  next: (what: string) => `Weiter: ${what}`,
  steps: {
    welcome: "Führung beginnen",
    command: "Weiter: einen Befehl ausführen",
    question: "Weiter: eine Frage beantworten",
    plan: "Weiter: einen Plan prüfen",
    diff: "Weiter: eine Datei ändern",
    undo: "Rückgängig machen",
    end: "Wie es weitergeht",
  },
  skip: "Rest überspringen",
  leave: "Eigene Sitzung beginnen",
};
