import { number, plural } from "../format";

export const toolsets = {
  title: "Parleys eigene Werkzeuge",
  about: "Werkzeuge, die Claude zusätzlich zu denen der CLI benutzen kann. Sie fragen Sie, bevor sie etwas starten, Ihre Heartbeats ändern oder einer Sitzung Text aus einer anderen zeigen.",
  later: "Änderungen gelten, sobald der Prozess einer Sitzung das nächste Mal startet.",
  names: { heartbeats: "Heartbeats", memory: "Gedächtnis", rooms: "Räume", sessions: "Sitzungen", people: "Sie", chat: "Chat", tmux: "Terminals" },
  what: {
    heartbeats: "Listet Ihre Heartbeats auf, legt sie an und ändert sie.",
    memory: "Speichert Erinnerungen und durchsucht sie.",
    rooms: "Tauscht in Räumen Nachrichten mit anderen Sitzungen aus.",
    sessions: "Listet, liest und startet andere Sitzungen und sendet ihnen Nachrichten.",
    people: "Stellt Ihnen Fragen und zeigt Ihnen Mitteilungen.",
    chat: "Liest den Thread im Chat, in dem eine Sitzung geteilt wird.",
    tmux: "Verwaltet Claude Code in Terminals (tmux): liest, antwortet, tippt, startet und beendet sie.",
  },
  on: "An",
  off: "Aus",
  general: (on: boolean) => (on ? "Standard: an" : "Standard: aus"),
  tools: (n: number) => `${number(n)} ${plural(n, { one: "Werkzeug", other: "Werkzeuge" })}`,
  failed: (why: string) => `Etwas ist schiefgegangen: ${why}`,
};
