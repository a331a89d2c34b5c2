package library_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/session/library"
	"parley/backend/store/model"
)

// A session moves between shelves and is still there after a restart.
func TestShelves(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	r.write("x", "one")
	r.l.Refresh()
	shelves := func(open, archive, trash []string) {
		t.Helper()
		for range 2 {
			got := r.list(library.Filter{})
			slices.Sort(got)
			want(t, "open", got, open)
			want(t, "archive", r.list(library.Filter{Shelf: model.ShelfArchive}), archive)
			want(t, "trash", r.list(library.Filter{Shelf: model.ShelfTrash}), trash)
			r.restart()
		}
	}
	does := func(name string, s event.Session, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	shelves([]string{id, "x"}, []string{}, []string{})
	s, err := r.l.Archive(t.Context(), id)
	does("archive", s, err)
	s, err = r.l.Delete(t.Context(), "x")
	does("delete", s, err)
	if s.Origin != "cli" || s.DeletedAt == 0 {
		t.Errorf("%+v", s)
	}
	shelves([]string{}, []string{id}, []string{"x"})
	if err := r.l.Wake(t.Context(), "x"); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("woken from the trash: %v", err)
	}
	if err := r.l.Wake(t.Context(), id); err != nil {
		t.Error(err)
	}
	s, err = r.l.Restore(t.Context(), "x")
	does("restore", s, err)
	shelves([]string{id, "x"}, []string{}, []string{})
	if n := len(r.records.sessions); n != 1 {
		t.Errorf("%d records: one that says nothing stays", n)
	}
	s, err = r.l.Archive(t.Context(), id)
	does("archive", s, err)
	s, err = r.l.Unarchive(t.Context(), id)
	does("unarchive", s, err)
	if err := r.l.Purge("x"); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("purged from the list: %v", err)
	}
	for _, id := range []string{"x", id} {
		s, err = r.l.Delete(t.Context(), id)
		does("delete", s, err)
		if err := r.l.SetDraft(id, "typed", nil); err != nil {
			t.Error(err)
		}
		if err := r.l.Keep(id, pending(1, "a")); err != nil {
			t.Error(err)
		}
		if err := r.l.Purge(id); err != nil {
			t.Error(err)
		}
	}
	shelves([]string{}, []string{}, []string{})
	if len(r.records.drafts)+len(r.records.prompts) != 0 || len(r.records.sessions) != 1 {
		t.Errorf("left: %+v", r.records.sessions)
	}
	r.write("x", "two")
	r.catalog.say(history.Grew, r.catalog.entry(r.write("x", "three")))
	shelves([]string{}, []string{}, []string{})
	if _, err := r.l.Get(t.Context(), "x"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("purged: %v", err)
	}
}

func TestArchiveWhileBusy(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	r.live.set(id, func(s *session.Snapshot) { s.State = session.Running })
	if _, err := r.l.Archive(t.Context(), id); fault.CodeOf(err) != fault.Conflict {
		t.Error(err)
	}
	r.live.set(id, func(s *session.Snapshot) { s.State = session.Idle })
	if _, err := r.l.Archive(t.Context(), id); err != nil || r.live.Live(id) {
		t.Error(err)
	}
	r.live.set(r.create("/p"), func(s *session.Snapshot) { s.State, s.Turn = session.Running, "t" })
	if s, err := r.l.Delete(t.Context(), "s2"); err != nil || s.State != "idle" || r.live.Live("s2") {
		t.Errorf("%+v, %v", s, err)
	}
	r.restart()
	if s := r.get("s2"); s.State != "idle" || s.Interrupted {
		t.Errorf("%+v", s)
	}
}

// A session that is being archived doesn't look closed in between.
func TestLeaving(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	state := func() string {
		e := &event.State{Session: event.Session{ID: id, State: "closed"}}
		e.SessionID = id
		r.l.Publish(e)
		return e.Session.State
	}
	seen := ""
	r.live.forgetting = func() { seen = state() }
	if _, err := r.l.Archive(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if seen != "idle" || state() != "closed" {
		t.Errorf("%q on its way, then %q", seen, state())
	}
}

// A closed session stays closed until it is reopened.
func TestClosed(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	r.write("x", "one")
	r.l.Refresh()
	for _, id := range []string{id, "x"} {
		if err := r.l.CloseSession(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if s := r.get(id); s.State != "closed" {
				t.Errorf("%+v", s)
			}
			if err := r.l.Wake(t.Context(), id); fault.CodeOf(err) != fault.Conflict {
				t.Errorf("woken: %v", err)
			}
			r.restart()
		}
		if s, err := r.l.Reopen(t.Context(), id); err != nil || s.State != "idle" {
			t.Errorf("%+v, %v", s, err)
		}
		if err := r.l.Wake(t.Context(), id); err != nil {
			t.Error(err)
		}
		if s, err := r.l.Reopen(t.Context(), id); err != nil || s.State != "idle" || !r.live.Live(id) {
			t.Errorf("opened twice: %+v, %v", s, err)
		}
	}
}

func TestRename(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	r.write("x", "one")
	r.l.Refresh()
	r.live.set(id, func(s *session.Snapshot) { s.Title = "the prompt" })
	for _, id := range []string{id, "x"} {
		if s, err := r.l.Rename(t.Context(), id, " mine "); err != nil || s.Title != "mine" || s.TitleSource != "person" {
			t.Errorf("%+v, %v", s, err)
		}
		if s, err := r.l.Rename(t.Context(), id, "\u2066m\u202eine\u2069"); err != nil || s.Title != "mine" {
			t.Errorf("what turns the text around: %q, %v", s.Title, err)
		}
		r.restart()
		if s := r.get(id); s.Title != "mine" {
			t.Errorf("%+v", s)
		}
		for _, bad := range []string{"two\nlines", strings.Repeat("x", 201), "\xff"} {
			if _, err := r.l.Rename(t.Context(), id, bad); fault.CodeOf(err) != fault.Invalid {
				t.Errorf("%q: %v", bad, err)
			}
		}
	}
	if r.l.Chosen("x") != "mine" || r.l.Chosen("y") != "" {
		t.Error("chosen titles")
	}
	if s, err := r.l.Rename(t.Context(), "x", ""); err != nil || s.Title != "found" || s.TitleSource != "prompt" {
		t.Errorf("%+v, %v", s, err)
	}
	if err := r.l.Wake(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if s, err := r.l.Rename(t.Context(), id, ""); err != nil || s.Title != "" {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := r.l.Rename(t.Context(), id, "live"); err != nil || s.Title != "live" || s.TitleSource != "person" {
		t.Errorf("%+v, %v", s, err)
	}
}

// Pinned sessions come first, and a found conversation only has a record while the
// record isn't empty.
func TestPinAndTrouble(t *testing.T) {
	r := newRig(t)
	now := time.Now()
	for i, id := range []string{"a", "b", "c"} {
		r.age(r.write(id, "one"), now.Add(-time.Duration(i)*time.Hour))
	}
	r.l.Refresh()
	if s, err := r.l.Pin(t.Context(), "c", true); err != nil || !s.Pinned || s.Origin != "cli" {
		t.Errorf("%+v, %v", s, err)
	}
	want(t, "list", r.list(library.Filter{}), []string{"c", "a", "b"})
	if err := r.l.SetTrouble("b", model.TroubleHung); err != nil {
		t.Fatal(err)
	}
	r.crash()
	r.start()
	want(t, "list", r.list(library.Filter{}), []string{"c", "a", "b"})
	if s := r.get("b"); s.Trouble != "hung" || s.Origin != "cli" {
		t.Errorf("%+v", s)
	}
	if err := r.l.SetTrouble("b", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := r.l.Pin(t.Context(), "c", false); err != nil {
		t.Fatal(err)
	}
	if len(r.records.sessions) != 0 {
		t.Errorf("%+v", r.records.sessions)
	}
	want(t, "list", r.list(library.Filter{}), []string{"a", "b", "c"})
	if err := r.l.SetTrouble("nobody", "hung"); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}

// If Parley exits right after a session is opened, the page wasn't hanging.
func TestEndedWhileDrawing(t *testing.T) {
	for _, tt := range []struct {
		name  string
		drawn time.Duration
		note  model.Trouble
		end   func(*rig)
		want  string
	}{
		{"in order, at once", time.Second, model.TroubleHung, (*rig).end, ""},
		{"in order, after waiting", time.Minute, model.TroubleHung, (*rig).end, "hung"},
		{"in order, after it has crashed", time.Second, model.TroubleCrashed, (*rig).end, "crashed"},
		{"in order, after the page has died", time.Second, model.TroubleHung, func(r *rig) { r.l.PageDied(); r.end() }, "hung"},
		{"killed", time.Second, model.TroubleHung, (*rig).crash, "hung"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			now := time.Now()
			r.setClock(func() time.Time { return now })
			id := r.create("/p")
			if err := r.l.SetTrouble(id, tt.note); err != nil {
				t.Fatal(err)
			}
			now = now.Add(tt.drawn)
			tt.end(r)
			r.start()
			if got := r.get(id).Trouble; got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestUnread(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	done := &event.Done{Reason: "completed"}
	done.SessionID = id
	r.l.Publish(done)
	state := &event.State{Session: event.Session{ID: id}}
	state.SessionID = id
	r.l.Publish(state)
	if !state.Session.Unread || state.Session.WorkspaceID != "w:/p" {
		t.Errorf("%+v", state.Session.ListState)
	}
	r.restart()
	if !r.get(id).Unread {
		t.Error("read")
	}
	if err := r.l.Seen(id); err != nil || r.get(id).Unread {
		t.Error(err)
	}
	r.restart()
	if r.get(id).Unread {
		t.Error("unread again")
	}
	if err := r.l.Seen("nobody"); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}

func TestDuplicateAndDrafts(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	r.live.set(id, func(s *session.Snapshot) { s.Model = "m" })
	image := []library.Attachment{{Name: "a.png", MediaType: "image/png", Data: []byte("image")}}
	if err := r.l.SetDraft(id, "typed", &image); err != nil {
		t.Fatal(err)
	}
	made, err := r.l.Duplicate(t.Context(), id)
	if err != nil || made.Model != "m" || !made.HasDraft || made.CWD != "/p" {
		t.Fatalf("%+v, %v", made, err)
	}
	if err := r.l.SetDraft(id, "typed more", nil); err != nil {
		t.Fatal(err)
	}
	r.restart()
	for id, text := range map[string]string{id: "typed more", made.ID: "typed"} {
		draft, attachments, err := r.l.Draft(id)
		if err != nil || draft.Text != text || !r.get(id).HasDraft {
			t.Errorf("%+v, %v", draft, err)
		}
		want(t, "attachments", attachments, image)
	}
	if err := r.l.SetDraft(id, "", &[]library.Attachment{}); err != nil || r.get(id).HasDraft {
		t.Error(err)
	}
	many := make([]library.Attachment, 21)
	if err := r.l.SetDraft(id, "", &many); fault.CodeOf(err) != fault.TooLarge {
		t.Error(err)
	}
	if err := r.l.SetDraft(id, strings.Repeat("x", model.MaxText+1), nil); fault.CodeOf(err) != fault.TooLarge {
		t.Error(err)
	}
	if err := r.l.SetDraft("nobody", "x", nil); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
	// A draft for a found conversation doesn't create a record.
	r.write("x", "one")
	r.l.Refresh()
	if err := r.l.SetDraft("x", "typed", nil); err != nil || !r.get("x").HasDraft || r.get("x").Origin != "cli" {
		t.Error(err)
	}
}

func TestLayouts(t *testing.T) {
	r := newRig(t)
	if l, err := r.l.Layout("main"); err != nil || string(l.Layout) != "{}" {
		t.Errorf("%+v, %v", l, err)
	}
	if err := r.l.SetLayout("main", json.RawMessage(`{"tabs":[1]}`)); err != nil {
		t.Fatal(err)
	}
	r.restart()
	if l, err := r.l.Layout("main"); err != nil || string(l.Layout) != `{"tabs":[1]}` {
		t.Errorf("%+v, %v", l, err)
	}
	for window, layout := range map[string]string{"": "{}", strings.Repeat("x", 65): "{}", "w": `"` + strings.Repeat("x", 256<<10) + `"`} {
		if err := r.l.SetLayout(window, json.RawMessage(layout)); fault.CodeOf(err) != fault.Invalid && fault.CodeOf(err) != fault.TooLarge {
			t.Errorf("%.10q: %v", window, err)
		}
	}
}
