package models

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/app/sessions"
	"parley/backend/claude"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
)

// none has no CLI to start.
type none struct{}

func (none) Probe(context.Context, session.Spec) (json.RawMessage, error) {
	return nil, fault.New(fault.Unavailable, "There is no CLI.")
}

func (none) Find(context.Context) (found claude.Found, version string, err error) {
	return found, "", fault.New(fault.Unavailable, "There is no CLI.")
}

func (none) Updated(string) int64 { return 0 }

func listed(t *testing.T, m *Service, p sessions.ModelsParams) sessions.ModelList {
	t.Helper()
	list, err := m.Models(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func values(l sessions.ModelList) []string {
	var out []string
	for _, m := range l.Models {
		out = append(out, m.Value)
	}
	return out
}

// A session's own CLI is asked while it is running; its folder's commands are known from its start.
func TestModelsOfSessions(t *testing.T) {
	answer, failing := `{"models":[{"value":"own"}]}`, error(nil)
	m := New(Config{
		Engine: none{}, CLI: none{}, Profiles: none{},
		Session: func(_ context.Context, id string) (event.Session, error) {
			return event.Session{ID: id}, nil
		},
		Control: func(_ context.Context, _ string, body wire.ControlBody) ([]byte, error) {
			if body.ControlSubtype() != "list_models" {
				t.Errorf("asked for %s", body.ControlSubtype())
			}
			return []byte(answer), failing
		},
		Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler),
	})
	m.Heard(session.Spec{SessionID: "s1"}, json.RawMessage(`{"commands":[{"name":"deploy"}]}`))
	m.Heard(session.Spec{SessionID: "s2"}, json.RawMessage(`"broken"`))
	list := listed(t, m, sessions.ModelsParams{SessionID: "s1"})
	if !slices.Equal(values(list), []string{"own"}) || len(list.Commands) != 1 || list.Commands[0].Name != "deploy" || list.At == 0 || list.Message != "" {
		t.Errorf("%+v", list)
	}
	if list := listed(t, m, sessions.ModelsParams{SessionID: "s2"}); len(list.Commands) != 0 || len(list.Models) != 1 {
		t.Errorf("%+v", list)
	}
	for _, broken := range []string{`{"models":[]}`, `[]`} {
		answer = broken
		if list := listed(t, m, sessions.ModelsParams{SessionID: "s1"}); list.At != 0 || list.Message == "" || len(list.Commands) != 1 {
			t.Errorf("%+v", list)
		}
	}
	for i := range 3 * maxOffers {
		m.Heard(session.Spec{SessionID: strings.Repeat("x", i+1)}, json.RawMessage(`{}`))
	}
	if len(m.commands) > maxOffers {
		t.Errorf("%d sessions are remembered", len(m.commands))
	}
}

// The cache file is only used as far as it is valid.
func TestModelsFile(t *testing.T) {
	for _, content := range []string{"", "{", "[]", `{"profile:":{"version":"2.1.329","at":5,"models":null}}`, strings.Repeat(" ", maxOffersFile+1)} {
		m := New(Config{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
		if err := os.WriteFile(m.file(), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		m.load()
		if m.offers == nil {
			t.Errorf("%.20q: nothing to write to", content)
		}
		if list := listOf(m.offers["profile:"]); list.Models == nil || list.Commands == nil {
			t.Errorf("%.20q: %+v", content, list)
		}
		m.save()
	}
}
