package memory

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/fault"
)

func earl(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"SOUL.md":           "# EARL\n\nI am a bot.\n",
		"USER.md":           "Eric likes Ruby.\n",
		"2026-04-15.md":     "# Memories for 2026-04-15\n\n- **09:00 UTC** | `@ericboehs` | Likes short answers\n- **09:00 UTC** | `@ericboehs` | Likes short answers\n- **23:59 UTC** | `@bob` | Two\nlines\n",
		"2026-11-21.md":     "# Memories for 2026-11-21\n\n- **10:00 UTC** | `@eric` | Early\n- **18:00 UTC** | `@eric` | Late\n- by hand\n",
		"notes.txt":         "not of the memory",
		"2026-99-99.md":     "no day",
		"workspaces/a/x.md": "x",
	} {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestImport(t *testing.T) {
	s, _ := open(t)
	dir := earl(t)
	put(t, s, "USER.md", "Anna likes Go.\n")
	mine := save(t, s, New{Text: "Mine"})
	preview, err := s.Preview(t.Context(), dir)
	if err != nil || preview.New != 9 || preview.Known != 0 || len(preview.Files) != 4 {
		t.Errorf("would take over %+v, %v", preview, err)
	}
	if n := len(look(t, s).Files); n != 2 {
		t.Errorf("looking made %d files", n)
	}
	done, err := s.Import(t.Context(), dir)
	if diff := cmp.Diff(preview, done); err != nil || diff != "" {
		t.Errorf("took over another: %s, %v", diff, err)
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(s.Dir(), name))
		if err != nil {
			t.Error(err)
		}
		return string(data)
	}
	if got := read("SOUL.md"); got != "# EARL\n\nI am a bot.\n" {
		t.Errorf("SOUL.md says %q", got)
	}
	if got := read("USER.md"); got != "Anna likes Go.\n\nEric likes Ruby.\n" {
		t.Errorf("USER.md says %q", got)
	}
	var order []string
	for _, e := range look(t, s).Entries {
		if e.Kind == Daily {
			order = append(order, e.Text)
		}
		if e.Kind == Daily && e.Clock && e.ID != mine.ID && e.Origin.By != "earl" {
			t.Errorf("%q comes from %+v", e.Text, e.Origin)
		}
	}
	want := []string{"Late", "Mine", "Early", "by hand", "Two\nlines", "Likes short answers", "Likes short answers"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Error(diff)
	}
	today := read("2026-11-21.md")
	if early, me, late := strings.Index(today, "Early"), strings.Index(today, "Mine"), strings.Index(today, "Late"); early > me || me > late {
		t.Errorf("not in order: %q", today)
	}
	// Again, and after EARL continued.
	again, err := s.Import(t.Context(), dir)
	if err != nil || again.New != 0 || again.Known != done.New {
		t.Errorf("again it took over %+v, %v", again, err)
	}
	if read("2026-11-21.md") != today {
		t.Error("importing again changed a file")
	}
	if err := appendUnlocked(filepath.Join(dir, "2026-11-21.md"), "- **18:00 UTC** | `@eric` | Later\n"); err != nil {
		t.Fatal(err)
	}
	if more, err := s.Import(t.Context(), dir); err != nil || more.New != 1 {
		t.Errorf("then it took over %+v, %v", more, err)
	}
}

func TestImportRefuses(t *testing.T) {
	s, _ := open(t)
	if _, err := s.Import(t.Context(), s.Dir()); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("its own: %v", err)
	}
	if _, err := s.Preview(t.Context(), filepath.Join(t.TempDir(), "gone")); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("one that is not there: %v", err)
	}
	dir := t.TempDir()
	long := "- **10:00 UTC** | `@eric` | " + strings.Repeat("x", MaxEntry+1) + "\n- **10:01 UTC** | `@eric` | ok\n"
	err := errors.Join(
		os.WriteFile(filepath.Join(dir, "2026-01-01.md"), []byte(long), 0o600),
		os.WriteFile(filepath.Join(dir, "2026-01-02.md"), make([]byte, MaxFile+1), 0o600),
		os.Symlink("/etc/passwd", filepath.Join(dir, "SOUL.md")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Import(t.Context(), dir)
	if err != nil || got.New != 1 || got.TooLong != 1 || len(got.Problems) != 2 {
		t.Errorf("took over %+v, %v", got, err)
	}
}
