package memory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
)

func TestSave(t *testing.T) {
	s, c := open(t)
	e := save(t, s, New{Text: " Likes tea.\u202e\r\nAnd coffee. ", Origin: Origin{By: "session", Session: "s1", Workspace: Slug("/home/anna/parley")}})
	if e.Text != "Likes tea.\nAnd coffee." || e.About != "anna" || e.Name() != "2026-11-21.md" || !e.At.Equal(testTime.Truncate(time.Minute)) {
		t.Errorf("saved %+v", e)
	}
	c.now = testTime.Add(24 * time.Hour)
	other := save(t, s, New{Text: "Tests run with make.", Workspace: "/home/anna/parley", About: "@Bob Brown", Origin: Origin{By: "person"}})
	if want := "workspaces/" + Slug("/home/anna/parley") + "/2026-11-22.md"; other.Name() != want || other.About != "Bob-Brown" {
		t.Errorf("saved %+v", other)
	}
	data, err := os.ReadFile(filepath.Join(s.Dir(), "2026-11-21.md"))
	want := "# Memories for 2026-11-21\n\n- **14:03 UTC** | `@anna` | Likes tea. <!-- parley by=session&id=" + e.ID + "&in=" + Slug("/home/anna/parley") + "&session=s1 -->\n  And coffee.\n"
	if string(data) != want || err != nil {
		t.Errorf("the file says %q, %v", data, err)
	}
	snap := look(t, s)
	if diff := cmp.Diff([]string{"Tests run with make.", "Likes tea.\nAnd coffee."}, texts(snap.Entries)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Folder{{Slug: Slug("/home/anna/parley"), Path: "/home/anna/parley"}}, snap.Folders); diff != "" {
		t.Error(diff)
	}
	if snap != look(t, s) {
		t.Error("nothing changed, and everything was read again")
	}
}

func TestLimits(t *testing.T) {
	s, _ := open(t)
	code := func(err error) fault.Code { return fault.CodeOf(err) }
	for _, n := range []New{{Text: " \u200b\n"}, {Text: "x", About: "a`b"}, {Text: "x", About: strings.Repeat("a", 41)}} {
		if _, err := s.Save(t.Context(), n); code(err) != fault.Invalid {
			t.Errorf("%q about %q: %v", n.Text, n.About, err)
		}
	}
	if _, err := s.Save(t.Context(), New{Text: strings.Repeat("x", MaxEntry+1)}); code(err) != fault.TooLarge || !strings.Contains(err.Error(), "8 KB") {
		t.Errorf("a long one: %v", err)
	}
	save(t, s, New{Text: strings.Repeat("x", MaxEntry)})
	today := filepath.Join(s.Dir(), "2026-11-21.md")
	full := append([]byte("- full\n"), make([]byte, MaxFile-8)...)
	if err := os.WriteFile(today, append(full, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Save(t.Context(), New{Text: "one more"}); code(err) != fault.TooLarge || !strings.Contains(err.Error(), "1024 KB") {
		t.Errorf("into a full file: %v", err)
	}
	if err := os.Truncate(today, MaxFile+1); err != nil {
		t.Fatal(err)
	}
	if problems := look(t, s).Problems; len(problems) != 1 || !strings.Contains(problems[0], "2026-11-21.md") {
		t.Errorf("problems %q", problems)
	}
	place := Place{Kind: User}
	if _, err := s.Write(t.Context(), place, "", strings.Repeat("x", MaxFile), ""); code(err) != fault.TooLarge {
		t.Errorf("a large file: %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.Dir(), "USER.md")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it left something behind: %v", err)
	}
	if _, err := s.Write(t.Context(), place, "", "a\x00", ""); code(err) != fault.Invalid {
		t.Errorf("no text: %v", err)
	}
}

func TestLongTotal(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes and reads 32 MB")
	}
	s, _ := open(t)
	content := make([]byte, MaxFile) // not to be parsed as text
	for i := range MaxTotal / MaxFile {
		name := time.Unix(0, 0).AddDate(0, 0, i).UTC().Format(day) + ".md"
		if err := os.WriteFile(filepath.Join(s.Dir(), name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Save(t.Context(), New{Text: "x"}); fault.CodeOf(err) != fault.TooLarge || !strings.Contains(err.Error(), "32 MB") {
		t.Errorf("got %v", err)
	}
}

func TestWrite(t *testing.T) {
	s, _ := open(t)
	place := Place{Kind: Soul}
	first, err := s.Write(t.Context(), place, "", "Be kind.", "")
	if err != nil || first.Text != "Be kind.\n" {
		t.Fatalf("written %+v, %v", first, err)
	}
	if got, err := s.Read(place); got != first || err != nil {
		t.Errorf("read %+v, %v", got, err)
	}
	if _, err := s.Write(t.Context(), place, "", "Be rude.", ""); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("as if it were new: %v", err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir(), "SOUL.md"), []byte("By hand.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(t.Context(), place, "", "Be rude.", first.Revision); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("over a change by hand: %v", err)
	}
	now, err := s.Read(place)
	if err != nil {
		t.Fatal(err)
	}
	if gone, err := s.Write(t.Context(), place, "", " \n", now.Revision); err != nil || gone != (Text{}) {
		t.Errorf("emptied: %+v, %v", gone, err)
	}
	if snap := look(t, s); len(snap.Files) != 0 {
		t.Errorf("files %+v", snap.Files)
	}
	if _, err := s.Write(t.Context(), Place{Kind: Notes, Workspace: Slug("/w/a")}, "/w/a", "Use tabs.", ""); err != nil {
		t.Fatal(err)
	}
	if snap := look(t, s); len(snap.Folders) != 1 || snap.Folders[0].Path != "/w/a" {
		t.Errorf("folders %+v", snap.Folders)
	}
}

func TestChange(t *testing.T) {
	s, _ := open(t)
	e := save(t, s, New{Text: "Likes tea.", About: "bob", Origin: Origin{By: "session", Session: "s1"}})
	last := save(t, s, New{Text: "After."})
	if _, err := s.Change(t.Context(), e.ID, "Likes coffee.", "x"); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("with another text: %v", err)
	}
	got, err := s.Change(t.Context(), e.ID, "Likes tea.", "Likes\nmilk.")
	if err != nil || got.Text != "Likes\nmilk." || got.ID != e.ID || got.Origin != e.Origin || got.About != "bob" || !got.At.Equal(e.At) {
		t.Errorf("changed to %+v, %v", got, err)
	}
	if _, ok := look(t, s).Entry(last.ID); !ok {
		t.Error("the next one is gone")
	}
	// Another program's line has no comment, and neither has one without a clock.
	name := filepath.Join(s.Dir(), "2026-11-20.md")
	if err := os.WriteFile(name, []byte("- **08:00 UTC** | `@bob` | Of EARL's.\n- by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, was := range []string{"Of EARL's.", "by hand"} {
		e, err := s.Find(was, nil)
		if err != nil {
			t.Fatal(err)
		}
		now, err := s.Change(t.Context(), e.ID, was, was+" Changed.")
		if err != nil || now.Text != was+" Changed." || now.Clock != e.Clock {
			t.Errorf("changed to %+v, %v", now, err)
		}
	}
	if _, err := s.Change(t.Context(), "gone12345678", "x", "y"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("one that is not there: %v", err)
	}
}

func TestForget(t *testing.T) {
	s, _ := open(t)
	a, b, c := save(t, s, New{Text: "a"}), save(t, s, New{Text: "b"}), save(t, s, New{Text: "c"})
	before, err := s.Read(a.Place)
	if err != nil {
		t.Fatal(err)
	}
	gone, err := s.Forget(t.Context(), b.ID, "s1")
	if err != nil || gone.Text != "b" || gone.By != "s1" {
		t.Fatalf("forgot %+v, %v", gone, err)
	}
	if _, err := s.Forget(t.Context(), b.ID, ""); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("again: %v", err)
	}
	if got := texts(look(t, s).Entries); cmp.Diff([]string{"c", "a"}, got) != "" {
		t.Errorf("left are %q", got)
	}
	list, err := s.Trash()
	if err != nil || len(list) != 1 || list[0] != gone {
		t.Errorf("in the trash are %+v, %v", list, err)
	}
	if _, err := s.Restore(t.Context(), gone.ID); err != nil {
		t.Fatal(err)
	}
	if after, err := s.Read(a.Place); after != before || err != nil {
		t.Errorf("put back it says %q, %v", after.Text, err)
	}
	if _, err := s.Restore(t.Context(), gone.ID); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("put back twice: %v", err)
	}
	var all []Forgotten
	for _, e := range []Entry{a, b, c} {
		f, err := s.Forget(t.Context(), e.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	if snap := look(t, s); len(snap.Files) != 0 {
		t.Errorf("an empty day stays: %+v", snap.Files)
	}
	for _, f := range all {
		if _, err := s.Restore(t.Context(), f.ID); err != nil {
			t.Error(err)
		}
	}
	if got := look(t, s).Entries; len(got) != 3 {
		t.Errorf("put back are %q", texts(got))
	}

	put(t, s, "SOUL.md", "Be kind.\n")
	now, _ := s.Read(Place{Kind: Soul})
	if _, err := s.ForgetFile(t.Context(), Place{Kind: Soul}, "other"); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("a file that is another: %v", err)
	}
	f, err := s.ForgetFile(t.Context(), Place{Kind: Soul}, now.Revision)
	if err != nil || !f.Whole {
		t.Fatalf("forgot %+v, %v", f, err)
	}
	put(t, s, "SOUL.md", "Be brief.\n")
	if _, err := s.Restore(t.Context(), f.ID); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("over another: %v", err)
	}
	put(t, s, "SOUL.md", "")
	if _, err := s.Restore(t.Context(), f.ID); err != nil {
		t.Error(err)
	}
	if got, _ := s.Read(Place{Kind: Soul}); got != now {
		t.Errorf("put back it says %q", got.Text)
	}
}

func TestFind(t *testing.T) {
	s, _ := open(t)
	a := save(t, s, New{Text: "Likes tea."})
	for _, wanted := range []string{a.ID, " Likes tea. "} {
		if e, err := s.Find(wanted, nil); err != nil || e.ID != a.ID {
			t.Errorf("%q found %+v, %v", wanted, e, err)
		}
	}
	for _, wanted := range []string{"", "Likes", "likes tea."} {
		if e, err := s.Find(wanted, nil); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%q found %+v, %v", wanted, e, err)
		}
	}
	if e, err := s.Find(a.ID, []string{"other-12345678"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("elsewhere is found %+v, %v", e, err)
	}
	b := save(t, s, New{Text: "Likes tea."})
	save(t, s, New{Text: "Likes tea.", Workspace: "/w/a"})
	if e, err := s.Find("Likes tea.", []string{Slug("/w/a")}); err != nil || e.Workspace != Slug("/w/a") {
		t.Errorf("of one workspace is found %+v, %v", e, err)
	}
	if _, err := s.Find("Likes tea.", []string{""}); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), a.ID) || !strings.Contains(err.Error(), b.ID) {
		t.Errorf("of two: %v", err)
	}
}

func TestTrashIsBounded(t *testing.T) {
	s, _ := open(t)
	var list []discarded
	for i := range maxTrash + 5 {
		list = append(list, discarded{ID: fmt.Sprint(i), File: "SOUL.md", Raw: "x", Text: "x"})
	}
	if err := s.putTrash(list); err != nil {
		t.Fatal(err)
	}
	if got, err := s.trash(); len(got) != maxTrash || got[0].ID != "5" || err != nil {
		t.Errorf("%d are kept, %v", len(got), err)
	}
	for i := range list {
		list[i].Raw = strings.Repeat("x", MaxFile/2)
	}
	if err := s.putTrash(list); err != nil {
		t.Fatal(err)
	}
	got, err := s.trash()
	if len(got) != 7 || got[6].ID != list[len(list)-1].ID || err != nil {
		t.Errorf("%d large ones are kept, %v", len(got), err)
	}
}

// A file that a crash left full of zero bytes is reported as long as it
// exists.
func TestZeroBytes(t *testing.T) {
	s, _ := open(t)
	save(t, s, New{Text: "Likes tea."})
	path := filepath.Join(s.Dir(), "2026-11-21.md")
	for _, content := range []string{"\x00\x00\x00\x00", "- kept\n\x00\x00"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if problems := look(t, s).Problems; len(problems) != 1 || !strings.Contains(problems[0], "2026-11-21.md is damaged") {
				t.Errorf("%q: %q", content, problems)
			}
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if problems := look(t, s).Problems; len(problems) != 0 {
		t.Errorf("%q", problems)
	}
}
