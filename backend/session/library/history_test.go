package library_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
	"parley/backend/session/library"
	"parley/backend/store/model"
)

// all reads a session's history page by page, oldest first.
func (r *rig) all(id string, limit int) []string {
	r.t.Helper()
	var parts [][]string
	for before, n := "", 0; ; n++ {
		page, err := r.l.History(r.t.Context(), id, limit, before)
		if err != nil {
			r.t.Fatal(err)
		}
		if page.HasMore != (page.Before != "") || n > 1000 || page.Total != 0 && page.Total < len(page.Messages) {
			r.t.Fatalf("page %d: more %v, before %q, total %d", n, page.HasMore, page.Before, page.Total)
		}
		parts = append(parts, ids(page.Messages))
		if !page.HasMore {
			break
		}
		before = page.Before
	}
	slices.Reverse(parts)
	return append([]string{}, slices.Concat(parts...)...)
}

// turns returns the names of n turns, and messages the resulting ids.
func turns(prefix string, n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("%s%02d", prefix, i))
	}
	return list
}

func messages(turns []string) []string {
	var list []string
	for _, t := range turns {
		list = append(list, t, "msg-"+t)
	}
	return list
}

// The history continues through the files from before each /clear.
func TestHistoryOfFiles(t *testing.T) {
	r := newRig(t)
	first, second, third := turns("a", 7), turns("b", 3), turns("c", 12)
	r.write("first", first...)
	r.write("second", second...)
	r.write("third", third...)
	r.records.sessions["s"] = model.Session{
		ID: "s", CLISessionID: "third", Begun: true, PreviousCLISessionIDs: []string{"first", "gone", "second"}, LastSeq: 7,
	}
	r.restart()
	whole := slices.Concat(messages(first), []string{"notice:cleared:first"}, messages(second), []string{"notice:cleared:second"}, messages(third))
	for _, limit := range []int{1, 3, 10, 500} {
		want(t, fmt.Sprint("resting, by ", limit), r.all("s", limit), whole)
	}
	page, err := r.l.History(t.Context(), "s", 10, "")
	if err != nil || page.Seq < 7 || page.Seq != r.get("s").LastSeq || page.Total != 44 {
		t.Errorf("seq %d, total %d, %v", page.Seq, page.Total, err)
	}
	if err := r.l.Wake(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	r.live.say("s", "new-1", "new-2")
	for _, limit := range []int{1, 3, 10, 500} {
		want(t, fmt.Sprint("live, by ", limit), r.all("s", limit), append(slices.Clone(whole), "new-1", "new-2"))
	}
}

// When a log drops messages, the files have them.
func TestHistoryBeyondTheLog(t *testing.T) {
	r := newRig(t)
	old, recent := turns("a", 60), turns("b", 40)
	r.write("cli", old...)
	r.records.sessions["s"] = model.Session{ID: "s", CLISessionID: "cli", Begun: true}
	r.restart()
	r.live.logSize = 30
	if err := r.l.Wake(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	r.write("cli", recent...)
	r.live.say("s", messages(recent)...)
	whole := messages(append(slices.Clone(old), recent...))
	for _, limit := range []int{7, 500} {
		want(t, fmt.Sprint("by ", limit), r.all("s", limit), whole)
	}
	// While it is read, the file grows and the log drops more.
	page, err := r.l.History(t.Context(), "s", 30, "")
	if err != nil || !page.HasMore {
		t.Fatal(page, err)
	}
	more := turns("c", 200)
	r.write("cli", more...)
	r.live.say("s", messages(more)...)
	rest := []string{}
	for page.HasMore {
		if page, err = r.l.History(t.Context(), "s", 50, page.Before); err != nil {
			t.Fatal(err)
		}
		rest = append(ids(page.Messages), rest...)
	}
	want(t, "what was before", rest, whole[:len(whole)-30])
	// A log with messages that no file has starts where the others are.
	r.live.say("s", "notice:1", "only-live")
	r.live.logSize = 10
	r.live.say("s", "only-live-too")
	got := r.all("s", 50)
	if n := len(whole) + 400 + 3; len(got) != n {
		t.Errorf("%d messages, want %d", len(got), n)
	}
}

// A session created here whose log dropped nothing has everything in its log.
func TestHistoryOfNew(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	r.write("cli-"+id, "one", "two")
	r.live.say(id, messages([]string{"one", "two"})...)
	want(t, "history", r.all(id, 3), messages([]string{"one", "two"}))
	// Its cursors stay valid after it is suspended.
	page, err := r.l.History(t.Context(), id, 2, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.l.Archive(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	r.l.Refresh()
	page, err = r.l.History(t.Context(), id, 2, page.Before)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "older page", ids(page.Messages), []string{"one", "msg-one"})
}

// Cursors of a replaced or truncated file are rejected; the current contents
// can be read.
func TestHistoryReplaced(t *testing.T) {
	r := newRig(t)
	path := r.write("x", turns("a", 20)...)
	r.l.Refresh()
	page, err := r.l.History(t.Context(), "x", 5, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r.write("x", turns("b", 5)...)
	_, err = r.l.History(t.Context(), "x", 5, page.Before)
	if fault.CodeOf(err) != fault.Conflict || !errors.Is(err, history.ErrReplaced) {
		t.Errorf("replaced: %v", err)
	}
	want(t, "read again", r.all("x", 5), messages(turns("b", 5)))
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	want(t, "cut", r.all("x", 5), []string{})
	page, err = r.l.History(t.Context(), "x", 5, "")
	if err != nil || len(page.Messages) != 0 {
		t.Errorf("cut: %+v, %v", page, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	page, err = r.l.History(t.Context(), "x", 5, "")
	if err != nil || len(page.Messages) != 1 || page.Messages[0].Notice == nil || page.Messages[0].Notice.Code != "not_found" {
		t.Errorf("removed: %+v, %v", page, err)
	}
	r.write("x", turns("b", 5)...)
	for _, cursor := range []string{"file/", "file/x/", "file/y//", "file/x//rubbish"} {
		if _, err := r.l.History(t.Context(), "x", 5, cursor); fault.CodeOf(err) == fault.Internal || err == nil {
			t.Errorf("%q: %v", cursor, err)
		}
	}
	if _, err := r.l.History(t.Context(), "nobody", 5, ""); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}

func TestLocate(t *testing.T) {
	r := newRig(t)
	first, second := turns("a", 300), turns("b", 40)
	r.write("first", first...)
	path := r.write("second", second...)
	r.records.sessions["s"] = model.Session{ID: "s", CLISessionID: "second", Begun: true, PreviousCLISessionIDs: []string{"first"}}
	r.restart()
	whole := slices.Concat(messages(first), []string{"notice:cleared:first"}, messages(second))
	check := func(name string, page event.History, err error, last string) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n := len(page.Messages); n == 0 || n > 11 || page.Messages[n-1].ID != last {
			t.Errorf("%s: %v", name, ids(page.Messages))
		}
		got := ids(page.Messages)
		// Notices between files aren't numbered. The log's offset is the counted number.
		number := slices.Index(slices.Concat(messages(first), messages(second)), got[0])
		off := 0
		if r.live.Live("s") {
			off = 2
		}
		if page.Start == nil {
			t.Errorf("%s: the first message has no number", name)
		} else if *page.Start < number-off || *page.Start > number+off {
			t.Errorf("%s: the first message has the number %d, and is said to have %d", name, number, *page.Start)
		}
		for page.HasMore {
			if page, err = r.l.History(t.Context(), "s", 100, page.Before); err != nil {
				t.Fatal(err)
			}
			got = append(ids(page.Messages), got...)
		}
		want(t, name+" and before", got, whole[:slices.Index(whole, last)+1])
	}
	for _, live := range []bool{false, true} {
		if live {
			if err := r.l.Wake(t.Context(), "s"); err != nil {
				t.Fatal(err)
			}
			r.live.say("s", "new")
			whole = append(whole, "new")
			page, err := r.l.Locate(t.Context(), "s", "", "new", 10)
			check("the newest", page, err, "new")
		}
		for _, id := range []string{"b39", "b00", "msg-b20", "a00", "a150", "msg-a299"} {
			page, err := r.l.Locate(t.Context(), "s", "", id, 10)
			check(id, page, err, id)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at := strings.Index(string(data), `{"parentUuid":"a-b09"`)
		page, err := r.l.Locate(t.Context(), "s", library.Target("second", int64(at)), "", 10)
		check("target", page, err, "b10")
	}
	for _, tt := range []struct {
		target, message string
		code            fault.Code
	}{
		{"", "nobody", fault.NotFound}, {"third@0", "", fault.NotFound}, {"second", "", fault.Invalid},
		{"second@-1", "", fault.Invalid}, {"second@99999999", "", fault.Conflict}, {"second@3", "", fault.Conflict},
	} {
		if _, err := r.l.Locate(t.Context(), "s", tt.target, tt.message, 10); fault.CodeOf(err) != tt.code {
			t.Errorf("%q, %q: %v", tt.target, tt.message, err)
		}
	}
}

// Messages are read by number, in whichever file they are.
func TestNumbered(t *testing.T) {
	r := newRig(t)
	first, second := turns("a", 300), turns("b", 40)
	r.write("first", first...)
	r.write("second", second...)
	r.records.sessions["s"] = model.Session{ID: "s", CLISessionID: "second", Begun: true, PreviousCLISessionIDs: []string{"first"}}
	r.records.sessions["new"] = model.Session{ID: "new"}
	r.restart()
	whole := slices.Concat(messages(first), messages(second))
	for _, live := range []bool{false, true} {
		if live {
			if err := r.l.Wake(t.Context(), "s"); err != nil {
				t.Fatal(err)
			}
		}
		for _, number := range []int{0, 1, 300, len(messages(first)) - 3, len(messages(first)), len(whole) - 20, len(whole) - 1, len(whole) + 5} {
			page, err := r.l.Numbered(t.Context(), "s", number, 10)
			if err != nil {
				t.Fatal(err)
			}
			got := slices.DeleteFunc(ids(page.Messages), func(id string) bool { return strings.HasPrefix(id, "notice:") })
			if page.Start == nil || *page.Start > number || len(got) == 0 || len(got) > 11 {
				t.Fatalf("%d, live %v: %v from %v on", number, live, got, page.Start)
			}
			start := *page.Start
			want(t, fmt.Sprintf("%d, live %v", number, live), got, whole[start:start+len(got)])
			if number < len(whole) && number >= start+len(got) {
				t.Errorf("%d, live %v: it is not among %d from %d on", number, live, len(got), start)
			}
		}
	}
	if _, err := r.l.Numbered(t.Context(), "new", 0, 10); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("without a file: %v", err)
	}
}

// The first page is the start of the conversation, in whichever file or log that is.
func TestFirst(t *testing.T) {
	r := newRig(t)
	first, second := turns("a", 300), turns("b", 40)
	r.write("first", first...)
	r.write("second", second...)
	r.write("only", second...)
	r.records.sessions["s"] = model.Session{ID: "s", CLISessionID: "second", Begun: true, PreviousCLISessionIDs: []string{"first"}}
	r.records.sessions["one"] = model.Session{ID: "one", CLISessionID: "only", Begun: true}
	r.records.sessions["new"] = model.Session{ID: "new"}
	r.restart()
	for _, live := range []bool{false, true} {
		for id, whole := range map[string][]string{"s": messages(first), "one": messages(second), "new": {}} {
			if live {
				if err := r.l.Wake(t.Context(), id); err != nil {
					t.Fatal(err)
				}
				r.live.say(id, "said")
				if id == "new" {
					whole = []string{"said"}
				}
			}
			for _, limit := range []int{1, 2, 10, 500} {
				page, err := r.l.First(t.Context(), id, limit)
				if err != nil {
					t.Fatal(err)
				}
				got := ids(page.Messages)
				if page.HasMore || len(got) > limit || len(got) == 0 && len(whole) > 0 || len(got) > len(whole) {
					t.Fatalf("%s, live %v, %d: %v of %d, more %v", id, live, limit, got, len(whole), page.HasMore)
				}
				want(t, fmt.Sprintf("%s, live %v, %d", id, live, limit), got, whole[:len(got)])
			}
		}
	}
}

// A found conversation becomes Parley's when a request needs it, and not before.
func TestAdopt(t *testing.T) {
	r := newRig(t)
	r.write("x", turns("a", 100)...)
	r.l.Refresh()
	if _, err := r.l.History(t.Context(), "x", 10, ""); err != nil {
		t.Fatal(err)
	}
	if s := r.get("x"); s.Origin != "cli" || len(r.records.sessions) != 0 {
		t.Errorf("%+v", s)
	}
	if err := r.l.Wake(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	saved, err := r.live.Saved(t.Context(), "x")
	if err != nil || !saved.Begun || saved.CLISessionID != "x" || saved.CWD != "/home/person/project" || saved.Title != "found" ||
		saved.Engine != "sdk" || saved.Profile != "own" || saved.Scripted || saved.PermissionMode != "mode of /home/person/project" {
		t.Errorf("%+v, %v", saved, err)
	}
	for range 2 {
		s := r.get("x")
		if s.Origin != "parley" || s.Title != "found" || !r.records.session("x").Adopted {
			t.Errorf("%+v", s)
		}
		want(t, "list", r.list(library.Filter{}), []string{"x"})
		want(t, "history", r.all("x", 30), messages(turns("a", 100)))
		r.restart()
	}
	if err := r.l.Wake(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	r.live.set("x", func(s *session.Snapshot) { s.CLISessionID, s.Previous = "y", []string{"x"} })
	r.write("y", "b")
	r.l.Refresh()
	want(t, "after /clear", r.list(library.Filter{}), []string{"x"})
	if err := r.l.Wake(t.Context(), "nobody"); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}

// In demo mode a found conversation is a demo, and stays one.
func TestAdoptScripted(t *testing.T) {
	r := newRig(t)
	r.scripted = true
	r.restart()
	r.write("x", "a")
	r.l.Refresh()
	if s := r.get("x"); !s.Scripted {
		t.Errorf("found: %+v", s)
	}
	if err := r.l.Wake(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	saved, err := r.live.Saved(t.Context(), "x")
	if err != nil || !saved.Scripted || saved.Profile != "" {
		t.Errorf("%+v, %v", saved, err)
	}
	r.scripted = false
	r.restart()
	if s := r.get("x"); !s.Scripted {
		t.Errorf("afterwards: %+v", s)
	}
}

// A session whose folder had no workspace creates one and publishes it.
func TestNewWorkspace(t *testing.T) {
	r := newRig(t)
	told := func(what string, n int) {
		t.Helper()
		want(t, what, r.events.spacesChanged(), n)
	}
	r.create("/a")
	told("the first session", 1)
	r.create("/a")
	told("the second one", 1)
	r.create("/b")
	told("another folder", 2)

	r.write("x", "a")
	r.l.Refresh()
	told("found", 3)
	r.spaces.remove("/home/person/project")
	r.l.WorkspacesChanged()
	if err := r.l.Wake(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	told("adopted", 4)
	if id := r.records.session("x").WorkspaceID; id != "w:/home/person/project" {
		t.Errorf("its workspace is %q", id)
	}
	r.restart()
	before := r.events.spacesChanged()
	if err := r.l.Wake(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	told("woken", before)
}
