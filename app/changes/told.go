package changes

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"parley/app/feature"
	"parley/backend/session"
)

// maxNamed bounds how many files are named to the model.
const maxNamed = 100

// told adds a note to the next prompt that files are not what the model left: otherwise it would
// continue from what it remembers of them.
func (c *Service) told(sessionID, what string, files []string) {
	if len(files) == 0 {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<system-reminder>\n%s Read these files again before you rely on what is in them:\n", what)
	for _, name := range files[:min(len(files), maxNamed)] {
		fmt.Fprintf(&b, "- %s\n", feature.Quoted(name)) // nothing in a name can end the tag or the line
	}
	if more := len(files) - maxNamed; more > 0 {
		fmt.Fprintf(&b, "- and %d more\n", more)
	}
	b.WriteString("</system-reminder>")
	c.tell(sessionID, session.Note{Messages: []session.NoteMessage{{ID: uuid.NewString(), Text: b.String()}}})
}

// tell adds a note to the next prompt of a session, also if it is suspended.
func (c *Service) tell(id string, n session.Note) {
	for range 3 { // it may be resumed or suspended in between
		if c.cfg.Registry.Live(id) && c.cfg.Registry.Note(id, n) {
			return
		}
		kept, err := c.cfg.Library.QueueNote(id, n)
		if err != nil {
			c.cfg.Log.Warn("Couldn't tell Claude about a change by the user", "session", id, "err", err)
		}
		if kept || err != nil {
			return
		}
	}
}
