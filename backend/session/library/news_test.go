package library_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/store/model"
)

// List updates come at most four times a second, each session once.
func TestNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		for _, id := range []string{"a", "b"} {
			r.write(id, "one")
		}
		r.l.Refresh()
		synctest.Wait()
		want(t, "at once", r.events.changed(), []string{"a b"})
		a := r.catalog.entry(r.write("a", "two"))
		for range 100 {
			r.catalog.changes <- history.Change{Kind: history.Grew, Entry: a}
			time.Sleep(10 * time.Millisecond)
		}
		r.catalog.changes <- history.Change{Kind: history.Removed, Entry: r.catalog.entry(r.write("b"))}
		time.Sleep(time.Second)
		synctest.Wait()
		got := r.events.changed()
		if n := len(got); n < 4 || n > 7 || !strings.Contains(got[n-1], "-b") {
			t.Errorf("%q", got)
		}
		r.end()
	})
}

// Large numbers of changes are split.
func TestManyNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.end()
		r.records.sessions = map[string]model.Session{}
		for i := range 1000 {
			id := strings.Repeat("s", i+1)
			r.records.sessions[id] = model.Session{ID: id, CWD: "/home/person/project"}
		}
		r.start()
		time.Sleep(time.Second)
		r.write("x", "one")
		r.l.Refresh() // the folder's workspace is new to all of them
		for id := range r.records.sessions {
			if _, err := r.l.Pin(t.Context(), id, true); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		n := 0
		for _, e := range r.events.all() {
			if c, ok := e.(*event.SessionsChanged); ok {
				if len(c.Changed) > 200 {
					t.Errorf("%d at once", len(c.Changed))
				}
				n += len(c.Changed)
			}
		}
		if n < 1001 {
			t.Errorf("%d told", n)
		}
		r.end()
	})
}
