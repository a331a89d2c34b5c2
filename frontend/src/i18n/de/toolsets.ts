import { number, plural } from "..";

export const toolsets = {
  title: "Parleys eigene Werkzeuge",
  about: "Was das Modell einer Sitzung außer den Werkzeugen der CLI benutzen darf. Bevor sie etwas beginnen, Ihre Heartbeats ändern oder einer Sitzung den Text einer anderen zeigen, fragen sie Sie.",
  later: "Eine Änderung erreicht eine Sitzung, wenn ihr Prozess das nächste Mal startet.",
  names: { heartbeats: "Heartbeats", memory: "Gedächtnis", rooms: "Räume", sessions: "Sitzungen", people: "Sie", chat: "Chat", tmux: "Terminals" },
  what: {
    heartbeats: "Sieht Ihre Heartbeats an, legt neue an und ändert sie.",
    memory: "Merkt sich, was behalten werden soll, und findet es wieder.",
    rooms: "Spricht in Räumen mit anderen Sitzungen.",
    sessions: "Listet, liest und beginnt andere Sitzungen und schreibt ihnen.",
    people: "Stellt Ihnen Fragen und zeigt Ihnen Mitteilungen.",
    chat: "Liest den Thread des Chats, in dem eine Sitzung gezeigt wird.",
    tmux: "Kümmert sich um Claude Code in Terminals (tmux): liest, antwortet, tippt, startet und beendet sie.",
  },
  on: "An",
  off: "Aus",
  general: (on: boolean) => (on ? "Standard: an" : "Standard: aus"),
  tools: (n: number) => `${number(n)} ${plural(n, { one: "Werkzeug", other: "Werkzeuge" })}`,
  failed: (why: string) => `Das ging nicht: ${why}`,
};
