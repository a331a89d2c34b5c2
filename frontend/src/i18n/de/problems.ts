import type { Catalogue } from "../catalogue";

export const problems: Catalogue["problems"] = {
  kinds: {
    notes_rebuilt: {
      title: "Parleys Datenbank war beschädigt. {kept} Einträge blieben erhalten, {filled} weitere kamen aus dem neuesten Schnappschuss; Titel, Entwürfe, Regeln, Entscheidungen zu Ordnern, wartende Prompts und was archiviert war, fehlen vielleicht.",
      todo: "Alle Gespräche sind noch da, denn Claude Code bewahrt sie auf. Die beschädigte Datei ist {file}.",
    },
    notes_changed: {
      title: "Parleys Datenbank ist nicht so, wie Parley sie zuletzt gespeichert hat. Nichts, was Sie früher erlaubt haben, gilt, bis Sie es geprüft haben.",
      todo: "Prüfen Sie, was sich geändert hat, und nehmen Sie es an oder lehnen Sie es ab.",
    },
    notes_restored: {
      title: "Parleys Daten wurden aus dem Schnappschuss vom {when} wiederhergestellt. Nichts, was Sie früher erlaubt haben, gilt, bis Sie es geprüft haben.",
      todo: "Was sich danach änderte, fehlt vielleicht, und Prompts, die damals warteten, sind vielleicht inzwischen gelaufen. Was da war, liegt in {aside}.",
    },
    snapshot_failed: {
      title: "Es konnte kein Schnappschuss von Parleys Daten gemacht werden: {cause}",
      todo: "Die älteren sind noch da. Es wird von selbst wieder versucht. Prüfen Sie, ob auf der Festplatte Platz ist.",
    },
    notes_unwritten: {
      title: "Parley kann seine Datenbank nicht schreiben: {cause}",
      todo: "Was Sitzungen seitdem getan haben, steht im Arbeitsspeicher und wird geschrieben, sobald das wieder geht. Prüfen Sie die Festplatte und die Rechte des Datenordners.",
    },
    changes_held: {
      title: "Ein anderes Programm hat diese Dateien geändert: {files}.",
      todo: "Sehen Sie die Änderungen an, und nehmen Sie sie an oder machen Sie sie rückgängig. Bis dahin gelten die alten Werte.",
    },
    restart_failed: {
      title: "Die neue Version konnte nicht starten, deshalb läuft wieder die vorherige: {cause}",
      todo: "Nichts ist verloren. Installieren Sie Parley noch einmal, und starten Sie es dann neu.",
    },
    rooms_older: {
      title: "Die Räume wurden durch ältere oder andere ersetzt. Einige Nachrichten fehlen.",
      todo: "Ein anderes Programm hat {file} ersetzt. War das nicht gewollt, beenden Sie Parley, und legen Sie die neuere Datei zurück, oder stellen Sie einen Schnappschuss wieder her.",
    },
    memory_unread: {
      title: "Ein Teil des Gedächtnisses ist nicht zu gebrauchen: {cause}",
      todo: "Bringen Sie die Dateien in {folder} in Ordnung, oder löschen Sie sie. Sitzungen erfahren bis dahin den Rest.",
    },
    rooms_rebuilt: {
      title: "Die Räume waren beschädigt. {kept} Einträge blieben erhalten; manches, was gesagt wurde, fehlt vielleicht.",
      todo: "Die beschädigte Datei ist {file}.",
    },
    audit_unwritten: {
      title: "Das Protokoll der Berechtigungen kann nicht geschrieben werden, und {missing} seiner Einträge fehlen: {cause}",
      todo: "Ohne Eintrag wird nichts erlaubt. Schaffen Sie Platz auf der Festplatte, oder geben Sie Parley das Recht, in seinem Ordner zu schreiben.",
    },
    settings_unread: {
      title: "Die Einstellungen in {file} wurden geändert und sind nicht zu verstehen ({cause}).",
      todo: "Die alten gelten weiter, bis die Datei in Ordnung ist.",
    },
    settings_reset: {
      title: "Die Einstellungen waren nicht zu verstehen, also gelten die Vorgaben.",
      todo: "Die alte Datei ist {file}. Sehen Sie Ihre Einstellungen durch, vor allem die Budgets.",
    },
    settings_rewritten: {
      title: "Die Datei der Einstellungen war nicht zu verstehen, also hat Parley sie neu geschrieben, wie die Einstellungen vorher waren.",
      todo: "Was darin stand, ist {file}.",
    },
    settings_ignored: {
      title: "Einige Einstellungen in {file} haben unmögliche Werte und gelten nicht: {names}.",
      todo: "Ändern Sie sie auf der Seite der Einstellungen, oder bringen Sie die Datei in Ordnung.",
    },
    window_hidden: {
      title: "Das Fenster ist abgestürzt. Es öffnet wieder in der sicheren Ansicht.",
      todo: "Ihre Sitzungen laufen weiter. Öffnen Sie das Fenster über das Symbol in der Leiste.",
    },
    disk_full: {
      title: "Die Festplatte ist voll. Nicht gespeichert: {what}.",
      todo: "Schaffen Sie Platz auf der Festplatte von {folders}. Parley macht dann von selbst weiter; bis dahin wird nichts Neues ohne Eintrag erlaubt.",
    },
    disk_low: {
      title: "Die Festplatte ist fast voll: {free} sind frei.",
      todo: "Schaffen Sie Platz auf der Festplatte von {folders}, bevor etwas nicht gespeichert werden kann.",
    },
    disk_unwritable: {
      title: "Die Festplatte lässt sich nicht beschreiben ({cause}). Nicht gespeichert: {what}.",
      todo: "Prüfen Sie die Festplatte von {folders}, und ob Parley dort schreiben darf. Parley macht dann von selbst weiter.",
    },
    cli_unusable: {
      title: "Keine Sitzung kann arbeiten, weil die Claude-Code-CLI nicht zu benutzen ist: {cause}",
      todo: "Installieren Sie sie, oder geben Sie in den Einstellungen an, wo sie ist. Prompts, die Sie inzwischen senden, werden eingereiht.",
    },
    keyring_unusable: {
      title: "Das Geheimnis eines Profils war nicht zu bekommen: {cause}",
      todo: "Sitzungen mit diesem Profil können nicht anfangen. Der Schlüsselbund wird beim nächsten Mal wieder gefragt.",
    },
    chat_unread: {
      title: "Die Mattermost-Einstellungen sind nicht nutzbar ({cause}).",
      todo: "Korrigieren Sie {file}, oder richten Sie Mattermost in den Einstellungen neu ein. Bis dahin gelten die zuletzt angenommenen Einstellungen.",
    },
    heartbeats_unread: {
      title: "Die Heartbeats sind nicht zu gebrauchen ({cause}).",
      todo: "Bringen Sie {file} in Ordnung, oder entfernen Sie die Datei, wenn Sie keine Heartbeats wollen. Bis dahin laufen die, die Sie zuletzt angenommen haben, und keine anderen.",
    },
    heartbeats_ignored: {
      title: "Einige Heartbeats haben Fehler und laufen nicht ({cause}).",
      todo: "Die Seite der Heartbeats nennt alle Fehler. Beheben Sie sie in {file}; die anderen Heartbeats laufen weiter.",
    },
    answers_unrecorded: {
      title: "Claude Code speichert das Gespräch nicht. Parley hat {messages} Nachrichten der letzten Antwort aufbewahrt.",
      todo: "Es bleibt im Verlauf, mit einer Markierung. Claude erinnert sich nicht daran, wenn die Sitzung nach einem Neustart weitergeht. Prüfen Sie die Festplatte und die Rechte des Ordners von Claude Code.",
    },
  },
  things: {
    notes: "Sitzungen, Entwürfe und wartende Prompts",
    audit: "das Protokoll der Berechtigungen",
    settings: "Einstellungen",
    rooms: "Räume",
    attachments: "Anhänge",
    memory: "Erinnerungen",
    heartbeats: "Heartbeats",
    usage: "die Nutzung",
    search: "der Suchindex",
    conversations: "Gespräche",
    files: "Dateien eines Projekts",
    other: "andere Dateien von Parley",
  },
};
