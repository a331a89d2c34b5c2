package disk_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"parley/backend/platform/disk"
)

// The errors of a real disk that is full, has space again, or is read-only.
func TestRealDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=512k"); err != nil {
		t.Skip("no small disk can be mounted here:", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if room, err := disk.RoomOf(dir); err != nil || !room.Full() || room.Total != 512<<10 {
		t.Errorf("%+v, %v", room, err)
	}
	if err := disk.Probe(dir); disk.KindOf(err) != disk.Full {
		t.Errorf("full: %v", err)
	}
	remount := func(flags uintptr) {
		t.Helper()
		if err := unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT|flags, "size=4m"); err != nil {
			t.Fatal(err)
		}
	}
	remount(0)
	if err := disk.Probe(dir); err != nil {
		t.Error(err)
	}
	remount(unix.MS_RDONLY)
	if err := disk.Probe(dir); disk.KindOf(err) != disk.ReadOnly {
		t.Errorf("read only: %v", err)
	}
}
