package kept

import (
	"encoding/json"
	"log/slog"
	"time"

	"parley/backend/store"
	"parley/backend/store/schema"
)

// LogNote is the name of the note about how far the log of permissions has come.
const LogNote = "log"

// Heartbeats is the name under which it is kept which heartbeats were accepted.
const Heartbeats = "heartbeats"

// Chat is the name under which it is kept what was accepted about the team chat.
const Chat = "chat"

// Peek is the text of a note in a store that nobody has open, "" where there is none.
func Peek(path, name string) string {
	if store.Check(path) != nil {
		return "" // it would be repaired
	}
	db, err := schema.Open(path, schema.Config{Logger: slog.New(slog.DiscardHandler), Timeout: time.Millisecond})
	if err != nil {
		return ""
	}
	defer func() { _ = db.Close() }()
	r, err := db.Kept.Get(name)
	if err != nil {
		return ""
	}
	return r.Text
}

// DoubtIn is why a user has to look at a store, "" when nobody has to.
func DoubtIn(db *schema.DB) string {
	var s standing
	if r, err := db.Kept.Get(standingName); err != nil || json.Unmarshal([]byte(r.Text), &s) != nil {
		return ""
	}
	return s.Doubt
}
