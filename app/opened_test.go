package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"parley/backend/paths"
)

// Whatever makes a start fail, nothing of it is left, and the next start works once the user has
// fixed the cause.
func TestFailedStart(t *testing.T) {
	// A file in place of a folder, or a non-empty folder in place of a file.
	file := func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) }
	folder := func(path string) error { return os.MkdirAll(filepath.Join(path, "x"), 0o700) }
	for name, spoil := range map[string]func(path string) error{
		"settings.json": folder, "attachments": file, "parley.db": folder, "audit": file, "memory": file,
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("TMPDIR", filepath.Join(home, "tmp"))
			dirs := paths.Dirs{Home: home, Data: filepath.Join(home, "data"), Cache: filepath.Join(home, "cache"), Runtime: filepath.Join(home, "run")}
			for _, dir := range []string{os.Getenv("TMPDIR"), dirs.Data} {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := spoil(filepath.Join(dirs.Data, name)); err != nil {
				t.Fatal(err)
			}
			cfg := Config{Dirs: dirs, Env: []string{"HOME=" + home, "PATH=" + home}, Executable: filepath.Join(home, "parley"), Logger: slog.New(slog.DiscardHandler)}
			there, files := goleak.IgnoreCurrent(), descriptors(t)
			if a, err := New(cfg); err == nil {
				t.Error("it started", a.Close())
			}
			goleak.VerifyNone(t, there)
			if now := descriptors(t); now != files {
				t.Errorf("%d open files, and %d before", now, files)
			}
			for _, dir := range []string{os.Getenv("TMPDIR"), dirs.Runtime} {
				if left, err := os.ReadDir(dir); err == nil && len(left) > 0 {
					t.Errorf("left in %s: %v", dir, left)
				}
			}
			if err := os.RemoveAll(filepath.Join(dirs.Data, name)); err != nil {
				t.Fatal(err)
			}
			a, err := New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// descriptors counts the open files of this process, if the system lists them.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}
