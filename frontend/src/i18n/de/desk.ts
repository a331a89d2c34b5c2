export const desk = {
  ago: { now: "jetzt", minutes: (n: number) => `${n} min`, hours: (n: number) => `${n} h`, days: (n: number) => `${n} T` },
  notices: {
    done: "Fertig.",
    question: "Wartet auf Ihre Antwort.",
    plan: "Wartet darauf, dass Sie den Plan lesen.",
    failed: "Fehlgeschlagen.",
    found: "Hat etwas gefunden.",
    stopped: "Wurde angehalten und läuft nicht mehr.",
    untitled: "Neue Sitzung",
  },
  quiet: {
    menu: "Mitteilungen",
    off: "Mitteilungen sind an",
    on: "Nicht stören",
    until: (when: string) => `Nicht stören bis ${when}`,
    choices: { off: "Mitteilungen", hour: "Eine Stunde lang nicht stören", tomorrow: "Bis morgen um 8:00 nicht stören", on: "Nicht stören, bis es ausgeschaltet wird" },
    short: { off: "Aus", hour: "1 Stunde", tomorrow: "Bis morgen", on: "An" },
  },
};
