package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"
)

// place is a projects folder that a test changes.
type place struct {
	t    *testing.T
	root string
}

func newPlace(t *testing.T) place { return place{t, filepath.Join(t.TempDir(), "projects")} }

func (p place) path(id string) string { return filepath.Join(p.root, "-home-user", id+".jsonl") }

func (p place) say(id, text string) {
	p.t.Helper()
	path := p.path(id)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
			_, err = fmt.Fprintf(f, `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":%q},"uuid":%q}`+"\n", text, text)
			err = errors.Join(err, f.Close())
		}
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func word(ch Change) string { return fmt.Sprintf("%s %s %s", ch.Kind, ch.Entry.ID, ch.Entry.Title) }

// watched is a watch without the system's: the test plays the system.
type watched struct {
	*testing.T
	place
	c      *Catalog
	events chan fsnotify.Event
	errs   chan error
	began  time.Time
}

func startWatch(t *testing.T, p place) *watched {
	w := &watched{T: t, place: p, c: NewCatalog(Config{Root: p.root, Workers: 2}), events: make(chan fsnotify.Event), errs: make(chan error), began: time.Now()}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- (&watch{c: w.c, dirs: make(map[string]bool)}).run(ctx, w.events, w.errs) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	synctest.Wait()
	return w
}

func (w *watched) heard(id string) {
	w.events <- fsnotify.Event{Name: w.path(id), Op: fsnotify.Write}
}

// want waits for changes and checks when they came.
func (w *watched) want(after time.Duration, changes ...string) {
	w.Helper()
	var got []string
	for range changes {
		got = append(got, word(<-w.c.Changes()))
	}
	slices.Sort(got)
	if diff := cmp.Diff(changes, got); diff != "" {
		w.Errorf("changes (-want +got):\n%s", diff)
	}
	if d := time.Since(w.began); d != after {
		w.Errorf("they came after %v, not %v", d, after)
	}
	synctest.Wait()
	select {
	case ch := <-w.c.Changes():
		w.Errorf("one too many: %s", word(ch))
	default:
	}
}

func TestWatchWaitsForQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t)
		p.say("a", "one")
		w := startWatch(t, p)
		w.want(0, "added a one")
		p.say("a", "two")
		p.say("b", "new")
		w.heard("a")
		time.Sleep(60 * time.Millisecond)
		w.heard("b")
		w.want(160*time.Millisecond, "added b new", "grew a one")
	})
}

func TestWatchIsNotPatientForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t)
		p.say("a", "one")
		w := startWatch(t, p)
		w.want(0, "added a one")
		p.say("a", "more")
		go func() {
			for range 40 {
				w.heard("a")
				time.Sleep(50 * time.Millisecond)
			}
		}()
		w.want(patience, "grew a one")
		time.Sleep(3 * time.Second)
	})
}

func TestWatchOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t)
		p.say("a", "one")
		w := startWatch(t, p)
		w.want(0, "added a one")
		p.say("b", "unheard")
		w.errs <- fsnotify.ErrEventOverflow
		w.want(quiet, "added b unheard")
	})
}

func TestWatchSweeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t)
		w := startWatch(t, p)
		w.want(0)
		p.say("a", "unheard")
		w.want(sweep, "added a unheard")
		if err := os.RemoveAll(p.root); err != nil {
			t.Fatal(err)
		}
		w.want(2*sweep, "removed a unheard")
	})
}

func TestWatchNewFolderAndRename(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t)
		w := startWatch(t, p)
		w.want(0)
		p.say("a", "one")
		w.events <- fsnotify.Event{Name: filepath.Dir(p.path("a")), Op: fsnotify.Create}
		w.want(quiet, "added a one")
		if err := os.Rename(p.path("a"), p.path("b")); err != nil {
			t.Fatal(err)
		}
		w.heard("a")
		w.heard("b")
		w.want(2*quiet, "added b one", "removed a one")
		w.events <- fsnotify.Event{Name: filepath.Join(filepath.Dir(p.path("a")), "memory"), Op: fsnotify.Create}
		time.Sleep(time.Second)
		w.want(2*quiet + time.Second)
	})
}

// A slow receiver gets one change per file.
func TestChangesAreMerged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlace(t)
		w := startWatch(t, p)
		w.want(0)
		ids := make([]string, maxChanges+20)
		for i := range ids {
			ids[i] = fmt.Sprintf("s%03d", i)
		}
		for range 5 {
			for _, id := range ids {
				p.say(id, "x")
				w.heard(id)
			}
			time.Sleep(2 * quiet)
		}
		seen := make(map[string]string)
		for range ids {
			ch := <-w.c.Changes()
			seen[ch.Entry.ID] = string(ch.Kind)
		}
		synctest.Wait()
		select {
		case ch := <-w.c.Changes():
			// A change already in the channel is followed by one more for its file.
			if ch.Kind != Grew {
				t.Errorf("%s", word(ch))
			}
		default:
			t.Error("files that grew while their first change waited in the channel were forgotten")
		}
		for _, id := range ids {
			if seen[id] != "added" {
				t.Errorf("%s: %q", id, seen[id])
			}
		}
	})
}

// With the system's own watch: a folder, a file, its growth and its removal are
// noticed.
func TestWatchForReal(t *testing.T) {
	p := newPlace(t)
	p.say("a", "one")
	c := NewCatalog(Config{Root: p.root})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- c.Serve(ctx) }()
	next := func(want string) {
		t.Helper()
		for {
			select {
			case ch := <-c.Changes():
				if word(ch) == want {
					return
				}
				if ch.Kind != Grew { // a slow writer may cause two events
					t.Fatalf("%s, not %s", word(ch), want)
				}
			case <-time.After(10 * time.Minute):
				t.Fatalf("nothing, not %s", want)
			}
		}
	}
	next("added a one")
	p.say("a", "more")
	next("grew a one")
	other := filepath.Join(p.root, "-new", "b.jsonl")
	if err := os.MkdirAll(filepath.Dir(other), 0o700); err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(p.path("a"))
	if err == nil {
		err = os.WriteFile(other+".new", []byte(strings.Replace(string(body), "one", "two", 1)), 0o600)
	}
	if err == nil { // atomically, so that no partial write is visible
		err = os.Rename(other+".new", other)
	}
	if err != nil {
		t.Fatal(err)
	}
	next("added b two")
	if err := os.Remove(p.path("a")); err != nil {
		t.Fatal(err)
	}
	next("removed a one")
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
