export const desk = {
  ago: { now: "jetzt", minutes: (n: number) => `${n} min`, hours: (n: number) => `${n} h`, days: (n: number) => `${n} T` },
  notices: {
    done: "Fertig.",
    question: "Wartet auf Ihre Antwort.",
    plan: "Der Plan ist fertig und wartet auf Ihre Prüfung.",
    failed: "Fehlgeschlagen.",
    found: "Hat etwas gefunden.",
    stopped: "Angehalten, läuft nicht mehr.",
    untitled: "Neue Sitzung",
  },
  quiet: {
    menu: "Mitteilungen",
    off: "Mitteilungen sind an",
    on: "Nicht stören",
    until: (when: string) => `Nicht stören bis ${when}`,
    choices: { off: "Mitteilungen an", hour: "1 Stunde nicht stören", tomorrow: "Bis morgen 8:00 nicht stören", on: "Nicht stören bis zum Ausschalten" },
    short: { off: "Aus", hour: "1 Stunde", tomorrow: "Bis morgen", on: "An" },
  },
};
