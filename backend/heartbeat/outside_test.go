package heartbeat_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/fault"
	"parley/backend/heartbeat/plan"
	"parley/backend/outside/outsidetest"
)

// Changes by another program that allow more don't run, now and after a restart, until a
// user accepts them.
func TestOutside(t *testing.T) {
	const (
		before = "heartbeats:\n  a: # mine\n    prompt: look\n    schedule: {every: 1h}\n    folder: /a\n    permissionMode: plan\n"
		after  = "heartbeats:\n  a: # mine\n    prompt: rm\n    schedule: {every: 1h}\n    folder: /a\n    permissionMode: bypassPermissions\n" +
			"  evil:\n    prompt: x\n    schedule: {every: 1h}\n    folder: /a\n"
	)
	run := func(name string, restart bool, decide func(r *rig, revision string)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				keep := &outsidetest.Keeper{}
				r := newRig(t, before)
				r.keep = keep
				r.start()
				keep.Later = true
				r.write(after)
				if restart {
					r.stop()
					r.start()
				}
				defer func() { r.stop() }()
				r.pass(time.Minute)
				held, revision, err := r.Held(t.Context())
				if err != nil || len(held) != 2 || held[0].Field != "heartbeats.a" || held[1].Field != "heartbeats.evil" || !strings.Contains(held[0].Why, "permission mode") {
					t.Fatalf("%+v %v", held, err)
				}
				r.pass(time.Hour)
				if p := r.place(-1); p.Name != "a" || p.PermissionMode != "plan" {
					t.Errorf("it ran as %+v", p)
				}
				if _, err := r.Get(t.Context(), "evil"); fault.CodeOf(err) != fault.NotFound {
					t.Errorf("the new one: %v", err)
				}
				decide(r, revision)
			})
		})
	}
	held := func(r *rig) int {
		list, _, err := r.Held(context.Background())
		if err != nil {
			r.t.Fatal(err)
		}
		return len(list)
	}
	for _, restart := range []bool{false, true} {
		run("accept", restart, func(r *rig, revision string) {
			if err := r.Accept(context.Background(), "another"); fault.CodeOf(err) != fault.Conflict {
				r.t.Error(err)
			}
			if err := r.Accept(context.Background(), revision); err != nil {
				r.t.Fatal(err)
			}
			if r.get("evil"); held(r) != 0 || r.get("a").Spec.PermissionMode != "bypassPermissions" {
				r.t.Error("it does not hold")
			}
			r.stop()
			r.start()
			if r.get("evil"); held(r) != 0 {
				r.t.Error("it does not hold after a restart")
			}
		})
		run("undo", restart, func(r *rig, revision string) {
			if err := r.Undo(context.Background(), revision); err != nil {
				r.t.Fatal(err)
			}
			text, err := os.ReadFile(r.path())
			if err != nil || string(text) != before || held(r) != 0 {
				r.t.Errorf("%d held, the file: %s %v", held(r), text, err)
			}
			aside, _ := filepath.Glob(filepath.Join(r.dir, "heartbeats.outside-*.yaml"))
			if len(aside) != 1 {
				r.t.Errorf("what it said is not kept: %v", aside)
			}
		})
		run("a change by Parley", restart, func(r *rig, _ string) {
			spec := plan.Spec{Name: "own", Prompt: "x", Schedule: plan.Schedule{Every: "2h"}, Folder: "/a", Enabled: true}
			if _, err := r.Save(context.Background(), "", spec); err != nil {
				r.t.Fatal(err)
			}
			r.stop()
			r.start()
			if r.get("own"); held(r) != 2 || r.get("a").Spec.PermissionMode != "plan" {
				r.t.Errorf("%d held", held(r))
			}
		})
	}
}

// Fixing an error in an accepted heartbeat doesn't make it a new one.
func TestOutsideMistake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const good = "heartbeats:\n  a:\n    prompt: look\n    schedule: {every: 1h}\n    folder: /a\n"
		keep := &outsidetest.Keeper{}
		r := newRig(t, good)
		r.keep = keep
		r.start()
		defer func() { r.stop() }()
		keep.Later = true
		r.write(strings.Replace(good, "1h", "nonsense", 1))
		r.pass(time.Minute)
		if _, err := r.Get(t.Context(), "a"); err == nil {
			t.Error("it runs with a mistake")
		}
		r.write(good)
		r.pass(time.Minute)
		r.get("a")
	})
}

// A whole file saved by a user is theirs; one that changed in between is rejected.
func TestWholeFileIsAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keep := &outsidetest.Keeper{}
		r := newRig(t, "heartbeats:\n  a:\n    prompt: look\n    schedule: {every: 1h}\n    folder: /a\n")
		r.keep = keep
		r.start()
		defer func() { r.stop() }()
		keep.Later = true
		text, revision, err := r.Text(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.SetText(t.Context(), strings.Replace(text, "look", "find", 1), revision); err != nil {
			t.Fatal(err)
		}
		if held, _, err := r.Held(t.Context()); err != nil || len(held) > 0 {
			t.Errorf("held: %+v, %v", held, err)
		}
		if _, err := r.SetText(t.Context(), text, revision); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("an old revision: %v", err)
		}
	})
}

// A file emptied by another program doesn't remove the heartbeats: they continue, with a
// warning, until there is a file again or none. Parley emptying it, or an explicitly empty
// list, does.
func TestEmptied(t *testing.T) {
	for name, tt := range map[string]struct {
		empty, after string // "gone" removes the file
		parley       bool
		said         bool
		left         int
	}{
		"emptied":         {empty: "", after: each("a", "1h"), said: true, left: 1},
		"only a comment":  {empty: "# none\n", after: each("a", "1h"), said: true, left: 1},
		"then none":       {empty: "", after: "heartbeats: {}\n", said: true, left: 0},
		"then removed":    {empty: "", after: "gone", said: true, left: 0},
		"says none":       {empty: "heartbeats:\n", after: "heartbeats: {}\n", left: 0},
		"emptied by ours": {empty: "", after: "", parley: true, left: 0},
	} {
		for _, restart := range []bool{false, true} {
			t.Run(fmt.Sprint(name, restart), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, each("a", "1h"))
					r.keep = &outsidetest.Keeper{}
					r.start()
					defer func() { r.stop() }()
					wrong := func() bool {
						r.pass(time.Minute)
						cause, unread, err := r.Wrong(t.Context())
						if err != nil || unread != (cause != "") {
							t.Fatal(cause, unread, err)
						}
						return unread
					}
					if wrong() {
						t.Error("something is wrong at first")
					}
					if tt.parley {
						_, revision, err := r.Text(t.Context())
						if err == nil {
							_, err = r.SetText(t.Context(), tt.empty, revision)
						}
						if err != nil {
							t.Fatal(err)
						}
					} else {
						r.write(tt.empty)
					}
					if restart {
						r.stop()
						r.start()
					}
					if wrong() != tt.said {
						t.Errorf("said: %v", !tt.said)
					}
					if _, err := r.Get(t.Context(), "a"); (err == nil) != tt.said {
						t.Errorf("it goes on: %v", err)
					}
					if tt.after == "gone" {
						if err := os.Remove(r.path()); err != nil {
							t.Fatal(err)
						}
					} else {
						r.write(tt.after)
					}
					if wrong() {
						t.Error("it is said when it is over")
					}
					st, err := r.Status(t.Context())
					if held, _, e := r.Held(t.Context()); err != nil || e != nil || len(st.Heartbeats) != tt.left || len(held) != 0 {
						t.Errorf("%d heartbeats, %v held, %v %v", len(st.Heartbeats), held, err, e)
					}
				})
			})
		}
	}
}

// A file that is unusable when Parley starts undoes nothing: the last accepted heartbeats
// run, nothing else does, and there is a warning. A change through Parley then loses none
// of them.
func TestBrokenAtStart(t *testing.T) {
	const before = "heartbeats:\n  a:\n    prompt: look\n    schedule: {every: 1h}\n    folder: /a\n  b:\n    prompt: look\n    schedule: {every: 1h}\n    folder: /a\n"
	spec := plan.Spec{Name: "c", Prompt: "look", Schedule: plan.Schedule{Every: "1h"}, Folder: "/a", Enabled: true}
	for name, tt := range map[string]struct {
		broken func(path string) error
		save   bool // Parley can write the file anyway
	}{
		"emptied": {func(path string) error { return os.Truncate(path, 0) }, true},
		"no YAML": {func(path string) error { return os.WriteFile(path, []byte("heartbeats:\n\t- evil\n"), 0o600) }, false},
		"a folder": {func(path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
		}, false},
		"a link to itself": {func(path string) error {
			return errors.Join(os.Remove(path), os.Symlink(filepath.Base(path), path))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, before)
				r.keep = &outsidetest.Keeper{}
				r.start()
				defer func() { r.stop() }()
				names := func() string {
					st, err := r.Status(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					var list []string
					for _, v := range st.Heartbeats {
						list = append(list, v.Spec.Name)
					}
					return strings.Join(list, " ")
				}
				r.pass(time.Minute)
				for range 2 {
					r.stop()
					if err := tt.broken(r.path()); err != nil {
						t.Fatal(err)
					}
					r.start()
					r.pass(time.Minute)
					if cause, unread, err := r.Wrong(t.Context()); err != nil || !unread || cause == "" {
						t.Errorf("%q is said, %v %v", cause, unread, err)
					}
					if got := names(); got != "a b" {
						t.Errorf("%q run", got)
					}
				}
				r.pass(time.Hour)
				if p := r.place(-1); p.Name != "a" && p.Name != "b" {
					t.Errorf("it ran as %+v", p)
				}
				_, err := r.Save(t.Context(), "", spec)
				switch {
				case tt.save && err == nil:
					if got := names(); got != "a b c" {
						t.Errorf("%q run after a change", got)
					}
				case tt.save, err == nil:
					t.Errorf("changed: %v", err)
				case names() != "a b":
					t.Errorf("%q run after a change that was refused", names())
				}
				if err := os.RemoveAll(r.path()); err != nil {
					t.Fatal(err)
				}
				r.write(strings.Replace(before, "\n  b:", "\n  bb:", 1))
				r.pass(time.Minute)
				if got := names(); got != "a" {
					t.Errorf("%q run when it is put right", got)
				}
				if held, _, err := r.Held(t.Context()); err != nil || len(held) != 1 || held[0].Field != "heartbeats.bb" {
					t.Errorf("held: %+v, %v", held, err)
				}
			})
		})
	}
}
