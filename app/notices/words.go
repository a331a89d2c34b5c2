package notices

import (
	"os"
	"strings"

	"parley/backend/platform/notify"
)

// Words are the texts of notifications.
type Words struct {
	untitled, try       string
	hiddenTitle, hidden string
	// For a Parley in the background.
	backgroundTitle, background, stuck string
	finishedTitle, finished            string
	// For a window whose page crashed repeatedly.
	brokenTitle, broken, openAgain string
	Bodies                         map[notify.Kind]string
}

// languageOf is the language of a setting, "system" being the environment's.
func languageOf(setting string) string {
	if setting == "system" {
		for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
			if setting = os.Getenv(name); setting != "" {
				break
			}
		}
	}
	return setting
}

// NoticeWords are the texts in a language, "system" for the environment's.
func NoticeWords(language string) Words {
	if strings.HasPrefix(languageOf(language), "de") {
		return Words{
			untitled: "Neue Sitzung", try: "So sieht eine Mitteilung aus.",
			hiddenTitle: "Parley läuft weiter", hidden: "Das Symbol in der Leiste öffnet das Fenster wieder und beendet Parley.",
			backgroundTitle: "Parley arbeitet im Hintergrund",
			background:      "Parley beendet sich, wenn alles erledigt ist. Um das Fenster wieder zu öffnen, starten Sie Parley noch einmal.",
			stuck:           "Das Fenster reagiert nicht mehr. Ihre Sitzungen laufen weiter. Um das Fenster wieder zu öffnen, starten Sie Parley noch einmal.",
			brokenTitle:     "Parleys Fenster ist abgestürzt",
			broken:          "Seine Seite ist dreimal in einer Minute abgestürzt. Ihre Sitzungen laufen weiter. Das Fenster öffnet wieder in der sicheren Ansicht.",
			openAgain:       "Wieder öffnen",
			finishedTitle:   "Parley ist fertig", finished: "Im Hintergrund ist alles erledigt. Parley hat sich beendet.",
			Bodies: map[notify.Kind]string{
				notify.Done: "Fertig.", notify.Question: "Wartet auf Ihre Antwort.",
				notify.Plan: "Der Plan ist fertig und wartet auf Ihre Prüfung.", notify.Failed: "Fehlgeschlagen.",
				notify.Found: "Hat etwas gefunden.", notify.Stopped: "Angehalten, läuft nicht mehr.",
				notify.Limit: "Das Limit ist erreicht.",
			},
		}
	}
	return Words{
		untitled: "New session", try: "This is how a notification looks.",
		hiddenTitle: "Parley is still running", hidden: "Use the tray icon to reopen the window or quit.",
		backgroundTitle: "Parley is working in the background",
		background:      "Parley quits when everything is done. To open the window again, start Parley.",
		stuck:           "The window stopped responding. Your sessions keep running. To open the window again, start Parley.",
		brokenTitle:     "Parley's window stopped working",
		broken:          "The page crashed three times within a minute. Your sessions keep running. The window reopens in safe mode.",
		openAgain:       "Open again",
		finishedTitle:   "Parley is done", finished: "Everything in the background has finished, and Parley has quit.",
		Bodies: map[notify.Kind]string{
			notify.Done: "Finished.", notify.Question: "Waiting for your answer.",
			notify.Plan: "The plan is ready for your review.", notify.Failed: "Failed.",
			notify.Found: "Found something.", notify.Stopped: "Stopped and no longer running.",
			notify.Limit: "The limit is reached.",
		},
	}
}
