package audit

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// place is an anchor in memory.
type place struct {
	mu   sync.Mutex
	p    Point
	ok   bool
	fail error
}

func (a *place) Load() (Point, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.p, a.ok
}

func (a *place) Save(p Point) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fail != nil {
		return a.fail
	}
	a.p, a.ok = p, true
	return nil
}

func anchored(dir string, a *place) Config {
	cfg := config(dir)
	cfg.Anchor = a
	return cfg
}

// The number of unwritten records survives a kill of Parley, in the head if it
// exists, otherwise in the anchor.
func TestMissingOutlivesACrash(t *testing.T) {
	for name, lay := range map[string]func(t *testing.T, crashed string){
		"with the head":      func(*testing.T, string) {},
		"with its folder":    func(t *testing.T, dir string) { check(t, os.RemoveAll(dir)) },
		"with the head gone": func(t *testing.T, dir string) { check(t, os.Remove(filepath.Join(dir, headName))) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, disk, anchor := t.TempDir(), &badDisk{}, &place{}
			l := disk.open(t, anchored(dir, anchor))
			if err := l.Append(answered(0)); err != nil {
				t.Fatal(err)
			}
			disk.set(true, false, 0)
			for i := range 3 {
				if err := l.Append(answered(i)); err == nil {
					t.Fatal("a record that cannot be written was counted")
				}
			}
			if r, err := l.Verify(); err != nil || r.Missing != 3 {
				t.Errorf("meanwhile: %+v %v", r, err)
			}
			crashed := filepath.Join(t.TempDir(), "audit")
			check(t, os.CopyFS(crashed, os.DirFS(dir)))
			disk.set(false, false, 0)
			check(t, l.Close()) // which writes elsewhere
			l.cfg.Anchor = nil
			anchor.p = Point{Seq: 1, Hash: all(t, dir)[0].Hash, Missing: missing{3, 1}}
			lay(t, crashed)
			if r, err := Verify(crashed, anchor.p); err != nil || r.Missing != 3 || (r.Problem == nil) != (name == "with the head") {
				t.Errorf("after the crash: %+v %v", r, err)
			}
			for range 2 { // once is enough
				written(t, anchored(crashed, anchor), 0)
			}
			if r, err := Verify(crashed, anchor.p); err != nil || r.Missing != 3 {
				t.Errorf("after the next start: %+v %v", r, err)
			}
			gaps := 0
			for _, r := range all(t, crashed) {
				if r.Type == Gap && r.Lost == 3 {
					gaps++
				}
			}
			if gaps != 1 {
				t.Errorf("%d gaps of 3", gaps)
			}
		})
	}
}

// A log that was removed, truncated or recreated is detected by its anchor, before and
// after the next start, and continues after it.
func TestAnchor(t *testing.T) {
	made := func(t *testing.T, n int, mark string) (string, *place) {
		dir, a := filepath.Join(t.TempDir(), "audit"), &place{}
		l, err := Open(anchored(dir, a))
		check(t, err)
		l.SetStore(mark)
		for i := range n {
			check(t, l.Append(answered(i)))
		}
		check(t, l.Close())
		return dir, a
	}
	tests := []struct {
		name  string
		spoil func(t *testing.T, dir string)
		wrong string
	}{
		{"as it was", func(*testing.T, string) {}, ""},
		{"removed", func(t *testing.T, dir string) { check(t, os.RemoveAll(dir)) }, "gone"},
		{"emptied", func(t *testing.T, dir string) {
			check(t, os.RemoveAll(dir))
			check(t, os.Mkdir(dir, 0o700))
		}, "whole log is missing"},
		{"an older one", func(t *testing.T, dir string) {
			older, _ := made(t, 3, "a.1")
			check(t, os.RemoveAll(dir))
			check(t, os.CopyFS(dir, os.DirFS(older)))
		}, "the last record is 3, and 5 were written"},
		{"made anew, and longer", func(t *testing.T, dir string) {
			check(t, os.RemoveAll(dir))
			l, err := Open(config(dir))
			check(t, err)
			for i := range 7 {
				check(t, l.Append(answered(100+i)))
			}
			check(t, l.Close())
		}, "record 5 is not the one that was written there"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, a := made(t, 5, "a.2")
			tt.spoil(t, dir)
			report, err := Verify(dir, a.p)
			check(t, err)
			if (report.Problem == nil) != (tt.wrong == "") || report.Problem != nil && !strings.Contains(report.Problem.String(), tt.wrong) {
				t.Errorf("before the start: %v", report.Problem)
			}
			l, err := Open(anchored(dir, a))
			check(t, err)
			mark, wrong := l.Before()
			if (wrong == "") != (tt.wrong == "") || wrong == "" && mark != "a.2" {
				t.Errorf("at the start: mark %q, %q", mark, wrong)
			}
			check(t, l.Append(answered(9)))
			check(t, l.Close())
			records := all(t, dir)
			if last := records[len(records)-1]; last.Seq < 6 || last.RequestID != "q9" {
				t.Errorf("the last record: %+v", last)
			}
			report, err = Verify(dir, a.p)
			check(t, err)
			if (report.Problem == nil) != (tt.wrong == "") {
				t.Errorf("after the start: %v", report.Problem)
			}
		})
	}
}

// The newest store mark is known, whether or not a record followed it.
func TestStoreMark(t *testing.T) {
	for _, records := range []int{0, 1} {
		dir := t.TempDir()
		l := openLog(t, config(dir))
		check(t, l.Append(answered(0)))
		l.SetStore("a.1")
		l.SetStore("a.2")
		for range records {
			check(t, l.Append(answered(1)))
		}
		crashed := lay(t, read(t, dir))
		check(t, l.Close())
		for range 2 {
			l, err := Open(config(crashed))
			check(t, err)
			if mark, wrong := l.Before(); mark != "a.2" || wrong != "" {
				t.Errorf("with %d records: %q, %q", records, mark, wrong)
			}
			check(t, l.Append(answered(2)))
			check(t, l.Close())
			if r := all(t, crashed); r[len(r)-1].Store != "a.2" {
				t.Errorf("the next record has %q", r[len(r)-1].Store)
			}
		}
	}
}
