import { number } from "..";

export const timeline = {
  conversation: "Gespräch",
  you: "Sie",
  claude: "Claude",
  subagent: "Subagent",
  claudeCode: "Claude Code",
  fromCli: "Von der CLI",
  cutOff: "Hier abgebrochen.",
  said: (words: string) => `Claude: ${words}`,

  looking: "Die Nachricht wird gesucht …",
  notShown: (why: string) => `Die Nachricht lässt sich nicht zeigen. ${why}`,
  dismiss: "Schließen",
  reading: "Das Gespräch wird gelesen …",
  notRead: "Das Gespräch ließ sich nicht lesen",
  tryAgain: "Noch einmal versuchen",
  empty: "Noch nichts gesagt",
  emptyHint: "Fragen Sie etwas zu diesem Ordner, oder sagen Sie, was darin geschehen soll.",

  readingOlder: "Ältere Nachrichten werden gelesen …",
  gap: "Neuere Nachrichten stehen hier nicht.",
  newBelow: "Neues unten",
  toEnd: "Zum Neuesten",
  backToNewest: "Zurück zum Neuesten",

  longText: "Langer Text",
  longPrompt: "Langer Prompt",
  longPart: (name: string) => (name === "" ? "Langes Ergebnis" : `Langer Inhalt von ${name}`),
  monsterShow: (what: string, size: string) => `${what}, ${size}. Den Anfang zeigen`,
  monsterMore: (left: string) => `Mehr zeigen (noch ${left})`,

  fromTerminal: "Dieses Gespräch stammt aus dem Terminal. Ein Prompt hier setzt es fort.",
  growsInTerminal: "Dieses Gespräch läuft gerade in einem Terminal weiter, und was hinzukommt, steht auch hier. Warten Sie auf sein Ende, bevor Sie es hier fortsetzen.",

  safe: {
    mode: "Sichere Ansicht.",
    about: (older: boolean) => `Die neuesten Nachrichten als einfacher Text${older ? "; ältere sind nicht zu sehen" : ""}.`,
    usual: "Wie üblich öffnen",
    notRead: (why: string) => `Das Gespräch ließ sich nicht lesen: ${why}`,
    empty: "Noch nichts gesagt.",
    busy: "Es läuft eine Antwort. Sie steht hier, sobald sie aufgeschrieben ist.",
    more: (characters: number) => `Mehr zeigen (${number(characters)} Zeichen)`,
    senders: { note: "Hinweis", cli: "Die CLI", you: "Sie", subagent: "Subagent", model: "Claude" },
    thinking: (words: string) => `(Gedanken) ${words}`,
  },
};
