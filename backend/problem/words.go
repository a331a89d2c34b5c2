package problem

import (
	"maps"
	"slices"
	"strings"
)

// The ids of all problems.
const (
	NotesRebuilt      = "notes_rebuilt"
	NotesChanged      = "notes_changed"
	NotesUnwritten    = "notes_unwritten"
	ChangesHeld       = "changes_held"
	RoomsRebuilt      = "rooms_rebuilt"
	AuditUnwritten    = "audit_unwritten"
	SettingsUnread    = "settings_unread"
	SettingsReset     = "settings_reset"
	SettingsRewritten = "settings_rewritten"
	SettingsIgnored   = "settings_ignored"
	WindowHidden      = "window_hidden"
	DiskFull          = "disk_full"
	DiskLow           = "disk_low"
	DiskUnwritable    = "disk_unwritable"
	AnswersUnrecorded = "answers_unrecorded"
	NotesRestored     = "notes_restored"
	SnapshotFailed    = "snapshot_failed"
	CLIUnusable       = "cli_unusable"
	KeyringUnusable   = "keyring_unusable"
	ChatUnread        = "chat_unread"
	HeartbeatsUnread  = "heartbeats_unread"
	HeartbeatsIgnored = "heartbeats_ignored"
	MemoryUnread      = "memory_unread"
	RoomsOlder        = "rooms_older"
	RestartFailed     = "restart_failed"
)

// IDs are the ids of all problems.
func IDs() []string { return slices.Sorted(maps.Keys(kinds())) }

// kind is what all problems of an id have in common.
type kind struct {
	severity        Severity
	action          string
	english, german sentences
}

// sentences say in one language what a problem means, and what to do. A name in braces
// is replaced by a fact.
type sentences struct{ title, todo string }

const english, german = "en", "de"

// Title says in a language what a problem means. Languages are matched by prefix.
func Title(language string, p Problem) string {
	k := kinds()[p.ID]
	if strings.HasPrefix(language, german) && k.german.title != "" {
		return bounded(say(german, k.german.title, p.Facts))
	}
	return p.Title
}

// Todo says in a language what to do about a problem, or "".
func Todo(language string, p Problem) string {
	k := kinds()[p.ID]
	if strings.HasPrefix(language, german) && k.german.todo != "" {
		return bounded(say(german, k.german.todo, p.Facts))
	}
	return p.Todo
}

// say inserts the facts into a sentence.
func say(language, sentence string, facts map[string]string) string {
	for name, fact := range facts {
		if name == What {
			fact = said(language, fact)
		}
		sentence = strings.ReplaceAll(sentence, "{"+name+"}", fact)
	}
	return sentence
}

// What is the name of a fact that lists [Things], separated by commas.
const What = "what"

// Things are the kinds of kept data, by names that facts may contain.
func Things() []string { return slices.Sorted(maps.Keys(things()[english])) }

func things() map[string]map[string]string {
	return map[string]map[string]string{
		english: {
			"notes": "sessions, drafts and queued prompts", "audit": "the permission log", "settings": "settings", "rooms": "rooms",
			"attachments": "attachments", "memory": "memories", "heartbeats": "heartbeats", "usage": "usage", "search": "the search index",
			"conversations": "conversations", "files": "files of a project", "other": "other Parley files",
		},
		german: {
			"notes": "Sitzungen, Entwürfe und wartende Prompts", "audit": "das Protokoll der Erlaubnisse", "settings": "Einstellungen", "rooms": "Räume",
			"attachments": "Anhänge", "memory": "Erinnerungen", "heartbeats": "Heartbeats", "usage": "die Nutzung", "search": "der Suchindex",
			"conversations": "Gespräche", "files": "Dateien eines Projekts", "other": "andere Dateien von Parley",
		},
	}
}

// said renders a list of things as text.
func said(language, list string) string {
	names := strings.Split(list, ",")
	for i, name := range names {
		if words, ok := things()[language][name]; ok {
			names[i] = words
		}
	}
	return strings.Join(names, ", ")
}

// kinds are all kinds of problems.
func kinds() map[string]kind {
	return map[string]kind{
		NotesRebuilt: {
			action: ShowSettings,
			english: sentences{
				"Parley's database was damaged. {kept} entries were recovered, and {filled} more came from the newest snapshot. Titles, drafts, rules, folder trust, queued prompts and archive marks may be missing.",
				"All conversations are still listed, because Claude Code keeps them. The damaged file is {file}.",
			},
			german: sentences{
				"Parleys Datenbank war beschädigt. {kept} Einträge blieben erhalten, {filled} weitere kamen aus dem neuesten Schnappschuss. Titel, Entwürfe, Regeln, das Vertrauen zu Ordnern, wartende Prompts und Archivierungen fehlen vielleicht.",
				"Alle Gespräche sind noch da, denn Claude Code hat sie. Die beschädigte Datei ist {file}.",
			},
		},
		NotesChanged: {
			action: ShowOutside,
			english: sentences{
				"Parley's database was changed outside Parley. Earlier permissions do not apply until you review them.",
				"Review what changed, then accept or reject it.",
			},
			german: sentences{
				"Parleys Datenbank wurde außerhalb von Parley geändert. Frühere Erlaubnisse gelten erst, wenn Sie sie geprüft haben.",
				"Prüfen Sie, was sich geändert hat, und nehmen Sie es an oder lehnen Sie es ab.",
			},
		},
		NotesRestored: {
			action: ShowOutside,
			english: sentences{
				"Parley's data was restored from the snapshot of {when}. Earlier permissions do not apply until you review them.",
				"Later changes may be missing, and prompts that were queued then may have run since. The previous data is in {aside}.",
			},
			german: sentences{
				"Parleys Daten wurden aus dem Schnappschuss vom {when} wiederhergestellt: Nichts, was früher erlaubt wurde, gilt, bis Sie nachgesehen haben.",
				"Was sich danach änderte, fehlt vielleicht, und Prompts, die damals warteten, sind vielleicht inzwischen gelaufen. Was da war, liegt in {aside}.",
			},
		},
		SnapshotFailed: {
			action: ShowSnapshot,
			english: sentences{
				"No snapshot of Parley's data could be made: {cause}",
				"Older snapshots are kept, and Parley tries again automatically. Check that the disk has free space.",
			},
			german: sentences{
				"Es konnte kein Schnappschuss von Parleys Daten gemacht werden: {cause}",
				"Die älteren sind noch da. Es wird von selbst wieder versucht. Prüfen Sie, ob auf der Festplatte Platz ist.",
			},
		},
		NotesUnwritten: {
			severity: Error, action: ShowSettings,
			english: sentences{
				"Parley cannot write its database: {cause}",
				"Changes are kept in memory until then, and saved when writing works again. Check the disk and the data folder's permissions.",
			},
			german: sentences{
				"Parley kann seine Datenbank nicht schreiben: {cause}",
				"Was Sitzungen seitdem getan haben, steht im Arbeitsspeicher und wird geschrieben, sobald das wieder geht. Prüfen Sie die Festplatte und die Rechte des Datenordners.",
			},
		},
		ChangesHeld: {
			action: ShowOutside,
			english: sentences{
				"Changed by another program and waiting for your review: {files}.",
				"Review the changes, then accept or undo them. Until then the old values apply.",
			},
			german: sentences{
				"Von einem anderen Programm geändert, wartet auf Sie: {files}.",
				"Sehen Sie die Änderungen an, und nehmen Sie sie an oder machen Sie sie rückgängig. Bis dahin gelten die alten Werte.",
			},
		},
		RestartFailed: {
			english: sentences{
				"The new version could not start, so the previous one is running again: {cause}",
				"Nothing is lost. Install Parley again, and then restart it.",
			},
			german: sentences{
				"Die neue Version konnte nicht starten, deshalb läuft wieder die vorherige: {cause}",
				"Nichts ist verloren. Installieren Sie Parley noch einmal, und starten Sie es dann neu.",
			},
		},
		RoomsOlder: {
			english: sentences{
				"The rooms were replaced by older or different ones. Some messages are missing.",
				"Another program replaced {file}. If this was not intended, quit Parley and put the newer file back, or restore a snapshot.",
			},
			german: sentences{
				"Die Räume wurden durch ältere oder andere ersetzt. Einige Nachrichten fehlen.",
				"Ein anderes Programm hat {file} ersetzt. War das nicht gewollt, beenden Sie Parley, und legen Sie die neuere Datei zurück, oder stellen Sie einen Schnappschuss wieder her.",
			},
		},
		MemoryUnread: {
			english: sentences{
				"Some of the memory cannot be used: {cause}",
				"Correct or delete the files in {folder}. Sessions use the rest meanwhile.",
			},
			german: sentences{
				"Ein Teil des Gedächtnisses ist nicht zu gebrauchen: {cause}",
				"Bringen Sie die Dateien in {folder} in Ordnung, oder löschen Sie sie. Sitzungen erfahren bis dahin den Rest.",
			},
		},
		RoomsRebuilt: {
			english: sentences{
				"The rooms were damaged. {kept} records were recovered; some messages may be missing.",
				"The damaged file is {file}.",
			},
			german: sentences{
				"Die Räume waren beschädigt. {kept} Einträge blieben erhalten; manches, was gesagt wurde, fehlt vielleicht.",
				"Die beschädigte Datei ist {file}.",
			},
		},
		AuditUnwritten: {
			severity: Error,
			english: sentences{
				"The permission log cannot be written, and {missing} of its records are missing: {cause}",
				"Nothing is allowed without a record. Free up disk space, or let Parley write to its folder.",
			},
			german: sentences{
				"Das Protokoll der Erlaubnisse kann nicht geschrieben werden, und {missing} seiner Einträge fehlen: {cause}",
				"Ohne Eintrag wird nichts erlaubt. Schaffen Sie Platz auf der Festplatte, oder geben Sie Parley das Recht, in seinem Ordner zu schreiben.",
			},
		},
		SettingsUnread: {
			action: ShowSettings,
			english: sentences{
				"The changed settings in {file} cannot be read ({cause}).",
				"The previous settings apply until the file is corrected.",
			},
			german: sentences{
				"Die Einstellungen in {file} wurden geändert und sind nicht zu verstehen ({cause}).",
				"Die alten gelten weiter, bis die Datei in Ordnung ist.",
			},
		},
		SettingsReset: {
			action: ShowSettings,
			english: sentences{
				"The settings could not be read, so Parley uses the defaults.",
				"The old file is kept as {file}. Check your settings, especially the budgets.",
			},
			german: sentences{
				"Die Einstellungen waren nicht zu verstehen, also gelten die Vorgaben.",
				"Die alte Datei ist {file}. Sehen Sie Ihre Einstellungen durch, vor allem die Budgets.",
			},
		},
		SettingsRewritten: {
			action: ShowSettings,
			english: sentences{
				"The settings file could not be read, so Parley restored it from the settings in use.",
				"The old file is kept as {file}.",
			},
			german: sentences{
				"Die Datei der Einstellungen war nicht zu verstehen, also hat Parley sie neu geschrieben, wie die Einstellungen vorher waren.",
				"Was darin stand, ist {file}.",
			},
		},
		SettingsIgnored: {
			action: ShowSettings,
			english: sentences{
				"Some settings in {file} have invalid values and are ignored: {names}.",
				"Change them in the settings, or correct the file.",
			},
			german: sentences{
				"Einige Einstellungen in {file} haben unmögliche Werte und gelten nicht: {names}.",
				"Ändern Sie sie auf der Seite der Einstellungen, oder bringen Sie die Datei in Ordnung.",
			},
		},
		WindowHidden: {
			english: sentences{"The window crashed. It opens again in safe mode.", "Your sessions keep running. Open the window from the tray icon."},
			german:  sentences{"Das Fenster ist abgestürzt. Es öffnet wieder in der sicheren Ansicht.", "Ihre Sitzungen laufen weiter. Öffnen Sie das Fenster über das Symbol in der Leiste."},
		},
		DiskFull: {
			severity: Error,
			english: sentences{
				"The disk is full. Not saved: {what}.",
				"Free up space on the disk of {folders}. Parley then continues automatically; until then nothing new is allowed without a record.",
			},
			german: sentences{
				"Die Festplatte ist voll. Nicht gespeichert: {what}.",
				"Schaffen Sie Platz auf der Festplatte von {folders}. Parley macht dann von selbst weiter; bis dahin wird nichts Neues ohne Eintrag erlaubt.",
			},
		},
		DiskLow: {
			english: sentences{
				"The disk is nearly full: {free} free.",
				"Free up space on the disk of {folders} before something cannot be saved.",
			},
			german: sentences{
				"Die Festplatte ist fast voll: {free} sind frei.",
				"Schaffen Sie Platz auf der Festplatte von {folders}, bevor etwas nicht gespeichert werden kann.",
			},
		},
		DiskUnwritable: {
			severity: Error,
			english: sentences{
				"Cannot write to the disk ({cause}). Not saved: {what}.",
				"Check the disk of {folders}, and that Parley may write there. Parley then continues automatically.",
			},
			german: sentences{
				"Die Festplatte lässt sich nicht beschreiben ({cause}). Nicht gespeichert: {what}.",
				"Prüfen Sie die Festplatte von {folders}, und ob Parley dort schreiben darf. Parley macht dann von selbst weiter.",
			},
		},
		CLIUnusable: {
			severity: Error, action: ShowSettings,
			english: sentences{
				"Sessions cannot run because the Claude Code CLI cannot be used: {cause}",
				"Install it, or choose its location in the settings. Your prompts wait until then.",
			},
			german: sentences{
				"Keine Sitzung kann arbeiten, weil die Claude-Code-CLI nicht zu benutzen ist: {cause}",
				"Installieren Sie sie, oder geben Sie in den Einstellungen an, wo sie ist. Was Sie inzwischen schreiben, wartet.",
			},
		},
		KeyringUnusable: {
			action: ShowSettings,
			english: sentences{
				"A profile's secret could not be read: {cause}",
				"Sessions with that profile cannot start. Parley asks the keyring again next time.",
			},
			german: sentences{
				"Das Geheimnis eines Profils war nicht zu bekommen: {cause}",
				"Sitzungen mit diesem Profil können nicht anfangen. Der Schlüsselbund wird beim nächsten Mal wieder gefragt.",
			},
		},
		ChatUnread: {
			action: ShowSettings,
			english: sentences{
				"The Mattermost settings cannot be used ({cause}).",
				"Correct {file}, or set up Mattermost again in the settings. The settings you accepted last apply until then.",
			},
			german: sentences{
				"Die Mattermost-Einstellungen sind nicht nutzbar ({cause}).",
				"Korrigieren Sie {file}, oder richten Sie Mattermost in den Einstellungen neu ein. Bis dahin gelten die zuletzt angenommenen Einstellungen.",
			},
		},
		HeartbeatsUnread: {
			action: ShowSettings,
			english: sentences{
				"The heartbeats cannot be used ({cause}).",
				"Correct {file}, or remove it if you want no heartbeats. Those you accepted last keep running until then; no others do.",
			},
			german: sentences{
				"Die Heartbeats sind nicht zu gebrauchen ({cause}).",
				"Bringen Sie {file} in Ordnung, oder entfernen Sie die Datei, wenn Sie keine Heartbeats wollen. Bis dahin laufen die, die Sie zuletzt angenommen haben, und keine anderen.",
			},
		},
		HeartbeatsIgnored: {
			action: ShowSettings,
			english: sentences{
				"Some heartbeats have mistakes and do not run ({cause}).",
				"The heartbeats page lists all mistakes. Correct them in {file}; the other heartbeats keep running.",
			},
			german: sentences{
				"Einige Heartbeats haben Fehler und laufen nicht ({cause}).",
				"Die Seite der Heartbeats nennt alle Fehler. Beheben Sie sie in {file}; die anderen Heartbeats laufen weiter.",
			},
		},
		AnswersUnrecorded: {
			english: sentences{
				"Claude Code is not saving the conversation. Parley kept {messages} messages of the last turn.",
				"They stay in the history, marked. Claude will not remember them after a restart. Check the disk and the permissions of Claude Code's folder.",
			},
			german: sentences{
				"Claude Code speichert die Unterhaltung nicht. Parley hat {messages} Nachrichten der letzten Runde aufbewahrt.",
				"Es bleibt im Verlauf, mit einer Markierung. Claude erinnert sich nicht daran, wenn die Sitzung nach einem Neustart weitergeht. Prüfen Sie die Festplatte und die Rechte des Ordners von Claude Code.",
			},
		},
	}
}
