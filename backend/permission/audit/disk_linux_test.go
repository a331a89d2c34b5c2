package audit

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// Like a disk that only seems full, but really full.
func TestReallyFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=16k"); err != nil {
		t.Skip("no small disk can be mounted here:", err)
	}
	t.Cleanup(func() { check(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	l := openLog(t, small(dir))
	written := 0
	for n := uint64(0); n == 0; n, _ = l.Missing() {
		if written == 100 {
			t.Fatal("the disk does not get full")
		}
		_ = l.Append(answered(written))
		written++
	}
	_ = l.Append(answered(100))
	if n, why := l.Missing(); n != 2 || !errors.Is(why, unix.ENOSPC) {
		t.Errorf("missing: %d, %v", n, why)
	}
	check(t, unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT, "size=1m"))
	_ = l.Append(answered(101))
	check(t, l.Close())
	if r := verified(t, dir); r.Records != uint64(written)+1 || r.Missing != 2 {
		t.Errorf("%+v after %d", r, written)
	}
}
