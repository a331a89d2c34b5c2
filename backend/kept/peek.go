package kept

import (
	"encoding/json"
	"log/slog"
	"time"

	"parley/backend/store"
	"parley/backend/store/schema"
)

// LogNote is the name of the note about the end of the log of permissions.
const LogNote = "log"

// Heartbeats is the name under which the accepted heartbeats are kept.
const Heartbeats = "heartbeats"

// Chat is the name under which the accepted chat settings are kept.
const Chat = "chat"

// Peek is the text of a note in a closed store, "" if there is none.
func Peek(path, name string) string {
	if store.Check(path) != nil {
		return "" // opening would repair it
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

// DoubtIn is why a user has to check a store, "" for no reason.
func DoubtIn(db *schema.DB) string {
	var s standing
	if r, err := db.Kept.Get(standingName); err != nil || json.Unmarshal([]byte(r.Text), &s) != nil {
		return ""
	}
	return s.Doubt
}
