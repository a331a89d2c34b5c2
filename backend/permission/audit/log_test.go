package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/backend/fault"
)

func TestAppend(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "audit")
	l := openLog(t, config(dir))
	if r, err := l.Verify(); err != nil || r.Problem != nil || r.Records != 0 {
		t.Errorf("an empty log: %+v %v", r, err)
	}
	began := time.Now().UnixMilli()
	r := answered(1)
	r.At = 0
	_ = l.Append(r)
	got := all(t, dir) // it is in the file at once
	if len(got) != 1 || got[0].Seq != 1 || got[0].At < began || got[0].Prev != genesis() || got[0].Summary != "echo 1" {
		t.Errorf("%+v", got)
	}
	if report, err := l.Verify(); err != nil || report.Problem != nil || report.Records != 1 || report.Files != 1 || report.Head != got[0].Hash {
		t.Errorf("%+v %v", report, err)
	}
	if runtime.GOOS != "windows" {
		for name, want := range map[string]fs.FileMode{".": 0o700, headName: 0o600, "000000000001.jsonl": 0o600} {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v %v", name, info.Mode(), err)
			}
		}
	}
	check(t, l.Close())
	check(t, l.Close())
	_ = l.Append(answered(2))
	if n, why := l.Missing(); n != 1 || !errors.Is(why, errClosed) {
		t.Errorf("missing after the end: %d, %v", n, why)
	}
	verified(t, dir)
}

func TestPathIsNoFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit")
	check(t, os.WriteFile(path, nil, 0o600))
	if _, err := Open(config(path)); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
}

// Old files are removed, and the chain continues; also over several runs.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	cfg := small(dir)
	cfg.MaxFiles = 4
	for range 5 {
		written(t, cfg, 25)
	}
	list, err := segments(dir)
	check(t, err)
	if len(list) != 4 {
		t.Errorf("%d files", len(list))
	}
	for name, data := range read(t, dir) {
		if len(data) > 2000 {
			t.Errorf("%s has %d bytes", name, len(data))
		}
	}
	report := verified(t, dir)
	records := all(t, dir)
	if len(records) < 8 || records[len(records)-1].Seq != 125 || report.Records != uint64(len(records)) || report.Files != 4 {
		t.Errorf("%d records, the last is %d; %+v", len(records), records[len(records)-1].Seq, report)
	}
}

// The head knows the predecessor of the oldest kept record.
func TestBeginningAfterRotation(t *testing.T) {
	dir := t.TempDir()
	cfg := small(dir)
	cfg.MaxFiles = 2
	written(t, cfg, 25)
	head, err := readHead(dir)
	check(t, err)
	if head.First == 1 {
		t.Fatal("nothing was removed")
	}
	head.FirstPrev = strings.Repeat("1", hashLen)
	check(t, writeHead(dir, head))
	if r, err := Verify(dir, Point{}); err != nil || r.Problem == nil || r.Problem.Line != 1 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestConcurrency(t *testing.T) {
	dir := t.TempDir()
	cfg := small(dir)
	cfg.MaxFileBytes, cfg.MaxFiles = 20_000, 1000
	l := openLog(t, cfg)
	const writers, each = 8, 100
	var writing, reading sync.WaitGroup
	over := make(chan struct{})
	for range 2 {
		reading.Go(func() {
			for {
				if r, err := l.Verify(); err != nil || r.Problem != nil {
					t.Errorf("meanwhile: %v %v", r.Problem, err)
				}
				if _, _, err := l.List(t.Context(), Filter{Tool: "Bash"}, 0, 10); err != nil {
					t.Error(err)
				}
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				r := answered(i)
				r.RequestID = fmt.Sprint(w, "-", i)
				_ = l.Append(r)
			}
		})
	}
	writing.Wait()
	close(over)
	reading.Wait()
	check(t, l.Close())
	if r := verified(t, dir); r.Records != writers*each {
		t.Errorf("%+v", r)
	}
	next := map[string]int{}
	for _, r := range all(t, dir) {
		w, i, _ := strings.Cut(r.RequestID, "-")
		if i != fmt.Sprint(next[w]) {
			t.Fatalf("writer %s: record %s, want %d", w, i, next[w])
		}
		next[w]++
	}
}

// badDisk creates files whose writes fail on demand.
type badDisk struct {
	mu sync.Mutex
	// full lets only room bytes through; stuck leaves half a record there.
	full, stuck bool
	room        int
	logged      bytes.Buffer
}

func (d *badDisk) set(full, stuck bool, room int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full, d.stuck, d.room = full, stuck, room
}

type badFile struct {
	file
	path string
	disk *badDisk
}

func (d *badDisk) open(t *testing.T, cfg Config) *Log {
	t.Helper()
	cfg.Logger = slog.New(slog.NewTextHandler(&d.logged, nil))
	l, err := open(cfg, func(path string) (file, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.full && d.stuck {
			return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOSPC}
		}
		f, err := create(path)
		return &badFile{f, path, d}, err
	})
	check(t, err)
	t.Cleanup(func() { check(t, l.Close()) })
	return l
}

func (f *badFile) Write(p []byte) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if !f.disk.full || len(p) <= f.disk.room {
		return f.file.Write(p)
	}
	n, err := f.file.Write(p[:f.disk.room])
	return n, errors.Join(err, &fs.PathError{Op: "write", Path: f.path, Err: syscall.ENOSPC})
}

func (f *badFile) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.stuck {
		return &fs.PathError{Op: "truncate", Path: f.path, Err: syscall.EIO}
	}
	return f.file.Truncate(size)
}

// A record that can't be written is reported, counted, and noted in the log as
// soon as writing works again.
func TestFullDisk(t *testing.T) {
	for _, room := range []int{0, 1, 100} {
		for _, stuck := range []bool{false, true} {
			t.Run(fmt.Sprint(room, stuck), func(t *testing.T) {
				dir := t.TempDir()
				disk := &badDisk{}
				l := disk.open(t, small(dir))
				for i := range 3 {
					_ = l.Append(answered(i))
				}
				if n, why := l.Missing(); n != 0 {
					t.Fatal(n, why)
				}
				disk.set(true, stuck, room)
				for i := range 150 {
					_ = l.Append(answered(10 + i))
				}
				if err := l.Retry(); err == nil {
					t.Error("a retry says nothing")
				}
				if n, why := l.Missing(); n != 150 || why == nil {
					t.Errorf("missing: %d, %v", n, why)
				}
				if n := strings.Count(disk.logged.String(), "Couldn't write the audit log"); n != 2 {
					t.Errorf("logged %d times:\n%s", n, disk.logged.String())
				}
				if r, err := l.Verify(); err != nil || r.Problem != nil || r.Records != 3 {
					t.Errorf("meanwhile: %+v %v", r, err)
				}
				disk.set(false, false, 0)
				if stuck {
					check(t, l.Retry()) // needs no new question
				}
				for i := range 3 {
					_ = l.Append(answered(200 + i))
				}
				if n, why := l.Missing(); n != 0 {
					t.Errorf("missing: %d, %v", n, why)
				}
				check(t, l.Close())
				report := verified(t, dir)
				if report.Records != 7 || report.Missing != 150 {
					t.Errorf("%+v", report)
				}
				if gap := all(t, dir)[3]; gap.Type != Gap || gap.Lost != 150 || gap.At != answered(10).At || gap.Message == "" || strings.Contains(gap.Message, dir) {
					t.Errorf("%+v", gap)
				}
			})
		}
	}
}

// Records missing at the end are reported at the end.
func TestFullDiskBeforeTheEnd(t *testing.T) {
	dir := t.TempDir()
	disk := &badDisk{}
	l := disk.open(t, config(dir))
	_ = l.Append(answered(0))
	disk.set(true, false, 0)
	_ = l.Append(answered(1))
	disk.set(false, false, 0)
	check(t, l.Close())
	if r := verified(t, dir); r.Records != 2 || r.Missing != 1 {
		t.Errorf("%+v", r)
	}
}

// Measures the time a record adds to an answer while syncs run in parallel.
func TestAppendIsFast(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, config(dir))
	times := make([]time.Duration, 2000)
	for i := range times {
		begun := time.Now()
		_ = l.Append(answered(i))
		times[i] = time.Since(begun)
	}
	slices.Sort(times)
	t.Logf("half within %v, 99 %% within %v, the longest %v", times[len(times)/2], times[len(times)*99/100], times[len(times)-1])
	if half := times[len(times)/2]; half > 100*time.Millisecond {
		t.Errorf("half of the records take longer than %v", half)
	}
	if r, err := l.Verify(); err != nil || r.Problem != nil || r.Records != uint64(len(times)) {
		t.Errorf("%+v %v", r, err)
	}
}

// Measures the record of a question with a long command, and that of its end,
// which the answer waits for.
func BenchmarkRecord(b *testing.B) {
	l := openLog(b, config(b.TempDir()))
	input, err := json.Marshal(map[string]string{"command": strings.Repeat("curl https://example.com/path?query=1 && echo some-words here; ", 2000)})
	check(b, err)
	r := answered(1)
	b.Run("opened", func(b *testing.B) {
		for b.Loop() {
			r.InputHash, r.Summary = HashInput(input), Summary(input)
			_ = l.Append(r)
		}
	})
	b.Run("ended", func(b *testing.B) {
		r.Message = strings.Repeat("not like this ", 30)
		for b.Loop() {
			_ = l.Append(r)
		}
	})
}
