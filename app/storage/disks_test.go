package storage

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"parley/backend/problem"
)

// rigDisks are disks without their goroutine: the test runs the checks.
func rigDisks(t *testing.T) (d *Disks, data string, retried *int) {
	t.Helper()
	data, retried = t.TempDir(), new(int)
	d = newDisks(Config{
		Data: data, CLI: filepath.Join(data, "none", "yet"), Working: func() []string { return nil },
		Retry: func() { *retried++ }, Log: slog.New(slog.DiscardHandler),
	}, problem.New(nil))
	return d, data, retried
}

func (d *Disks) ids() (ids []string) {
	for _, p := range d.book.List() {
		ids = append(ids, p.ID)
	}
	return ids
}

// A failed write is reported with what it is and why, until it can be written again; pending data
// is then written.
func TestWriteErrors(t *testing.T) {
	for _, tt := range []struct {
		number syscall.Errno
		id     string
	}{{syscall.ENOSPC, problem.DiskFull}, {syscall.EDQUOT, problem.DiskFull}, {syscall.EROFS, problem.DiskUnwritable}, {syscall.EIO, problem.DiskUnwritable}, {syscall.EACCES, problem.DiskUnwritable}} {
		t.Run(tt.number.Error(), func(t *testing.T) {
			d, data, retried := rigDisks(t)
			failing := &fs.PathError{Op: "write", Err: tt.number}
			d.Of(ThingNotes)(failing)
			failing.Path = filepath.Join(data, "settings.json")
			d.Failed(errors.Join(errors.New("cannot save"), failing))
			d.probe = func(string) error { return failing }
			d.look()
			list := d.book.List()
			if len(list) != 1 || list[0].ID != tt.id || list[0].Facts["what"] != "notes,settings" || list[0].Facts["folders"] != data || list[0].Facts["cause"] != tt.number.Error() {
				t.Fatalf("%+v", list)
			}
			// It lasts, however often it is checked.
			d.look()
			if len(d.wake) != 1 || *retried != 0 || len(d.ids()) != 1 {
				t.Errorf("%d retries, %q", *retried, d.ids())
			}
			<-d.wake
			d.Tick()
			if len(d.wake) != 1 {
				t.Error("nobody looks any more")
			}
			d.probe = func(string) error { return nil }
			d.look()
			if len(d.ids()) != 0 || *retried != 1 {
				t.Errorf("%d retries, %q", *retried, d.ids())
			}
			<-d.wake
			d.Tick()
			if len(d.wake) != 0 {
				t.Error("it costs something while nothing runs and nothing is wrong")
			}
		})
	}
}

// Errors not about Parley's own files say nothing about its disk.
func TestOtherErrors(t *testing.T) {
	d, data, _ := rigDisks(t)
	for _, err := range []error{
		nil, errors.New("x"), fs.ErrNotExist, syscall.ENOSPC,
		&fs.PathError{Op: "write", Path: "/elsewhere/settings.json", Err: syscall.ENOSPC},
		&fs.PathError{Op: "open", Path: filepath.Join(data, "settings.json"), Err: syscall.ENOENT},
	} {
		d.Failed(err)
		if len(d.wake) != 0 || len(d.failing) != 0 {
			t.Errorf("%v: %v", err, d.failing)
		}
	}
}

func TestThings(t *testing.T) {
	d, data, _ := rigDisks(t)
	for file, want := range map[string]string{
		"parley.db": "notes", "rooms-nats.db": "rooms", "settings.json": "settings", ".parley-1": "other", "audit/1.jsonl": "audit",
		"attachments/ab": "attachments", "memory/x.md": "memory", "heartbeats.yaml": "heartbeats", "../x": "",
	} {
		if got := d.thingAt(filepath.Join(data, file)); got != want {
			t.Errorf("%s: %q", file, got)
		}
		if want != "" && !slices.Contains(problem.Things(), want) {
			t.Errorf("%s has no words", want)
		}
	}
}

// A missing folder of the CLI is on the disk of its parent.
func TestLook(t *testing.T) {
	d, _, _ := rigDisks(t)
	d.look()
	if len(d.ids()) != 0 {
		t.Skipf("the disk of this test is full: %q", d.ids())
	}
	left, err := os.ReadDir(d.cfg.Data)
	if err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
