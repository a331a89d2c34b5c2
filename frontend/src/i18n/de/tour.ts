export const tour = {
  take: "Führung starten",
  label: "Führung",
  next: (what: string) => `Weiter: ${what}`,
  steps: {
    welcome: "Führung beginnen",
    command: "Weiter: einen Befehl ausführen",
    question: "Weiter: eine Frage beantworten",
    plan: "Weiter: einen Plan prüfen",
    diff: "Weiter: eine Datei ändern",
    undo: "Änderung rückgängig machen",
    end: "Wie es weitergeht",
  },
  skip: "Führung überspringen",
  leave: "Sitzung beginnen",
};
