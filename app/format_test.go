package app

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/snapshot"
	"parley/backend/store"
)

// Data of a newer Parley is refused untouched; data without a version is treated as this one's.
func TestFormat(t *testing.T) {
	l := newLife(t)
	l.during(func(*App) {})
	read := func() string {
		text, err := os.ReadFile(l.path(paths.FormatFile))
		done(t, err)
		return string(text)
	}
	if text := read(); text != "{\"format\":1}\n" {
		t.Errorf("%q", text)
	}
	newer := `{"format":2,"more":true}`
	done(t, os.WriteFile(l.path(paths.FormatFile), []byte(newer), 0o600))
	before, err := os.ReadFile(l.path("parley.db"))
	done(t, err)
	if _, err := New(l.cfg); fault.CodeOf(err) != fault.Conflict || !strings.Contains(fault.MessageOf(err), "Update this one") {
		t.Errorf("newer: %v", err)
	}
	if after, err := os.ReadFile(l.path("parley.db")); err != nil || string(after) != string(before) || read() != newer {
		t.Errorf("it was changed: %v", err)
	}
	for _, text := range []string{"", "\x00\x00\x00", "no JSON"} {
		done(t, os.WriteFile(l.path(paths.FormatFile), []byte(text), 0o600))
		l.during(func(*App) {})
		if text := read(); text != "{\"format\":1}\n" {
			t.Errorf("%q", text)
		}
	}
}

// A store from before prompts had phases is migrated: no queued prompt is lost, and no sent one is
// sent again. A Parley that only knows the old format refuses it from then on.
func TestMigratedStore(t *testing.T) {
	l := newLife(t)
	done(t, os.MkdirAll(l.cfg.Dirs.Data, 0o700))
	packed, err := os.Open(filepath.Join("testdata", "before-phases.db.gz"))
	done(t, err)
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	done(t, err)
	data, err := io.ReadAll(r)
	done(t, err)
	done(t, os.WriteFile(l.path(snapshot.StoreFile), data, 0o600))
	for range 2 {
		l.during(func(a *App) {
			sessions, err := a.store.DB.Sessions.All()
			done(t, err)
			if len(sessions) != 1 {
				t.Fatalf("%d sessions", len(sessions))
			}
			s, err := a.library.Get(t.Context(), sessions[0].ID)
			done(t, err)
			var got []string
			for _, q := range s.Queued {
				got = append(got, q.Text+": "+q.State)
			}
			if want := []string{"wait: held", "was sent: unknown", "was not: held"}; !slices.Equal(got, want) {
				t.Errorf("waiting: %q, want %q", got, want)
			}
			prompts, err := a.store.DB.Prompts.All()
			done(t, err)
			for _, p := range prompts {
				if p.Phase == "" || p.Sent {
					t.Errorf("not migrated: %+v", p)
				}
			}
		})
	}
	_, err = store.Open(l.path(snapshot.StoreFile), store.Config{Logger: l.cfg.Logger})
	if !errors.Is(err, store.ErrNewer) || fault.CodeOf(err) != fault.Conflict || !strings.Contains(fault.MessageOf(err), "Update this one") {
		t.Errorf("a Parley of then: %v", err)
	}
}
