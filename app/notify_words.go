package app

import (
	"os"
	"strings"

	"parley/backend/notify"
)

// words are the sentences of notifications.
type words struct {
	untitled, try       string
	hiddenTitle, hidden string
	// Those of a Parley in the background.
	backgroundTitle, background, stuck string
	finishedTitle, finished            string
	bodies                             map[notify.Kind]string
}

// noticeWords are those of a language, "system" for that of the environment.
func noticeWords(language string) words {
	if language == "system" {
		for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
			if language = os.Getenv(name); language != "" {
				break
			}
		}
	}
	if strings.HasPrefix(language, "de") {
		return words{
			untitled: "Neue Sitzung", try: "So sieht eine Mitteilung aus.",
			hiddenTitle: "Parley läuft weiter", hidden: "Das Symbol in der Leiste öffnet das Fenster wieder und beendet Parley.",
			backgroundTitle: "Parley arbeitet im Hintergrund",
			background:      "Parley beendet sich, wenn alles erledigt ist. Um das Fenster wieder zu öffnen, starten Sie Parley noch einmal.",
			stuck:           "Das Fenster reagiert nicht mehr. Ihre Sitzungen laufen weiter. Um das Fenster wieder zu öffnen, starten Sie Parley noch einmal.",
			finishedTitle:   "Parley ist fertig", finished: "Im Hintergrund ist alles erledigt. Parley hat sich beendet.",
			bodies: map[notify.Kind]string{
				notify.Done: "Fertig.", notify.Question: "Wartet auf Ihre Antwort.",
				notify.Plan: "Wartet darauf, dass Sie den Plan lesen.", notify.Failed: "Fehlgeschlagen.",
				notify.Found: "Hat etwas gefunden.", notify.Stopped: "Wurde angehalten und läuft nicht mehr.",
			},
		}
	}
	return words{
		untitled: "New session", try: "This is how a notification looks.",
		hiddenTitle: "Parley is still running", hidden: "Its icon in the panel opens the window again, and quits.",
		backgroundTitle: "Parley is working in the background",
		background:      "It quits when everything is done. To open the window again, start Parley.",
		stuck:           "Its window stopped responding. Your sessions keep running. To open the window again, start Parley.",
		finishedTitle:   "Parley is done", finished: "Everything in the background has finished, and Parley has quit.",
		bodies: map[notify.Kind]string{
			notify.Done: "Finished.", notify.Question: "Waits for your answer.",
			notify.Plan: "Waits for you to read its plan.", notify.Failed: "Failed.",
			notify.Found: "Found something.", notify.Stopped: "Was stopped and does not run any more.",
		},
	}
}
