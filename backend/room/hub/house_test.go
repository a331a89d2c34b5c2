package hub_test

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/backend/room"
	"parley/backend/room/embedded"
	"parley/backend/room/hub"
	"parley/backend/room/roomtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func store(tb testing.TB) *embedded.Store {
	tb.Helper()
	return storeAt(tb, filepath.Join(tb.TempDir(), "rooms.db"))
}

func storeAt(tb testing.TB, path string) *embedded.Store {
	tb.Helper()
	s, err := embedded.Open(embedded.Config{Path: path, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func house(t *testing.T, o roomtest.Options) *roomtest.Node {
	t.Helper()
	return roomtest.NewHouse(t, store(t), o)
}

func who(id string) hub.Actor { return hub.SessionWho(id, "Session "+id) }

func join(t *testing.T, h *roomtest.Node, name string, ids ...string) hub.View {
	t.Helper()
	var v hub.View
	for _, id := range ids {
		var err error
		if v, err = h.Join(t.Context(), who(id), name, id); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

func say(t *testing.T, h *roomtest.Node, name, id, text string) room.Message {
	t.Helper()
	return sayAs(t, h, who(id), hub.Outgoing{Room: name, Text: text})
}

func sayAs(t *testing.T, h *roomtest.Node, w hub.Actor, s hub.Outgoing) room.Message {
	t.Helper()
	said, err := h.Say(t.Context(), w, s)
	if err != nil {
		t.Fatal(err)
	}
	return said.Message
}

// person makes the user a member and writes a message.
func person(t *testing.T, h *roomtest.Node, name, text string) room.Message {
	t.Helper()
	if _, err := h.Join(t.Context(), h.Person(), name, "person"); err != nil {
		t.Fatal(err)
	}
	return sayAs(t, h, h.Person(), hub.Outgoing{Room: name, Text: text})
}

func from(n uint64) *uint64 { return &n }

func listen(t *testing.T, h *roomtest.Node, id string, l hub.Listening) (hub.Delivery, string) {
	t.Helper()
	if l.Timeout == 0 {
		l.Timeout = room.MostListen
	}
	heard, err := h.Listen(t.Context(), who(id), l)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range heard.Messages {
		text := m.Text
		if m.Again {
			text += " (again)"
		}
		texts = append(texts, text)
	}
	return heard, strings.Join(texts, ", ")
}

func code(t *testing.T, err error, want string) {
	t.Helper()
	if room.CodeOf(err) != want || err == nil {
		t.Errorf("error %v, want one with the code %s", err, want)
	}
}

func states(h *roomtest.Node, m room.Message) string {
	var all []string
	for _, r := range h.Receipts(m.Room, []room.Message{m})[0] {
		text := fmt.Sprintf("%s %s", r.Nick, r.State)
		if r.Reply != 0 {
			text += fmt.Sprintf(" (%d)", r.Reply)
		}
		if r.Reason != "" {
			text += ": " + r.Reason
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

const moment = time.Millisecond
