package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/app/diagnostics"
	"parley/app/feature"
	"parley/backend/event"
	"parley/backend/paths"
	"parley/backend/problem"
)

// wrong reports whether a problem is listed.
func wrong(t *testing.T, a *App, id string) bool {
	t.Helper()
	list := ask[diagnostics.Problems](t.Context(), t, a, "app.problems", feature.Empty{}).Problems
	return slices.ContainsFunc(list, func(p event.AppProblem) bool { return p.ID == id })
}

// Rooms replaced by older ones, or by those of another Parley, are detected, and nothing else is.
func TestReplacedRooms(t *testing.T) {
	t.Parallel()
	rooms := func(l *life, name string) []byte {
		l.during(func(a *App) {
			ask[json.RawMessage](t.Context(), t, a, "room.create", map[string]any{"name": name})
			if wrong(t, a, problem.RoomsOlder) {
				t.Error("noticed, and nothing was replaced")
			}
		})
		raw, err := os.ReadFile(l.path(paths.RoomsFile))
		done(t, err)
		return raw
	}
	l, _ := lived(t)
	old := rooms(l, "one")
	now := rooms(l, "two")
	stranger, _ := lived(t)
	for range 3 {
		rooms(stranger, "theirs")
		l.during(func(*App) {})
	}
	theirs := rooms(stranger, "and more")
	for _, tt := range []struct {
		name string
		file []byte
		want bool
	}{{"the same", now, false}, {"an older one", old, true}, {"the right one again", now, false}, {"another Parley's", theirs, true}} {
		done(t, os.WriteFile(l.path(paths.RoomsFile), tt.file, 0o600))
		a, err := New(l.cfg)
		done(t, err)
		if got := wrong(t, a, problem.RoomsOlder); got != tt.want {
			t.Errorf("%s: noticed: %t", tt.name, got)
		}
		done(t, a.Close())
	}
}

// Unusable memory is a problem until it is fixed.
func TestUnreadMemory(t *testing.T) {
	l, _ := lived(t)
	l.during(func(a *App) {
		ask[json.RawMessage](t.Context(), t, a, "memory.save", map[string]any{"text": "Tea is good."})
		if wrong(t, a, problem.MemoryUnread) {
			t.Error("nothing is wrong yet")
		}
		files, err := filepath.Glob(filepath.Join(l.path(paths.MemoryFolder), "*.md"))
		done(t, err)
		if len(files) == 0 {
			t.Fatal("no file")
		}
		good, err := os.ReadFile(files[0])
		done(t, err)
		for name, spoil := range map[string]func() error{
			"zeros":  func() error { return os.WriteFile(files[0], make([]byte, len(good)), 0o600) },
			"folder": func() error { return os.Mkdir(files[0], 0o700) },
			"link":   func() error { return os.Symlink("/nowhere", files[0]) },
		} {
			done(t, os.Remove(files[0]))
			done(t, spoil())
			if !wrong(t, a, problem.MemoryUnread) {
				t.Errorf("%s: it is not told", name)
			}
			done(t, os.RemoveAll(files[0]))
			done(t, os.WriteFile(files[0], good, 0o600))
			if wrong(t, a, problem.MemoryUnread) {
				t.Errorf("%s: it is told although it is over", name)
			}
		}
	})
}
