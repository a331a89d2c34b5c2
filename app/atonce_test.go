//go:build linux

package app

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley/app/checkup"
	"parley/app/feature"
	"parley/app/snapshots"
	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/snapshot"
)

// If several Parleys are started on one data folder at once, one starts and the others report that
// it is running; the data is consistent afterwards, even if the store was lost.
func TestStartedAtOnce(t *testing.T) {
	for name, lost := range map[string]bool{"whole": false, "the store is lost": true, "new": false} {
		t.Run(name, func(t *testing.T) {
			l, session := newLife(t), ""
			if name != "new" {
				l, session = rich(t)
			}
			if lost {
				done(t, os.Remove(l.path(snapshot.StoreFile)))
			}
			var mu sync.Mutex
			var started []*App
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					a, err := New(l.cfg)
					mu.Lock()
					defer mu.Unlock()
					switch {
					case err == nil:
						started = append(started, a)
					case fault.CodeOf(err) != fault.Conflict || !strings.Contains(fault.MessageOf(err), "Another Parley"):
						t.Errorf("refused with %v", err)
					}
				})
			}
			all.Wait()
			if len(started) == 0 {
				t.Fatal("none starts")
			}
			if len(started) > 1 {
				t.Errorf("%d start", len(started))
			}
			for _, a := range started {
				done(t, a.Start(t.Context()))
				got := stateOf(t, a, session)
				if (got.doubt == "") != !lost || name != "new" && !got.session {
					t.Errorf("%+v", got)
				}
				done(t, a.Close())
			}
		})
	}
}

// A store counts as lost if there is any trace of it, and not if a first start was interrupted
// before it had one.
func TestLostAndCutOff(t *testing.T) {
	t.Parallel()
	for name, made := range map[string]struct {
		files []string
		lost  bool
	}{
		"nothing":                     {},
		"the lock was made":           {files: []string{"parley.lock", "parley.pid"}},
		"the store was begun":         {files: []string{"parley.lock", snapshot.StoreFile, snapshot.StoreFile + ".new"}},
		"only the form is left":       {[]string{paths.FormatFile}, true},
		"only the log is left":        {[]string{"audit/head.json"}, true},
		"only the snapshots are left": {[]string{snapshot.Folder + "/20260101-000000.000/manifest.json"}, true},
		"the store was emptied":       {[]string{snapshot.StoreFile, paths.FormatFile}, true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLife(t)
			for _, file := range made.files {
				done(t, os.MkdirAll(filepath.Dir(l.path(file)), 0o700))
				done(t, os.WriteFile(l.path(file), nil, 0o600))
			}
			l.during(func(a *App) {
				if got := stateOf(t, a, ""); (got.doubt != "") != made.lost {
					t.Errorf("%+v", got)
				}
			})
			l.during(func(a *App) {
				if !made.lost && len(stateOf(t, a, "").problems) > 0 {
					t.Errorf("the next start says %+v", stateOf(t, a, ""))
				}
			})
		})
	}
}

// A folder on a read-only disk is refused with the reason, and can still be checked.
func TestReadOnlyMount(t *testing.T) {
	l, _ := rich(t)
	dir := filepath.Join(t.TempDir(), "disk")
	done(t, os.Mkdir(dir, 0o700))
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=16m"); err != nil {
		t.Skip("no disk can be mounted here, which needs rights that a test may not have:", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	if out, err := exec.Command("cp", "-a", l.cfg.Dirs.Data+"/.", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	done(t, os.Chmod(dir, 0o700))
	done(t, unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	l.cfg.Dirs.Data = dir
	before := l.tree()
	if _, err := New(l.cfg); fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), dir+" (read-only file system)") {
		t.Errorf("it says %v", err)
	}
	if lines, ok := l.check(false); !ok {
		t.Errorf("check says:\n%s", strings.Join(lines, "\n"))
	}
	if _, err := checkup.Check(l.cfg.Dirs, nil, true, func(string, string, string) {}); fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "read-only") {
		t.Errorf("a repair says %v", err)
	}
	if after := l.tree(); len(after) != len(before) {
		t.Errorf("%v, %v", before, after)
	}
}

// The clock is set back by a day between two runs: files are from tomorrow. Nothing is lost, and
// new records count as newer.
func TestClockSetBackBetweenLives(t *testing.T) {
	l, session := rich(t)
	tomorrow := time.Now().Add(24 * time.Hour)
	done(t, filepath.WalkDir(l.cfg.Dirs.Data, func(path string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, tomorrow, tomorrow))
	}))
	list, err := snapshot.List(l.cfg.Dirs.Data)
	done(t, err)
	l.during(func(a *App) {
		if got := stateOf(t, a, session); got.doubt != "" || got.allows != 1 || !got.session || len(got.problems) > 0 {
			t.Errorf("%+v", got)
		}
		ask[map[string]any](t.Context(), t, a, "settings.set", map[string]any{"budgetDayUSD": 2})
		taken := ask[snapshots.SnapshotTaken](t.Context(), t, a, "snapshot.take", feature.Empty{})
		if now, err := snapshot.List(l.cfg.Dirs.Data); err != nil || now[0].Name != taken.Snapshot.Name || len(now) != len(list)+1 {
			t.Errorf("%v, %+v", err, now)
		}
	})
	l.during(func(a *App) {
		if got := stateOf(t, a, session); got.doubt != "" || got.budget != 2 || len(got.problems) > 0 {
			t.Errorf("%+v", got)
		}
	})
	if lines, ok := l.check(false); !ok {
		t.Errorf("check says:\n%s", strings.Join(lines, "\n"))
	}
}
