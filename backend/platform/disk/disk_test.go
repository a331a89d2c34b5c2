package disk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"parley/backend/platform/disk"
)

func TestKindOf(t *testing.T) {
	at := func(number syscall.Errno) error {
		return fmt.Errorf("write: %w", &fs.PathError{Op: "write", Path: "/data/x", Err: number})
	}
	for _, tt := range []struct {
		err  error
		want disk.Kind
	}{
		{nil, disk.Fine}, {errors.New("x"), disk.Fine}, {at(syscall.ENOENT), disk.Fine}, {at(syscall.ENOSPC), disk.Full}, {at(syscall.EDQUOT), disk.Full},
		{at(syscall.EROFS), disk.ReadOnly}, {at(syscall.EIO), disk.Failing}, {at(syscall.EACCES), disk.Denied}, {errors.Join(errors.New("x"), at(syscall.ENOSPC)), disk.Full},
	} {
		if got := disk.KindOf(tt.err); got != tt.want {
			t.Errorf("%v: %q", tt.err, got)
		}
	}
	err := at(syscall.ENOSPC)
	if disk.PathOf(err) != "/data/x" || disk.Cause(err) != syscall.ENOSPC.Error() || disk.PathOf(errors.New("x")) != "" || disk.Cause(errors.New("x")) != "x" {
		t.Errorf("%q, %q", disk.PathOf(err), disk.Cause(err))
	}
}

func TestRoom(t *testing.T) {
	for _, tt := range []struct {
		room      disk.Room
		full, low bool
	}{
		{disk.Room{}, false, false}, {disk.Room{Total: 24 << 20}, true, false}, {disk.Room{Free: 20 << 20, Total: 24 << 20}, false, false},
		{disk.Room{Free: 1100 << 10, Total: 24 << 20}, false, true}, {disk.Room{Free: 60 << 20, Total: 500 << 30}, false, true},
		{disk.Room{Free: 70 << 20, Total: 500 << 30}, false, false},
	} {
		if tt.room.Full() != tt.full || tt.room.Low() != tt.low {
			t.Errorf("%+v: full %t, low %t", tt.room, tt.room.Full(), tt.room.Low())
		}
	}
}

func TestProbe(t *testing.T) {
	dir := t.TempDir()
	if err := disk.Probe(dir); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	missing := filepath.Join(dir, "a", "b")
	if disk.Probe(missing) == nil {
		t.Error("a folder that is not there can be written")
	}
	if got := disk.Existing(missing); got != dir {
		t.Errorf("%q", got)
	}
}
