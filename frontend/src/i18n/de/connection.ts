export const connection = {
  wrong: "Auf dieser Seite ist etwas schiefgegangen. Laden Sie sie neu und versuchen Sie es noch einmal.",
  noAnswer: "Parley antwortet nicht.",
  lost: "Die Verbindung zu Parley ist abgerissen.",
  none: "Es gibt gerade keine Verbindung zu Parley.",
  failed: "Die Anfrage ist fehlgeschlagen.",
  draftNotSaved: (why: string) => `Ihr Entwurf ließ sich nicht speichern: ${why}`,
  messageGone: "Die Nachricht gibt es nicht mehr.",
  clipboard: "Kopieren in die Zwischenablage nicht möglich.",
};
