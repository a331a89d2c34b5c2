package memory

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/outside/outsidetest"
)

// Foreign changes to the memory are neither used nor found before a user accepts
// them; Parley's own changes are.
func TestOutside(t *testing.T) {
	const soul = "# Who you are\n\nCalm.\n"
	begin := func(t *testing.T) (*Store, string, *outsidetest.Keeper) {
		dir, keep := t.TempDir(), &outsidetest.Keeper{}
		s := openKept(t, dir, keep)
		if _, err := s.Save(t.Context(), New{Text: "Deploys on Fridays."}); err != nil {
			t.Fatal(err)
		}
		lay(t, filepath.Join(dir, "SOUL.md"), soul)
		if told := toldNow(t, s); !strings.Contains(told, "Calm.") || !strings.Contains(told, "Fridays") {
			t.Fatal(told)
		}
		keep.Later = true
		return s, dir, keep
	}
	day := func(t *testing.T, dir string) string {
		list, err := filepath.Glob(filepath.Join(dir, "2*.md"))
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		return list[0]
	}
	for _, tt := range []struct {
		name, evil string
		change     func(t *testing.T, dir string)
	}{
		{"a line of a day", "Evil one.", func(t *testing.T, dir string) {
			text, err := os.ReadFile(day(t, dir))
			if err != nil {
				t.Fatal(err)
			}
			lay(t, day(t, dir), string(text)+"- **14:03 UTC** | `@x` | Evil one.\n")
		}},
		{"another soul", "Evil soul.", func(t *testing.T, dir string) { lay(t, filepath.Join(dir, "SOUL.md"), "# Who you are\n\nEvil soul.\n") }},
		{"a heading", "Evil heading", func(t *testing.T, dir string) {
			lay(t, filepath.Join(dir, "SOUL.md"), soul+"\n# Evil heading\n")
		}},
		{"a new file", "Evil user.", func(t *testing.T, dir string) { lay(t, filepath.Join(dir, "USER.md"), "Evil user.\n") }},
	} {
		for _, restart := range []bool{false, true} {
			changed := func(t *testing.T) (*Store, string, *outsidetest.Keeper, HeldFile) {
				s, dir, keep := begin(t)
				tt.change(t, dir)
				if restart {
					s = openKept(t, dir, keep)
				}
				told := toldNow(t, s)
				if strings.Contains(told, "Evil") || !strings.Contains(told, "Calm.") || !strings.Contains(told, "Fridays") {
					t.Errorf("told: %s", told)
				}
				found, err := s.Search(Query{Words: "evil", Limit: 10})
				if err != nil || len(found.Hits) != 0 {
					t.Errorf("found %+v %v", found, err)
				}
				held, err := s.Held()
				if err != nil || len(held) != 1 || !strings.Contains(held[0].Change.Is, tt.evil) {
					t.Fatalf("held %+v %v", held, err)
				}
				return s, dir, keep, held[0]
			}
			t.Run(tt.name, func(t *testing.T) {
				s, dir, keep, held := changed(t)
				if _, err := s.Save(t.Context(), New{Text: "Saved meanwhile."}); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if told := toldNow(t, s); strings.Contains(told, "Evil") || !strings.Contains(told, "Saved meanwhile.") || !strings.Contains(told, "Fridays") {
						t.Errorf("after a save: %s", told)
					}
					s = openKept(t, dir, keep)
				}
				now, err := s.Read(held.Place)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Accept(t.Context(), held.Place, now.Revision); err != nil {
					t.Fatal(err)
				}
				if told := toldNow(t, s); !strings.Contains(told, tt.evil) || !strings.Contains(told, "Saved meanwhile.") {
					t.Errorf("accepted: %s", told)
				}
			})
			t.Run(tt.name+", undone", func(t *testing.T) {
				s, dir, keep, held := changed(t)
				if err := s.Undo(t.Context(), held.Place, "another"); err == nil {
					t.Error("another revision was undone")
				}
				if err := s.Undo(t.Context(), held.Place, held.Revision); err != nil {
					t.Fatal(err)
				}
				text, err := os.ReadFile(filepath.Join(dir, held.Name()))
				if err == nil && strings.Contains(string(text), "Evil") {
					t.Errorf("the file: %s", text)
				}
				s = openKept(t, dir, keep)
				if list, err := s.Held(); err != nil || len(list) != 0 {
					t.Errorf("held %+v %v", list, err)
				}
				if told := toldNow(t, s); !strings.Contains(told, "Calm.") || !strings.Contains(told, "Fridays") {
					t.Errorf("told: %s", told)
				}
			})
		}
	}
	t.Run("less", func(t *testing.T) {
		s, dir, keep := begin(t)
		lay(t, filepath.Join(dir, "SOUL.md"), "# Who you are\n")
		for range 2 {
			if told := toldNow(t, s); strings.Contains(told, "Calm.") {
				t.Errorf("told: %s", told)
			}
			if held, err := s.Held(); err != nil || len(held) != 0 {
				t.Errorf("held %+v %v", held, err)
			}
			s = openKept(t, dir, keep)
		}
	})
}

func lay(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func openKept(t *testing.T, dir string, keep *outsidetest.Keeper) *Store {
	t.Helper()
	s, err := Open(Config{Dir: dir, Person: "me", Logger: slog.New(slog.DiscardHandler), Keep: keep})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func toldNow(t *testing.T, s *Store) string {
	t.Helper()
	in, err := s.Prompt(Session{Budget: 2000})
	if err != nil {
		t.Fatal(err)
	}
	return in.Text
}
