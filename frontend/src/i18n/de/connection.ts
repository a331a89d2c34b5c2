export const connection = {
  wrong: "Auf dieser Seite ist etwas schiefgegangen.",
  noAnswer: "Parley antwortet nicht.",
  lost: "Die Verbindung zu Parley ist abgerissen.",
  none: "Es gibt gerade keine Verbindung zu Parley.",
  failed: "Die Anfrage ist fehlgeschlagen.",
  draftNotSaved: (why: string) => `Was Sie schreiben, wird nicht gespeichert: ${why}`,
  messageGone: "Die Nachricht gibt es nicht mehr.",
  clipboard: "Die Zwischenablage hat den Text nicht angenommen.",
};
