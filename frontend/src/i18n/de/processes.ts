import { number, plural } from "../format";

export const processes = {
  title: "Prozesse",
  about: "Parley selbst und die Prozesse jeder Sitzung: Claude Code und alles, was es gestartet hat.",
  reading: "Prozesse werden geladen …",
  orphans: (n: number) => `${number(n)} ${plural(n, { one: "Prozess", other: "Prozesse" })} eines früheren Parley ${plural(n, { one: "wurde", other: "wurden" })} beim Start beendet.`,
  heldByKernel: "Das System fasst alle Prozesse einer Sitzung zusammen und beendet sie mit ihr, außer ein Programm verlässt die Gruppe absichtlich.",
  heldByMarks: "Parley erkennt die Prozesse einer Sitzung an Umgebung und Elternprozess. Ein Programm, das beides ablegt, kann die Sitzung überleben.",
  sessions: "Sitzungen",
  none: "Keine Sitzung hat einen laufenden Prozess. Der nächste Prompt startet einen.",
  probe: "Prüft die Funktionen der CLI",
  inAll: (size: string) => `${size} insgesamt`,
  open: "Sitzung öffnen",
  ofOneCore: "Prozent eines Kerns",
  endNamed: (name: string) => `${name} beenden`,
  askNamed: (name: string) => `${name} beenden?`,
  askBelow: "Diesen Prozess und seine Kindprozesse beenden?",
  ask: "Diesen Prozess beenden? Eine laufende Antwort bricht ab. Das Gespräch bleibt erhalten.",
  end: "Beenden",
  keep: "Behalten",
};
