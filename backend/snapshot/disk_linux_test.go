package snapshot

import (
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A full disk leaves the old snapshots, no partial new one, and the files to be restored
// unchanged; once there is room it works again.
func TestFullDisk(t *testing.T) {
	data := t.TempDir()
	size := func(flags uintptr, bytes string) error {
		return unix.Mount("none", data, "tmpfs", flags, "size="+bytes)
	}
	if err := size(0, "16m"); err != nil {
		t.Skip("no small disk can be mounted here:", err)
	}
	t.Cleanup(func() { check(t, unix.Unmount(data, unix.MNT_DETACH)) })
	p := newPlace(t, data)
	p.fill("one")
	first, _ := p.take()
	p.fill("two")
	var s unix.Statfs_t
	check(t, unix.Statfs(data, &s))
	check(t, size(unix.MS_REMOUNT, strconv.FormatUint((s.Blocks-s.Bavail)*uint64(s.Bsize)+16<<10, 10))) //nolint:gosec // a block's size
	if _, made, err := Take(t.Context(), p.source()); err == nil {
		t.Errorf("a full disk: made %v", made)
	}
	if _, err := Prepare(data, first.Name, ByCommand); err == nil {
		t.Error("a full disk: prepared")
	}
	if found := left(t, data); found != nil {
		t.Errorf("left: %v", found)
	}
	if _, decided, _ := readNote(data, journalName); decided {
		t.Error("a restore is decided")
	}
	if _, err := Verify(data, first.Name); err != nil {
		t.Error(err)
	}
	check(t, size(unix.MS_REMOUNT, "16m"))
	p.at = p.at.Add(time.Hour)
	if _, made := p.take(); !made {
		t.Error("no snapshot although there is room again")
	}
}
