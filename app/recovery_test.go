package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"parley/app/feature"
	"parley/app/outside"
	"parley/app/settings"
	"parley/app/snapshots"
	"parley/backend/fault"
	"parley/backend/kept"
	"parley/backend/paths"
	"parley/backend/permission/rule"
	"parley/backend/permission/rulestore"
	"parley/backend/problem"
	"parley/backend/snapshot"
	"parley/backend/store/model"
	"parley/backend/store/schema"
)

// life runs one Parley after another on the same data folder.
type life struct {
	t   *testing.T
	cfg Config
}

func newLife(t *testing.T) *life {
	home := t.TempDir()
	return &life{t, Config{
		Version: "1.2.3", Env: []string{"HOME=" + home, "PATH=" + home}, Executable: filepath.Join(home, "parley"), Logger: slog.New(slog.DiscardHandler),
		Dirs: paths.Dirs{Home: home, Data: filepath.Join(home, "data"), Cache: filepath.Join(home, "cache"), Runtime: filepath.Join(home, "run")},
	}}
}

func (l *life) path(name string) string { return filepath.Join(l.cfg.Dirs.Data, name) }

// during runs something in a Parley, from its start to its end.
func (l *life) during(do func(a *App)) {
	l.t.Helper()
	a, err := New(l.cfg)
	if err != nil {
		l.t.Fatal(err)
	}
	if err := a.Start(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			l.t.Error(err)
		}
	}()
	do(a)
}

func done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// lived is a data folder whose policy is strict in one way and lax in another.
func lived(t *testing.T) (l *life, session string) {
	l = newLife(t)
	l.during(func(a *App) {
		ctx := t.Context()
		ask[settings.Settings](ctx, t, a, "settings.set", map[string]any{"budgetDayUSD": 5, "permissionMode": "acceptEdits"})
		for effect, text := range map[string]string{"allow": "Bash(ls:*)", "deny": "Bash(rm:*)"} {
			ask[json.RawMessage](ctx, t, a, "rule.add", map[string]any{"effect": effect, "text": text, "scope": "global"})
		}
		s := ask[struct{ ID string }](ctx, t, a, "session.create", map[string]any{"cwd": l.cfg.Dirs.Home, "title": "A session"})
		session = s.ID
		done(t, a.store.DB.Prompts.Put(schema.PromptKey(session, 1), model.Prompt{SessionID: session, Order: 1, PromptID: "p", TurnID: "t", Text: "wait", Phase: "accepted"}))
	})
	return l, session
}

// state is a Parley's effective policy.
type state struct {
	doubt    string
	allows   int
	denies   int
	budget   float64
	session  bool
	problems []string
}

func stateOf(t *testing.T, a *App, session string) (s state) {
	t.Helper()
	book, err := rulestore.Open(rulestore.Config{Records: a.store.DB.Rules, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range a.store.Rules(book.List(time.Now())) {
		switch {
		case r.Source == rule.Builtin:
		case r.Effect == "allow":
			s.allows++
		case r.Effect == "deny":
			s.denies++
		}
	}
	s.doubt = a.store.Kept.Doubt()
	s.budget = ask[settings.Settings](t.Context(), t, a, "settings.get", feature.Empty{}).BudgetDayUSD
	_, err = a.library.Get(t.Context(), session)
	s.session = fault.CodeOf(err) != fault.NotFound
	for _, p := range a.problems.Now() {
		s.problems = append(s.problems, p.ID)
	}
	return s
}

// damages are what may happen to the store's file.
func damages() map[string]func(path, older string) error {
	write := func(change func([]byte) []byte) func(path, _ string) error {
		return func(path, _ string) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, change(data), 0o600)
		}
	}
	return map[string]func(path, older string) error{
		"emptied":             write(func([]byte) []byte { return nil }),
		"zeroed":              write(func(b []byte) []byte { clear(b); return b }),
		"removed":             func(path, _ string) error { return os.Remove(path) },
		"truncated":           write(func(b []byte) []byte { return b[:5*os.Getpagesize()] }),
		"cut within its head": write(func(b []byte) []byte { return b[:100] }),
		"older":               func(path, older string) error { return os.Rename(older, path) },
		"random bytes": write(func(b []byte) []byte {
			for i := range b {
				b[i] = byte(i * 7919 >> 3)
			}
			return b
		}),
		"text": write(func([]byte) []byte { return []byte("not a store\n") }),
		"a folder in its place": func(path, _ string) error {
			return errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "in", "it"), 0o700))
		},
		"a link to nothing": func(path, _ string) error {
			return errors.Join(os.Remove(path), os.Symlink("nothing", path))
		},
		"no permissions": func(path, _ string) error { return os.Chmod(path, 0) },
	}
}

// Any damage to the store is detected at the start: earlier permissions do not apply until a user
// confirms, the old budgets apply, and data in a snapshot is restored.
func TestLostStore(t *testing.T) {
	t.Parallel()
	for name, damage := range damages() {
		for _, with := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, snapshot %v", name, with), func(t *testing.T) {
				l, session := lived(t)
				older := l.path("../older.db")
				data, err := os.ReadFile(l.path(snapshot.StoreFile))
				done(t, err)
				done(t, os.WriteFile(older, data, 0o600))
				l.during(func(a *App) {
					ask[settings.Settings](t.Context(), t, a, "settings.set", map[string]any{"budgetDayUSD": 3})
					if with {
						if taken := ask[snapshots.SnapshotTaken](t.Context(), t, a, "snapshot.take", feature.Empty{}); !taken.Made {
							t.Error("no snapshot")
						}
					}
				})
				done(t, damage(l.path(snapshot.StoreFile), older))
				// An attacker would remove the budgets, too.
				done(t, os.Remove(l.path("settings.json")))
				for _, when := range []string{"at once", "one more time"} {
					l.during(func(a *App) {
						got := stateOf(t, a, session)
						t.Logf("%s: %+v", when, got)
						if name == "no permissions" {
							if got.doubt != "" || got.allows != 1 || got.denies != 1 || !got.session || got.budget != 3 {
								t.Errorf("%s: %+v", when, got)
							}
							return
						}
						if got.doubt == "" || got.allows != 0 || got.budget != 3 {
							t.Errorf("%s: %+v", when, got)
						}
						if with && (got.denies != 1 || !got.session) {
							t.Errorf("%s: nothing came back: %+v", when, got)
						}
						if !slices.Contains(got.problems, problem.NotesRestored) && !slices.Contains(got.problems, problem.NotesChanged) {
							t.Errorf("%s: nobody is told: %+v", when, got)
						}
						if with != (got.doubt == kept.DoubtRestored) && got.doubt != kept.DoubtDamaged {
							t.Errorf("%s: doubt %q", when, got.doubt)
						}
						if mode := ask[settings.Settings](t.Context(), t, a, "settings.get", feature.Empty{}).PermissionMode; mode != "" {
							t.Errorf("%s: mode %q", when, mode)
						}
						if s, err := a.library.Get(t.Context(), session); with && (err != nil || len(s.Queued) != 1 || s.Queued[0].State != "unknown") {
							t.Errorf("%s: a prompt that waited: %+v, %v", when, s.Queued, err)
						}
						if _, err := a.snapshots.Take(context.Background(), feature.Empty{}); fault.CodeOf(err) != fault.Conflict {
							t.Errorf("%s: a snapshot of what nobody has looked at: %v", when, err)
						}
					})
				}
				if name == "no permissions" {
					return
				}
				l.during(func(a *App) {
					ask[outside.HeldList](t.Context(), t, a, "outside.accept", outside.HeldRef{Name: "store"})
					if got := stateOf(t, a, session); got.doubt != "" || with && (got.allows != 1 || got.denies != 1) {
						t.Errorf("accepted: %+v", got)
					}
				})
				l.during(func(a *App) {
					if got := stateOf(t, a, session); got.doubt != "" || with && got.allows != 1 || slices.Contains(got.problems, problem.NotesRestored) {
						t.Errorf("after that: %+v", got)
					}
				})
			})
		}
	}
}
