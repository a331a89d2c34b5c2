package embedded

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"parley/backend/room"
)

// Whatever has the file's name, the rooms open with their copy's contents, and the
// obstacle is moved away.
func TestLostRooms(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"removed":           func(string) error { return nil },
		"emptied":           func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a folder":          func(path string) error { return os.Mkdir(path, 0o700) },
		"a link to nothing": func(path string) error { return os.Symlink("nothing", path) },
		"a link to itself":  func(path string) error { return os.Symlink(filepath.Base(path), path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path, copied := filepath.Join(dir, "rooms.db"), filepath.Join(dir, "copy.db")
			open := func(from string) *Store {
				t.Helper()
				s, err := Open(Config{Path: path, Logger: slog.New(slog.DiscardHandler), Copy: func() string { return from }})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			shut := func(s *Store) {
				t.Helper()
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			s := open("")
			if _, err := s.Change(t.Context(), "lobby", func(r *room.Room) error { r.ID, r.Name = "lobby", "lobby"; return nil }); err != nil {
				t.Fatal(err)
			}
			if err := s.Copy(t.Context(), copied); err != nil {
				t.Fatal(err)
			}
			shut(s)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := spoil(path); err != nil {
				t.Fatal(err)
			}
			s = open(copied)
			if r := s.Report(); !r.Rebuilt || r.Filled == 0 || r.SetAside == "" {
				t.Errorf("%+v", r)
			}
			if r, err := s.Room(t.Context(), "lobby"); err != nil || r.Name != "lobby" {
				t.Errorf("%+v, %v", r, err)
			}
			shut(s)
			// It exists now, and the copy isn't used again.
			s = open(copied)
			if r := s.Report(); r.Rebuilt {
				t.Errorf("once more: %+v", r)
			}
			shut(s)
		})
	}
}
