import type { Catalogue } from "../catalogue";
import { plural } from "../format";

export const snapshots: Catalogue["snapshots"] = {
  title: "Schnappschüsse",
  about: "Kopien von Sitzungen, Regeln, Einstellungen, Heartbeats, Erinnerungen und Mattermost-Rollen. Parley macht stündlich einen, wenn sich etwas geändert hat. Gespräche sind Dateien von Claude Code und nicht enthalten.",
  take: "Schnappschuss machen",
  taken: "Schnappschuss gemacht.",
  same: "Seit dem neuesten Schnappschuss hat sich nichts geändert.",
  none: "Noch keine Schnappschüsse. Parley macht den ersten eine Minute nach dem Start.",
  failed: (why) => `Der letzte Schnappschuss ist fehlgeschlagen: ${why}`,
  list: "Schnappschüsse, neueste zuerst",
  size: "Größe",
  counts: {
    sessions: (n, shown) => plural(n, { one: "1 Sitzung", other: `${shown} Sitzungen` }),
    rules: (n, shown) => plural(n, { one: "1 Regel", other: `${shown} Regeln` }),
    drafts: (n, shown) => plural(n, { one: "1 Entwurf", other: `${shown} Entwürfe` }),
    prompts: (n, shown) => plural(n, { one: "1 wartender Prompt", other: `${shown} wartende Prompts` }),
  },
  files: "Dateien",
  left: (names) => `Nicht enthalten: ${names}`,
  useless: (why) => `Lässt sich nicht wiederherstellen: ${why}`,
  restore: "Wiederherstellen …",
  restoreOf: (when) => `Schnappschuss vom ${when} wiederherstellen`,
  sure: "Parley beendet alles, was läuft, und startet mit diesem Schnappschuss neu. Die ersetzten Daten werden im Datenordner beiseitegelegt, nicht gelöscht. Erlaubtes gilt erst wieder, wenn Sie es geprüft haben.",
  doIt: "Wiederherstellen und neu starten",
  beginning: "Parley startet neu …",
  later: "Der Schnappschuss wird beim nächsten Start von Parley wiederhergestellt. Beenden Sie Parley und starten Sie es wieder.",
};
