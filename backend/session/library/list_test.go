package library_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/session"
	"parley/backend/session/library"
	"parley/backend/store/model"
)

func (r *rig) create(cwd string) string {
	r.t.Helper()
	s, err := r.l.Create(r.t.Context(), session.CreateParams{CWD: cwd}, library.Source{})
	if err != nil {
		r.t.Fatal(err)
	}
	return s.ID
}

func want(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

// Conversations on disk, suspended and live sessions form one list. A conversation
// belongs to the session that refers to it, by its current id or one from before a
// /clear.
func TestJoin(t *testing.T) {
	r := newRig(t)
	now := time.Now()
	r.age(r.write("found-1", "one"), now.Add(-time.Hour))
	r.age(r.write("found-2", "two"), now.Add(-2*time.Hour))
	r.age(r.write("cli-s1", "three"), now.Add(-3*time.Hour))
	r.age(r.write("before", "four"), now.Add(-4*time.Hour))
	r.l.Refresh()
	want(t, "found", r.list(library.Filter{}), []string{"found-1", "found-2", "cli-s1", "before"})
	id := r.create("/home/person/project")
	r.live.set(id, func(s *session.Snapshot) {
		s.Previous, s.LastActivityAt = []string{"before"}, now.Add(-90*time.Minute).UnixMilli()
	})
	for range 2 {
		want(t, "joined", r.list(library.Filter{}), []string{"found-1", id, "found-2"})
		want(t, "parley's", r.list(library.Filter{Origin: "parley"}), []string{id})
		want(t, "the CLI's", r.list(library.Filter{Origin: "cli"}), []string{"found-1", "found-2"})
		want(t, "a page", r.list(library.Filter{Limit: 1, Offset: 1}), []string{id})
		want(t, "workspace", r.list(library.Filter{WorkspaceID: "w:/home/person/project"}), []string{"found-1", id, "found-2"})
		want(t, "no workspace", r.list(library.Filter{WorkspaceID: "w"}), []string{})
		s := r.get(id)
		want(t, "shelf", s.ListState, event.ListState{
			Origin: "parley", WorkspaceID: "w:/home/person/project", TitleSource: "prompt", Messages: 2,
			Bytes: s.Bytes, PreviousCLISessionIDs: []string{"before"},
		})
		want(t, "the earlier id's session", r.get("before").ID, id)
		owner, ok := r.l.Owner("before")
		if !ok || owner.ID != id {
			t.Errorf("owner %v, %v", owner.ID, ok)
		}
		r.restart()
	}
	counts, err := r.l.CountByWorkspace()
	if err != nil {
		t.Fatal(err)
	}
	want(t, "counts", counts, map[string]model.Counts{"w:/home/person/project": {Open: 3}})
	r.spaces.remove("/home/person/project")
	r.l.Publish(&event.WorkspacesChanged{})
	want(t, "without workspace", r.list(library.Filter{WorkspaceID: "w:/home/person/project"}), []string{id})
}

func TestTitles(t *testing.T) {
	for _, tt := range []struct {
		name          string
		kept          string
		by            model.TitleSource
		found, source string
		want, by2     string
	}{
		{"a person's", "mine", model.TitleByPerson, "made up", "made", "mine", "person"},
		{"a model's", "the first prompt", model.TitleByPrompt, "made up", "made", "made up", "cli"},
		{"chosen in the terminal", "the first prompt", model.TitleByPrompt, "theirs", "chosen", "theirs", "cli"},
		{"the first prompt", "the first prompt", model.TitleByPrompt, "cut", "prompt", "the first prompt", "prompt"},
		{"found", "", "", "of the file", "prompt", "of the file", "prompt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			path := r.write("cli", "one")
			r.records.sessions["s"] = model.Session{ID: "s", CLISessionID: "cli", Title: tt.kept, TitleSource: tt.by}
			r.restart()
			r.catalog.titles = map[string][2]string{path: {tt.found, tt.source}}
			r.l.Refresh()
			s := r.get("s")
			want(t, "title", []string{s.Title, s.TitleSource}, []string{tt.want, tt.by2})
		})
	}
}

// Several files may have the same id, and some may be removed.
func TestTwoFiles(t *testing.T) {
	r := newRig(t)
	old, recent := r.writeIn("a", "x", "old"), r.writeIn("b", "x", "recent", "more")
	r.age(old, time.Now().Add(-time.Hour))
	r.l.Refresh()
	want(t, "list", r.list(library.Filter{}), []string{"x"})
	if n := r.get("x").Messages; n != 4 {
		t.Errorf("%d messages", n)
	}
	gone := r.catalog.entry(recent)
	r.catalog.say(history.Removed, gone)
	want(t, "list", r.list(library.Filter{}), []string{"x"})
	if n := r.get("x").Messages; n != 2 {
		t.Errorf("%d messages", n)
	}
	r.catalog.say(history.Removed, r.catalog.entry(old))
	want(t, "list", r.list(library.Filter{}), []string{})
}

// Only messages count as activity: not the CLI tidying up its file, but a
// continuation in a terminal, even while Parley wasn't running.
func TestElsewhere(t *testing.T) {
	r := newRig(t)
	now := time.Now().Truncate(time.Second)
	ago := func(d time.Duration) int64 { return now.Add(-d).UnixMilli() }
	path := r.write("cli", "one")
	r.age(path, now.Add(-time.Hour))
	r.records.sessions["s"] = model.Session{ID: "s", CLISessionID: "cli", Begun: true, State: "idle", LastActivityAt: ago(2 * time.Hour)}
	r.restart()
	is := func(what string, at int64, live bool) {
		t.Helper()
		if got := r.get("s").LastActivityAt; got != at || r.live.Live("s") != live {
			t.Errorf("%s: %v, live %v", what, now.Sub(time.UnixMilli(got)), r.live.Live("s"))
		}
	}
	is("found", ago(2*time.Hour), false)
	r.age(path, now.Add(-30*time.Minute))
	r.catalog.say(history.Grew, r.catalog.entry(path))
	is("tidied up", ago(2*time.Hour), false)
	r.write("cli", "two")
	r.age(path, now.Add(-20*time.Minute))
	r.catalog.say(history.Grew, r.catalog.entry(path))
	is("gone on with", ago(20*time.Minute), false)
	r.end()
	r.write("cli", "three")
	r.age(path, now.Add(-15*time.Minute))
	r.start()
	is("gone on with meanwhile", ago(15*time.Minute), false)
	if err := r.l.Wake(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	r.live.set("s", func(s *session.Snapshot) { s.LastActivityAt = ago(10 * time.Minute) })
	r.write("cli", "four")
	r.live.say("s", "four", "msg-four")
	r.age(path, now.Add(-10*time.Minute))
	r.catalog.say(history.Grew, r.catalog.entry(path))
	is("its own turn", ago(10*time.Minute), true)
	r.live.set("s", func(s *session.Snapshot) { s.State = session.Running })
	r.write("cli", "five")
	r.age(path, now.Add(-8*time.Minute))
	r.catalog.say(history.Grew, r.catalog.entry(path))
	is("busy", ago(10*time.Minute), true)
	r.live.set("s", func(s *session.Snapshot) { s.State = session.Idle })
	r.write("cli", "six")
	r.age(path, now.Add(-5*time.Minute))
	r.catalog.say(history.Grew, r.catalog.entry(path))
	is("gone on with while it was live", ago(5*time.Minute), false)
	want(t, "history", r.all("s", 5), messages([]string{"one", "two", "three", "four", "five", "six"}))
	want(t, "state", r.get("s").State, "idle")
}

// A clock that was once wrong doesn't keep a session at the top.
func TestClock(t *testing.T) {
	r := newRig(t)
	now := time.Now()
	r.age(r.write("future", "one"), now.Add(24*time.Hour))
	r.l.Refresh()
	r.setClock(func() time.Time { return now.Add(time.Hour) })
	r.age(r.write("later", "two"), now.Add(30*time.Minute))
	r.catalog.say(history.Added, r.catalog.entry(filepath.Join(r.root, "project", "later.jsonl")))
	want(t, "list", r.list(library.Filter{}), []string{"later", "future"})
	if at := r.get("future").LastActivityAt; at > now.Add(time.Hour).UnixMilli() {
		t.Errorf("active in the future: %d", at)
	}
	// A session whose clock goes back is sorted by its last save.
	id := r.create("/p")
	r.live.set(id, func(s *session.Snapshot) { s.LastActivityAt = now.UnixMilli() + 40*60_000 })
	want(t, "list", r.list(library.Filter{}), []string{id, "later", "future"})
	r.live.set(id, func(s *session.Snapshot) { s.LastActivityAt = 5 })
	want(t, "list", r.list(library.Filter{}), []string{"later", "future", id})
}

// A session without a file and a file without a session are both listed.
func TestHalves(t *testing.T) {
	r := newRig(t)
	r.records.sessions["s"] = model.Session{ID: "s", CLISessionID: "gone", Begun: true, LastActivityAt: 5}
	r.write("alone", "one")
	r.restart()
	want(t, "list", r.list(library.Filter{}), []string{"alone", "s"})
	page, err := r.l.History(t.Context(), "s", 10, "")
	if err != nil || len(page.Messages) != 1 || page.Messages[0].Notice.Code != "not_found" {
		t.Errorf("%+v, %v", page, err)
	}
	if err := r.l.Wake(t.Context(), "s"); err != nil {
		t.Error(err)
	}
}

// If the records are lost, every conversation is found again.
func TestLostRecords(t *testing.T) {
	r := newRig(t)
	r.write("x", "one")
	r.write("y", "two")
	r.records.sessions["a"] = model.Session{ID: "a", CLISessionID: "x", PreviousCLISessionIDs: []string{"y"}}
	r.restart()
	want(t, "list", r.list(library.Filter{}), []string{"a"})
	r.end()
	r.records = newFakeRecords()
	r.start()
	if got := r.list(library.Filter{}); len(got) != 2 {
		t.Errorf("list %v", got)
	}
}

// A change during a full reload isn't lost.
func TestComesWhileAllIsRead(t *testing.T) {
	r := newRig(t)
	r.write("one", "turn-1")
	r.spaces.seeing = func() {
		r.catalog.say(history.Added, r.catalog.entry(r.write("two", "turn-2")))
	}
	r.l.Refresh()
	got := r.list(library.Filter{})
	slices.Sort(got)
	want(t, "list", got, []string{"one", "two"})
}

// The archive is sorted by when a session was archived, however long ago it was
// used.
func TestArchiveIsSortedByArchiveTime(t *testing.T) {
	r := newRig(t)
	for id, at := range map[string]int64{"a": 10, "b": 30, "c": 20} {
		r.records.sessions["archived "+id] = model.Session{ID: "archived " + id, CLISessionID: "x" + id, LastActivityAt: 100 - at, ArchivedAt: at}
		r.records.sessions["deleted "+id] = model.Session{ID: "deleted " + id, CLISessionID: "y" + id, LastActivityAt: 100 - at, DeletedAt: at}
	}
	r.restart()
	want(t, "archive", r.list(library.Filter{Shelf: model.ShelfArchive}), []string{"archived b", "archived c", "archived a"})
	want(t, "trash", r.list(library.Filter{Shelf: model.ShelfTrash}), []string{"deleted b", "deleted c", "deleted a"})
}
