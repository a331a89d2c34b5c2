//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"parley/backend/claude/history/corpus"
	"parley/backend/demo"
)

// pageSize is the number of messages a front end requests.
const pageSize = 50

// shelf is a Parley with a generated corpus of conversations.
type shelf struct {
	ctx context.Context
	cfg config
	dir string
	env []string
	corpus.Report
	*parley
	t     *table
	words vocabulary
}

// conversations measures what a user with thousands of conversations notices: the list, the newest
// page of the biggest one, the first index, the search, and the memory for all of it.
func conversations(ctx context.Context, cfg config, dir string, model *demo.Server, t *table) error {
	s := &shelf{ctx: ctx, cfg: cfg, dir: filepath.Join(dir, "shelf"), t: t}
	if err := s.prepare(model); err != nil {
		return err
	}
	t.row(fmt.Sprintf("%d conversations, %.2f GB", s.Files, float64(s.Bytes)/1e9), "", "")
	m := &memory{}
	for _, step := range []func(*memory) error{s.first, s.search, s.again} {
		if err := step(m); err != nil {
			return err
		}
	}
	t.row("memory throughout, at most", m.String(), "250 MB")
	return s.others()
}

// prepare writes the corpus, unless it exists.
func (s *shelf) prepare(model *demo.Server) error {
	options := map[string]corpus.Options{"full": corpus.Full(), "small": corpus.Small()}
	o, ok := options[s.cfg.corpus]
	if !ok {
		return fmt.Errorf("there is no corpus %q: it is full or small", s.cfg.corpus)
	}
	where := s.cfg.corpusDir
	if where == "" {
		where = filepath.Join(s.dir, "corpus")
	}
	home := filepath.Join(s.dir, "home")
	for _, d := range []string{where, home} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	s.Report = corpus.Plan(where, o)
	if _, err := os.Stat(s.Root); err != nil {
		if _, err := corpus.Write(where, o); err != nil {
			return err
		}
	}
	// Start with everything in the page cache, as new files are.
	err := filepath.WalkDir(s.Root, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		s.Bytes += info.Size()
		return err
	})
	s.env = model.Env(home, where)
	return err
}

// status is the result of library.status.
type status struct {
	Shown            int
	Scanning         bool
	Counting, Search struct {
		Busy             bool
		Files, FilesDone int
		Bytes, BytesDone int64
		Problem          string
	}
}

func (s *shelf) start(m *memory) error {
	var err error
	if s.parley, err = startParley(s.ctx, s.cfg, s.dir, s.env); err != nil {
		return err
	}
	m.watch(s.pid)
	return nil
}

// until polls the status until it is as wanted.
func (s *shelf) until(wanted func(status) bool) (status, error) {
	for {
		var now status
		if err := s.call("library.status", nil, &now); err != nil {
			return now, err
		}
		if now.Search.Problem != "" {
			return now, fmt.Errorf("the search index: %s", now.Search.Problem)
		}
		if wanted(now) {
			return now, nil
		}
		if err := pause(s.ctx); err != nil {
			return now, err
		}
	}
}

// first starts a Parley without an index.
func (s *shelf) first(m *memory) error {
	begun := time.Now()
	if err := s.start(m); err != nil {
		return err
	}
	if err := s.listed(); err != nil {
		return err
	}
	scanned := time.Now()
	s.t.row("  first start: all listed, files read for it", milliseconds(scanned.Sub(begun)), "")
	before, err := cpuTime(s.pid)
	if err != nil {
		return err
	}
	seen := map[int64]bool{}
	done, err := s.until(func(n status) bool {
		if n.Search.Busy {
			seen[n.Search.BytesDone] = true
		}
		return !n.Search.Busy && n.Search.FilesDone > 0
	})
	if err != nil {
		return err
	}
	searched := time.Since(scanned)
	after, err := cpuTime(s.pid)
	if err != nil {
		return err
	}
	if done.Search.FilesDone != s.Shown || len(seen) < 2 {
		return fmt.Errorf("%d of %d conversations were indexed, progress was seen %d times", done.Search.FilesDone, s.Shown, len(seen))
	}
	megabytes := float64(done.Search.Bytes) / 1e6
	s.t.row("  first index of all texts", fmt.Sprintf("%.0f MB/s (%.1f s)", megabytes/searched.Seconds(), searched.Seconds()), "150 MB/s")
	s.t.row("    by its processor time", fmt.Sprintf("%.0f MB per second and processor", megabytes/(after-before).Seconds()), "75 MB")
	return s.counted()
}

// counted waits until all messages are counted, which starts after indexing, and searches in the
// meantime.
func (s *shelf) counted() error {
	begun := time.Now()
	var err error
	if s.words, err = s.vocabulary(); err != nil {
		return err
	}
	kinds := s.words.questions()
	var times []time.Duration
	_, err = s.until(func(n status) bool {
		if err != nil || n.Counting.FilesDone >= s.Shown && !n.Counting.Busy {
			return true
		}
		text := kinds[len(times)%len(kinds)].text()
		var took []time.Duration
		took, err = repeat(1, func() error { return s.ask(text) })
		times = append(times, took...)
		return false
	})
	if err != nil {
		return err
	}
	s.t.row("  all messages counted after it", fmt.Sprintf("%.1f s", time.Since(begun).Seconds()), "")
	if len(times) > 0 {
		s.t.row("    searches meanwhile", spread(times), "")
	}
	return nil
}

// again starts a Parley that has indexed everything before.
func (s *shelf) again(m *memory) error {
	stopping := time.Now()
	m.stop()
	s.stop()
	begun := time.Now()
	s.t.row("  end of the process", milliseconds(begun.Sub(stopping)), "5 s")
	if err := s.start(m); err != nil {
		return err
	}
	defer func() {
		m.stop()
		s.stop()
	}()
	ready := time.Now()
	if err := s.listed(); err != nil {
		return err
	}
	s.t.row("  started again: list complete after the process answers", milliseconds(time.Since(ready)), "150 ms")
	s.t.row("    and from the start of the process", milliseconds(time.Since(begun)), "")
	times, err := repeat(10*s.cfg.pages, s.list)
	if err != nil {
		return err
	}
	s.t.row(fmt.Sprintf("  list of all %d", s.Shown), spread(times), "150 ms")
	return s.pages()
}

// list reads the whole list.
func (s *shelf) list() error {
	total, err := s.count()
	if err == nil && total != s.Shown {
		err = fmt.Errorf("%d of %d conversations are listed", total, s.Shown)
	}
	return err
}

func (s *shelf) count() (int, error) {
	var list struct{ Total int }
	err := s.call("session.list", map[string]any{}, &list)
	return list.Total, err
}

// listed reads the list until it is complete.
func (s *shelf) listed() error {
	for {
		total, err := s.count()
		if err != nil || total == s.Shown {
			return err
		}
		if err := pause(s.ctx); err != nil {
			return err
		}
	}
}

// pause waits briefly between polls.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(10 * time.Millisecond):
		return nil
	}
}

// pages reads the newest page of the biggest conversation.
func (s *shelf) pages() error {
	id := strings.TrimSuffix(filepath.Base(s.Largest), ".jsonl")
	page := func() error {
		var history struct{ Messages []struct{ ID string } }
		err := s.call("session.history", map[string]any{"sessionId": id, "limit": pageSize}, &history)
		if err == nil && len(history.Messages) < pageSize/5 {
			err = fmt.Errorf("the page has %d messages", len(history.Messages))
		}
		return err
	}
	var cold []time.Duration
	var fetched int64
	for range 4 * s.cfg.pages {
		if err := forget(s.Largest); err != nil {
			return err
		}
		before, err := fromDisk(s.pid)
		if err != nil {
			return err
		}
		times, err := repeat(1, page)
		if err != nil {
			return err
		}
		after, err := fromDisk(s.pid)
		if err != nil {
			return err
		}
		cold, fetched = append(cold, times...), fetched+after-before
	}
	info, err := os.Stat(s.Largest)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("newest page of the one with %.0f MB", float64(info.Size())/1e6)
	s.t.row("  "+what+", cold", fmt.Sprintf("%s, %.0f kB from the disk each", spread(cold), float64(fetched)/1e3/float64(len(cold))), "30 ms")
	times, err := repeat(20*s.cfg.pages, page)
	if err != nil {
		return err
	}
	s.t.row("  "+what+", warm", spread(times), "")
	return nil
}

// forget evicts a file from the page cache.
func forget(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil { // only clean pages can be evicted
		return err
	}
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}

// repeat returns the duration of each of n calls.
func repeat(n int, call func() error) ([]time.Duration, error) {
	times := make([]time.Duration, 0, n)
	for range n {
		begun := time.Now()
		if err := call(); err != nil {
			return nil, err
		}
		times = append(times, time.Since(begun))
	}
	return times, nil
}

func spread(times []time.Duration) string {
	s := slices.Sorted(slices.Values(times))
	return fmt.Sprintf("%s (95 %%: %s)", milliseconds(s[len(s)/2]), milliseconds(s[len(s)*95/100]))
}
