package store_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"parley/backend/fault"
	"parley/backend/store"
)

// smallDisk mounts a disk of that many bytes, which requires root.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size="+strconv.Itoa(size)); err != nil {
		t.Skip("no small disk can be mounted here:", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func growDisk(t *testing.T, dir string, size int) {
	t.Helper()
	check(t, unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT, "size="+strconv.Itoa(size)))
}

func TestReadOnlyDisk(t *testing.T) {
	dir := smallDisk(t, 1<<20)
	path := filepath.Join(dir, "store.db")
	s, err := store.Open(path, store.Config{Logger: quiet()})
	check(t, err)
	check(t, define(t, s).Put("a", note{}))
	check(t, s.Close())
	before := must[[]byte](t)(os.ReadFile(path))
	check(t, unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	if _, err := store.Open(path, store.Config{Logger: quiet()}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	if string(before) != string(must[[]byte](t)(os.ReadFile(path))) {
		t.Error("the file changed")
	}
}
