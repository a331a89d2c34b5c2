import { number, plural } from "..";

export const processes = {
  title: "Prozesse",
  about: "Parley selbst und was jede Sitzung laufen lässt: Claude Code und alles, was es gestartet hat.",
  reading: "Die Prozesse werden angesehen …",
  orphans: (n: number) => `${number(n)} ${plural(n, { one: "Prozess", other: "Prozesse" })} eines früheren Parley ${plural(n, { one: "wurde", other: "wurden" })} beim Start beendet.`,
  sessions: "Sitzungen",
  none: "Keine Sitzung hat gerade einen Prozess. Der nächste Prompt startet einen.",
  probe: "Fragt die CLI, was sie kann",
  inAll: (size: string) => `${size} insgesamt`,
  open: "Diese Sitzung öffnen",
  ofOneCore: "Von einem Kern",
  endNamed: (name: string) => `${name} beenden`,
  askNamed: (name: string) => `${name} beenden?`,
  askBelow: "Mit allem beenden, was er gestartet hat?",
  ask: "Beenden? Eine laufende Antwort bricht ab; was gesagt wurde, bleibt.",
  end: "Beenden",
  keep: "Laufen lassen",
};
