import { number } from "../format";

export const timeline = {
  conversation: "Gespräch",
  you: "Sie",
  claude: "Claude",
  subagent: "Subagent",
  claudeCode: "Claude Code",
  fromCli: "Von der CLI",
  unsaved: "Claude Code konnte diese Nachricht nicht in seine Mitschrift schreiben. Parley bewahrt sie auf, aber Claude erinnert sich nicht daran.",
  cutOff: "Hier abgebrochen.",
  said: (words: string) => `Claude: ${words}`,

  looking: "Die Nachricht wird gesucht …",
  notShown: (why: string) => `Die Nachricht lässt sich nicht zeigen. ${why}`,
  dismiss: "Schließen",
  reading: "Das Gespräch wird geladen …",
  notRead: "Das Gespräch ließ sich nicht laden",
  tryAgain: "Noch einmal versuchen",
  empty: "Woran arbeiten wir?",
  emptyHint: "Fragen Sie etwas zu diesem Ordner, oder beschreiben Sie eine Aufgabe.",

  readingOlder: "Ältere Nachrichten werden geladen …",
  gap: "Neuere Nachrichten stehen hier nicht.",
  newBelow: "Neue Nachrichten unten",
  toEnd: "Zum Neuesten",
  backToNewest: "Zurück zum Neuesten",

  longText: "Langer Text",
  longPrompt: "Langer Prompt",
  longPart: (name: string) => (name === "" ? "Langes Ergebnis" : `Langer Inhalt von ${name}`),
  monsterShow: (what: string, size: string) => `${what}, ${size}. Den Anfang zeigen`,
  monsterMore: (left: string) => `Mehr zeigen (noch ${left})`,

  fromTerminal: "Dieses Gespräch begann in einem Terminal. Ein Prompt setzt es hier fort.",
  growsInTerminal: "Dieses Gespräch läuft gerade in einem Terminal weiter, und was hinzukommt, steht auch hier. Warten Sie auf sein Ende, bevor Sie es hier fortsetzen.",

  safe: {
    mode: "Sichere Ansicht.",
    about: (older: boolean) => `Die neuesten Nachrichten als einfacher Text${older ? "; ältere sind nicht zu sehen" : ""}.`,
    usual: "Normal öffnen",
    notRead: (why: string) => `Das Gespräch ließ sich nicht laden: ${why}`,
    empty: "Noch keine Nachrichten.",
    busy: "Es läuft eine Antwort. Sie steht hier, sobald sie gespeichert ist.",
    more: (characters: number) => `Mehr zeigen (${number(characters)} Zeichen)`,
    senders: { note: "Hinweis", cli: "Die CLI", you: "Sie", subagent: "Subagent", model: "Claude" },
    thinking: (words: string) => `(Gedanken) ${words}`,
  },
};
