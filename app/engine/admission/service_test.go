package admission

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/app/trust"
	"parley/backend/event"
	"parley/backend/permission"
	"parley/backend/session"
	"parley/backend/store/schema"
)

// certain is a store that was not lost.
type certain struct{}

func (certain) Doubted() bool { return false }

// Only what the user has seen may start: a folder that changed before the answer is asked about
// again.
func TestFolderThatChangesMeanwhile(t *testing.T) {
	dir, config := t.TempDir(), t.TempDir()
	db, err := schema.Open(filepath.Join(t.TempDir(), "parley.db"), schema.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	server := func(command string) {
		if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(`{"mcpServers":{"a":{"command":"`+command+`"}}}`), 0o600); err != nil {
			t.Error(err)
		}
	}
	opened := make(chan permission.Request, 10)
	desk := permission.NewQueue(permission.Config{Observe: func(c permission.Change) {
		if c.Resolution == nil {
			opened <- c.Question
		}
	}})
	defer desk.Close()
	e := New(Config{
		Desk: desk, Heartbeat: func(string) string { return "" }, Patience: func() time.Duration { return time.Hour }, Log: slog.New(slog.DiscardHandler),
		Trust: trust.New(trust.Config{Records: db.Trust, Store: certain{}, Config: func(bool) string { return config }, Publish: func(event.Event) {}}),
	})
	server("harmless")
	type end struct {
		bare bool
		err  error
	}
	ended := make(chan end, 1)
	go func() {
		bare, err := e.Admit(t.Context(), session.Spec{SessionID: "s", CWD: dir})
		ended <- end{bare, err}
	}()
	first := <-opened
	server("evil")
	answer := func(q permission.Request) {
		if won, err := desk.Respond(q.RequestID, permission.Answer{Behavior: "allow"}, "window"); !won || err != nil {
			t.Fatal(won, err)
		}
	}
	answer(first)
	select {
	case second := <-opened:
		answer(second)
	case got := <-ended:
		t.Fatalf("the CLI starts with what nobody was shown: %+v", got)
	}
	if got := <-ended; got.bare || got.err != nil {
		t.Errorf("%+v", got)
	}
}
