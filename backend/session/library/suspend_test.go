package library_test

import (
	"fmt"
	"testing"

	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/store/model"
)

// Opening session after session for months doesn't keep them all in memory, and one
// more can always be opened.
func TestManyWoken(t *testing.T) {
	r := newRig(t)
	for i := range 300 {
		id := fmt.Sprint("old-", i)
		r.records.sessions[id] = model.Session{ID: id, State: "idle", CLISessionID: "cli-" + id, Begun: true, LastActivityAt: int64(i), LastSeq: 3}
	}
	r.restart()
	busy, failed := "old-0", "old-1"
	for i := range 300 {
		id := fmt.Sprint("old-", i)
		if err := r.l.Wake(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		switch id {
		case busy:
			r.live.set(id, func(s *session.Snapshot) { s.State = session.Running })
		case failed:
			r.live.set(id, func(s *session.Snapshot) { s.State = session.Failed })
		}
		if !r.live.Live(id) {
			t.Fatalf("%s is not live", id)
		}
	}
	if n := len(r.live.List()); n > 102 {
		t.Errorf("%d sessions are live", n)
	}
	if !r.live.Live(busy) {
		t.Error("one that is at work was ended")
	}
	if s := r.get(failed); s.State != "failed" || r.live.Live(failed) {
		t.Errorf("the one that failed is %s", s.State)
	}
	if s := r.get("old-5"); s.State != "idle" || s.LastActivityAt != 5 {
		t.Errorf("one that rests is %+v", s)
	}
	if err := r.l.Wake(t.Context(), "old-5"); err != nil || !r.live.Live("old-5") {
		t.Errorf("it cannot be woken again: %v", err)
	}
	for range 150 {
		r.create("/p")
	}
	if n := len(r.live.List()); n > 102 {
		t.Errorf("%d sessions are live", n)
	}
}

// A request to a session that is being suspended is repeated once it is awake.
func TestAskedWhileItIsPutToRest(t *testing.T) {
	for _, code := range []fault.Code{fault.NotFound, fault.Conflict} {
		r := newRig(t)
		id := r.create("/p")
		asked := 0
		err := r.l.WithAwake(t.Context(), id, func() error {
			if asked++; asked == 1 {
				if err := r.live.Rest(t.Context(), id); err != nil {
					t.Fatal(err)
				}
				return fault.New(code, "It rests.")
			}
			return nil
		})
		if err != nil || asked != 2 || !r.live.Live(id) {
			t.Errorf("%s: asked %d times: %v", code, asked, err)
		}
	}
}

// A closed session isn't kept in memory.
func TestClosedIsForgotten(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	if err := r.l.CloseSession(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if n := len(r.live.List()); n != 0 || r.get(id).State != "closed" {
		t.Errorf("%d sessions are held, it is %s", n, r.get(id).State)
	}
	r.restart()
	if s := r.get(id); s.State != "closed" {
		t.Errorf("after a restart it is %s", s.State)
	}
}
