package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app/engine/models"
	"parley/app/profiles"
	"parley/app/sessions"
	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// newTestModels asks the real CLI of b; sessions are the existing ones.
func newTestModels(b *bench, sessions map[string]event.Session) *models.Service {
	return models.New(models.Config{
		Engine: b.engine, CLI: b.cli,
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
		Profiles: b.profiles, Dir: b.path("data"), Log: b.engine.cfg.Log,
	})
}

func listed(t *testing.T, m *models.Service, p sessions.ModelsParams) sessions.ModelList {
	t.Helper()
	list, err := m.Models(t.Context(), p)
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

	first := listed(t, m, sessions.ModelsParams{})
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

	if again := listed(t, m, sessions.ModelsParams{SessionID: "s1"}); again.At != first.At {
		t.Error("the CLI was asked a second time")
	}
	if newer := listed(t, m, sessions.ModelsParams{Refresh: true}); newer.At <= first.At {
		t.Error("the CLI was not asked again")
	}
	if next := listed(t, newTestModels(b, nil), sessions.ModelsParams{}); next.At <= first.At {
		t.Error("the next Parley does not know the last answer")
	}
	if scripted := listed(t, m, sessions.ModelsParams{SessionID: "r1"}); scripted.At <= first.At || len(scripted.Models) == 0 {
		t.Errorf("the scripted session's: %+v", scripted)
	}
	if _, err := m.Models(t.Context(), sessions.ModelsParams{SessionID: "nobody"}); fault.CodeOf(err) != fault.NotFound {
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
	first := listed(t, m, sessions.ModelsParams{SessionID: "s1"})
	if !slices.ContainsFunc(values(first), func(v string) bool { return strings.Contains(v, "anthropic.claude") }) {
		t.Errorf("models %q, message %q", values(first), first.Message)
	}
	if same := listed(t, m, sessions.ModelsParams{Profile: p.ID}); same.At != first.At {
		t.Error("the CLI was asked twice about one profile")
	}
	params.ID = p.ID
	b.set(params)
	if newer := listed(t, m, sessions.ModelsParams{Profile: p.ID}); newer.At <= first.At {
		t.Error("the CLI was not asked about the changed profile")
	}
	if _, err := b.profiles.Delete(t.Context(), profiles.ProfileRef{ProfileID: p.ID}); err != nil {
		t.Fatal(err)
	}
	if gone := listed(t, m, sessions.ModelsParams{Profile: p.ID}); gone.At != 0 || !strings.Contains(gone.Message, "deleted") {
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
			list := listed(t, m, sessions.ModelsParams{})
			if len(list.Models) != 0 || list.At != 0 || !strings.Contains(list.Message, tt.message) {
				t.Errorf("%+v", list)
			}
		})
	}
	t.Run("a CLI that is silent", func(t *testing.T) {
		b.values.CLIPath = script("cat >/dev/null")
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if _, err := newTestModels(b, nil).Models(ctx, sessions.ModelsParams{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

func TestModelsSignedOut(t *testing.T) {
	leakless(t)
	b := newBench(t, newProvider(t), "ANTHROPIC_API_KEY=")
	list := listed(t, newTestModels(b, nil), sessions.ModelsParams{})
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
			list, err := m.Models(t.Context(), sessions.ModelsParams{})
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
