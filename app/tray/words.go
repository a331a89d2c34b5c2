package tray

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// words are the menu's texts in one language.
type words struct {
	idle, untitled, noHeartbeats, paused, mirror, unconnected, open, quit string
	run, pause, resume, pauseAll, resumeAll                               string
	quiet, quietOn                                                        string
	quietFor                                                              map[string]string
	// states are the texts for heartbeats that are not due.
	states                                            map[string]string
	waiting, running, failed, stopped, warnings, more func(n int) string
	retrying, limited                                 func(n int) string
	// trouble describes a session's failure.
	trouble    func(t Trouble) string
	quietUntil func(when string) string
	// when formats a time relative to another.
	when func(now, at time.Time) string
}

// languageOf is the menu's language for the user's setting.
func languageOf(setting string, getenv func(string) string) string {
	if setting == "" || setting == "system" {
		for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
			if setting = getenv(name); setting != "" {
				break
			}
		}
	}
	if strings.HasPrefix(setting, "de") {
		return "de"
	}
	return "en"
}

func wordsOf(language string) words {
	if language == "de" {
		return german()
	}
	return english()
}

func english() words {
	return words{
		idle: "Nothing is running", untitled: "New session", noHeartbeats: "No heartbeats", paused: "paused",
		mirror: "Mattermost mirror", unconnected: "not connected", open: "Open Parley", quit: "Quit Parley",
		run: "Run now", pause: "Pause", resume: "Resume", pauseAll: "Pause all heartbeats", resumeAll: "Resume all heartbeats",
		quiet: "Do not disturb", quietOn: "Do not disturb: on",
		quietFor: map[string]string{
			"hour": "For an hour", "tomorrow": "Until tomorrow at 8:00", "on": "Until turned off", "off": "Turn off",
		},
		states: map[string]string{
			"running": "is running", "waiting": "waiting for you", "off": "paused", "stopped": "stopped", "over": "not due again",
		},
		waiting:  counted("1 session is waiting for you", "%d sessions are waiting for you"),
		running:  counted("1 session is running", "%d sessions are running"),
		failed:   counted("1 session failed", "%d sessions failed"),
		retrying: counted("1 session is waiting to retry", "%d sessions are waiting to retry"),
		limited:  counted("1 session reached its usage limit", "%d sessions reached their usage limit"),
		trouble: func(t Trouble) string {
			switch {
			case t.Code == "" && t.Status > 0:
				return fmt.Sprintf("API error %d, retrying (%d of %d)", t.Status, t.Attempt, t.Most)
			case t.Code == "":
				return fmt.Sprintf("API unreachable, retrying (%d of %d)", t.Attempt, t.Most)
			case t.Code == codeLimit:
				return "usage limit reached"
			}
			return "failed"
		},
		stopped:    counted("1 heartbeat was stopped", "%d heartbeats were stopped"),
		warnings:   counted("1 problem", "%d problems"),
		more:       counted("1 more…", "%d more…"),
		quietUntil: func(when string) string { return "Do not disturb until " + strings.TrimPrefix(when, "today at ") },
		when: func(now, at time.Time) string {
			clock := at.Format("15:04")
			switch days := daysBetween(now, at); {
			case days == 0:
				return "today at " + clock
			case days == 1:
				return "tomorrow at " + clock
			case days > 1 && days < 7:
				return at.Weekday().String() + " at " + clock
			case at.Year() == now.Year():
				return at.Format("2 January") + " at " + clock
			}
			return at.Format("2 January 2006")
		},
	}
}

func german() words {
	weekdays := []string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"}
	months := []string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}
	return words{
		idle: "Es läuft nichts", untitled: "Neue Sitzung", noHeartbeats: "Keine Heartbeats", paused: "angehalten",
		mirror: "Mattermost-Spiegel", unconnected: "nicht verbunden", open: "Parley öffnen", quit: "Parley beenden",
		run: "Jetzt ausführen", pause: "Anhalten", resume: "Fortsetzen", pauseAll: "Alle Heartbeats anhalten", resumeAll: "Alle Heartbeats fortsetzen",
		quiet: "Nicht stören", quietOn: "Nicht stören: an",
		quietFor: map[string]string{
			"hour": "Eine Stunde lang", "tomorrow": "Bis morgen um 8:00", "on": "Bis es ausgeschaltet wird", "off": "Ausschalten",
		},
		states: map[string]string{
			"running": "läuft", "waiting": "wartet auf Sie", "off": "angehalten", "stopped": "wurde gestoppt", "over": "nicht mehr fällig",
		},
		waiting:  counted("1 Sitzung wartet auf Sie", "%d Sitzungen warten auf Sie"),
		running:  counted("1 Sitzung läuft", "%d Sitzungen laufen"),
		failed:   counted("1 Sitzung ist fehlgeschlagen", "%d Sitzungen sind fehlgeschlagen"),
		retrying: counted("1 Sitzung wartet auf den nächsten Versuch", "%d Sitzungen warten auf den nächsten Versuch"),
		limited:  counted("1 Sitzung hat die Nutzungsgrenze erreicht", "%d Sitzungen haben die Nutzungsgrenze erreicht"),
		trouble: func(t Trouble) string {
			switch {
			case t.Code == "" && t.Status > 0:
				return fmt.Sprintf("API-Fehler %d, neuer Versuch (%d von %d)", t.Status, t.Attempt, t.Most)
			case t.Code == "":
				return fmt.Sprintf("API nicht erreichbar, neuer Versuch (%d von %d)", t.Attempt, t.Most)
			case t.Code == codeLimit:
				return "Nutzungsgrenze erreicht"
			}
			return "fehlgeschlagen"
		},
		stopped:    counted("1 Heartbeat wurde gestoppt", "%d Heartbeats wurden gestoppt"),
		warnings:   counted("1 Problem", "%d Probleme"),
		more:       counted("1 weitere …", "%d weitere …"),
		quietUntil: func(when string) string { return "Nicht stören bis " + strings.TrimPrefix(when, "heute um ") },
		when: func(now, at time.Time) string {
			clock := at.Format("15:04")
			date := strconv.Itoa(at.Day()) + ". " + months[at.Month()-1]
			switch days := daysBetween(now, at); {
			case days == 0:
				return "heute um " + clock
			case days == 1:
				return "morgen um " + clock
			case days > 1 && days < 7:
				return weekdays[at.Weekday()] + " um " + clock
			case at.Year() == now.Year():
				return date + " um " + clock
			}
			return date + " " + strconv.Itoa(at.Year())
		},
	}
}

func counted(one, other string) func(int) string {
	return func(n int) string {
		if n == 1 {
			return one
		}
		return fmt.Sprintf(other, n)
	}
}

// daysBetween counts the midnights between two times of one zone.
func daysBetween(from, to time.Time) int {
	day := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return int(day(to).Sub(day(from)).Hours() / 24)
}
