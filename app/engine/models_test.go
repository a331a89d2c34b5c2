package engine

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app/install"
	"parley/app/profiles"
	"parley/app/sessions"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/settings"
)

// newTestModels asks the real CLI of b; sessions are the existing ones.
func newTestModels(b *bench, sessions map[string]event.Session) *models {
	return newModels(modelsConfig{
		Engine: b.engine,
		Session: func(_ context.Context, id string) (event.Session, error) {
			s, ok := sessions[id]
			if !ok {
				return s, fault.New(fault.NotFound, "There is no such session.")
			}
			return s, nil
		},
		Control: func(context.Context, string, wire.ControlBody) ([]byte, error) {
			return nil, fault.New(fault.Unavailable, "No CLI runs.")
		},
		Updated: b.profiles.Updated, Dir: b.path("data"), Log: b.engine.cfg.Log,
	})
}

func (m *models) listed(t *testing.T, p sessions.ModelsParams) sessions.ModelList {
	t.Helper()
	list, err := m.list(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if list.Models == nil || list.Commands == nil || len(list.PermissionModes) != 6 || len(list.Efforts) != 5 {
		t.Errorf("a list of %+v", list)
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

// A new session's choices come from a CLI started for them: nothing is sent to a model, nothing of
// the user's runs, nothing is left behind, and the next request is answered from memory.
func TestModelsAsked(t *testing.T) {
	leakless(t)
	outside := newProvider(t)
	b := newBench(t, outside)
	b.write("config/settings.json", `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch `+b.path("home/hooked")+`"}]}]}}`)
	b.write("config/.claude.json", `{"mcpServers":{"own":{"type":"stdio","command":"sh","args":["-c","touch `+b.path("home/served")+`"]}}}`)
	m := newTestModels(b, map[string]event.Session{"s1": {ID: "s1"}, "r1": {ID: "r1", Scripted: true}})

	first := m.listed(t, sessions.ModelsParams{})
	if !slices.Contains(values(first), "default") || first.At == 0 || first.Message != "" {
		t.Fatalf("%v at %d: %s", values(first), first.At, first.Message)
	}
	for _, model := range first.Models {
		if model.Name == "" || model.Resolved == "" || len(model.Efforts) == 0 {
			t.Errorf("%+v", model)
		}
	}
	if !slices.ContainsFunc(first.Commands, func(c sessions.Command) bool { return c.Name == "compact" && c.Description != "" }) {
		t.Errorf("%d commands", len(first.Commands))
	}
	for _, name := range []string{"hooked", "served"} {
		if _, err := os.Stat(b.path("home/" + name)); err == nil {
			t.Errorf("something was %s", name)
		}
	}
	if got := outside.take(); len(got) != 0 {
		t.Errorf("the model was asked: %q", got)
	}
	if found, err := filepath.Glob(b.path("config/projects/*/*.jsonl")); len(found) != 0 || err != nil {
		t.Errorf("a conversation was begun: %q, %v", found, err)
	}

	if again := m.listed(t, sessions.ModelsParams{SessionID: "s1"}); again.At != first.At {
		t.Error("the CLI was asked a second time")
	}
	if newer := m.listed(t, sessions.ModelsParams{Refresh: true}); newer.At <= first.At {
		t.Error("the CLI was not asked again")
	}
	if next := newTestModels(b, nil).listed(t, sessions.ModelsParams{}); next.At <= first.At {
		t.Error("the next Parley does not know the last answer")
	}
	if scripted := m.listed(t, sessions.ModelsParams{SessionID: "r1"}); scripted.At <= first.At || len(scripted.Models) == 0 {
		t.Errorf("the scripted session's: %+v", scripted)
	}
	if _, err := m.list(t.Context(), sessions.ModelsParams{SessionID: "nobody"}); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}

// A profile has its own models, and is asked again after a change.
func TestModelsOfProfiles(t *testing.T) {
	leakless(t)
	b := newBench(t, newProvider(t))
	params := profiles.ProfileSetParams{Name: "Cloud", Kind: "bedrock", Env: map[string]string{"AWS_REGION": "us-east-1"}}
	p := b.set(params)
	m := newTestModels(b, map[string]event.Session{"s1": {ID: "s1", ListState: event.ListState{Profile: p.ID}}})
	first := m.listed(t, sessions.ModelsParams{SessionID: "s1"})
	if !slices.ContainsFunc(values(first), func(v string) bool { return strings.Contains(v, "anthropic.claude") }) {
		t.Errorf("models %q, message %q", values(first), first.Message)
	}
	if same := m.listed(t, sessions.ModelsParams{Profile: p.ID}); same.At != first.At {
		t.Error("the CLI was asked twice about one profile")
	}
	params.ID = p.ID
	b.set(params)
	if newer := m.listed(t, sessions.ModelsParams{Profile: p.ID}); newer.At <= first.At {
		t.Error("the CLI was not asked about the changed profile")
	}
	if _, err := b.profiles.Delete(t.Context(), profiles.ProfileRef{ProfileID: p.ID}); err != nil {
		t.Fatal(err)
	}
	if gone := m.listed(t, sessions.ModelsParams{Profile: p.ID}); gone.At != 0 || !strings.Contains(gone.Message, "deleted") {
		t.Errorf("%+v", gone)
	}
}

// If no CLI can be asked, the list says why, without an error.
func TestModelsWithoutAnswer(t *testing.T) {
	leakless(t)
	b := newBench(t, newProvider(t))
	script := func(text string) string {
		name := b.path("home/claude-" + strings.ReplaceAll(t.Name(), "/", "-") + text[:1])
		if err := os.WriteFile(name, []byte("#!/bin/sh\ncase \"$1\" in --version) echo '2.1.329 (Claude Code)'; exit;; esac\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, tt := range []struct{ name, cli, message string }{
		{"no CLI", b.path("home/nothing"), "nothing"},
		{"a CLI that ends", script("exit 3"), "ended before"},
		{"a CLI that babbles", script(`read line; id=${line#*'request_id":"'}; id=${id%%'"'*}; echo '{"type":"control_response","response":{"subtype":"success","request_id":"'$id'","response":{"models":"all"}}}'; cat >/dev/null`), "does not understand"},
		{"a CLI that refuses", script(`# no` + "\n" + `read line; id=${line#*'request_id":"'}; id=${id%%'"'*}; echo '{"type":"control_response","response":{"subtype":"error","request_id":"'$id'","error":"no"}}'; cat >/dev/null`), "ended before"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b.values.CLIPath = tt.cli
			m := newTestModels(b, nil)
			list := m.listed(t, sessions.ModelsParams{})
			if len(list.Models) != 0 || list.At != 0 || !strings.Contains(list.Message, tt.message) {
				t.Errorf("%+v", list)
			}
		})
	}
	t.Run("a CLI that is silent", func(t *testing.T) {
		b.values.CLIPath = script("cat >/dev/null")
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if _, err := newTestModels(b, nil).list(ctx, sessions.ModelsParams{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

func TestModelsSignedOut(t *testing.T) {
	leakless(t)
	b := newBench(t, newProvider(t), "ANTHROPIC_API_KEY=")
	list := newTestModels(b, nil).listed(t, sessions.ModelsParams{})
	if len(list.Models) == 0 || list.At == 0 || !strings.Contains(list.Message, "not signed in") {
		t.Errorf("%d models at %d: %s", len(list.Models), list.At, list.Message)
	}
}

// Concurrent requests share the answer of one CLI.
func TestModelsOnce(t *testing.T) {
	leakless(t)
	b := newBench(t, newProvider(t))
	m := newTestModels(b, nil)
	var asking sync.WaitGroup
	at := make(chan int64, 8)
	for range cap(at) {
		asking.Go(func() {
			list, err := m.list(t.Context(), sessions.ModelsParams{})
			if err != nil {
				t.Error(err)
			}
			at <- list.At
		})
	}
	asking.Wait()
	first := <-at
	for range cap(at) - 1 {
		if other := <-at; other != first {
			t.Error("more than one CLI was asked")
		}
	}
}

// A session's own CLI is asked while it is running; its folder's commands are known from its start.
func TestModelsOfSessions(t *testing.T) {
	answer, failing := `{"models":[{"value":"own"}]}`, error(nil)
	m := newModels(modelsConfig{
		Engine: New(Config{Processes: noProcesses{}, CLI: install.New(install.Config{Settings: func() settings.Values { return settings.Values{CLIPath: "/nowhere/claude"} }})}),
		Session: func(_ context.Context, id string) (event.Session, error) {
			return event.Session{ID: id}, nil
		},
		Control: func(_ context.Context, _ string, body wire.ControlBody) ([]byte, error) {
			if body.ControlSubtype() != "list_models" {
				t.Errorf("asked for %s", body.ControlSubtype())
			}
			return []byte(answer), failing
		},
		Updated: func(string) int64 { return 0 }, Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler),
	})
	m.heard(session.Spec{SessionID: "s1"}, json.RawMessage(`{"commands":[{"name":"deploy"}]}`))
	m.heard(session.Spec{SessionID: "s2"}, json.RawMessage(`"broken"`))
	list := m.listed(t, sessions.ModelsParams{SessionID: "s1"})
	if !slices.Equal(values(list), []string{"own"}) || len(list.Commands) != 1 || list.Commands[0].Name != "deploy" || list.At == 0 || list.Message != "" {
		t.Errorf("%+v", list)
	}
	if list := m.listed(t, sessions.ModelsParams{SessionID: "s2"}); len(list.Commands) != 0 || len(list.Models) != 1 {
		t.Errorf("%+v", list)
	}
	for _, broken := range []string{`{"models":[]}`, `[]`} {
		answer = broken
		if list := m.listed(t, sessions.ModelsParams{SessionID: "s1"}); list.At != 0 || list.Message == "" || len(list.Commands) != 1 {
			t.Errorf("%+v", list)
		}
	}
	for i := range 3 * maxOffers {
		m.heard(session.Spec{SessionID: strings.Repeat("x", i+1)}, json.RawMessage(`{}`))
	}
	if len(m.commands) > maxOffers {
		t.Errorf("%d sessions are remembered", len(m.commands))
	}
}

// The cache file is only used as far as it is valid.
func TestModelsFile(t *testing.T) {
	for _, content := range []string{"", "{", "[]", `{"profile:":{"version":"2.1.329","at":5,"models":null}}`, strings.Repeat(" ", maxOffersFile+1)} {
		m := newModels(modelsConfig{Engine: New(Config{}), Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
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
