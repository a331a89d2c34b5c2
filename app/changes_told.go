package app

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"parley/backend/session"
)

// maxNamed bounds how many files are named to the model.
const maxNamed = 100

// tell has the model of a session told something with the next prompt, also when the
// session rests.
func (a *App) tell(id string, n session.Note) {
	for range 3 { // it may be woken, or put to rest, in between
		if a.registry.Live(id) && a.registry.Note(id, n) {
			return
		}
		kept, err := a.library.Tell(id, n)
		if err != nil {
			a.cfg.Logger.Warn("The model is not told what a person did", "session", id, "err", err)
		}
		if kept || err != nil {
			return
		}
	}
}

// told lets the model know with the next prompt that files are not what it left: it
// would go on from what it remembers of them.
func (c *changes) told(sessionID, what string, files []string) {
	if len(files) == 0 {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<system-reminder>\n%s Read these files again before you rely on what is in them:\n", what)
	for _, name := range files[:min(len(files), maxNamed)] {
		quoted, _ := json.Marshal(name) // nothing in a name ends the tag, or the line
		fmt.Fprintf(&b, "- %s\n", quoted)
	}
	if more := len(files) - maxNamed; more > 0 {
		fmt.Fprintf(&b, "- and %d more\n", more)
	}
	b.WriteString("</system-reminder>")
	c.tell(sessionID, session.Note{Messages: []session.NoteMessage{{ID: uuid.NewString(), Text: b.String()}}})
}
