package search

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/history"
	"parley/backend/claude/history/corpus"
	"parley/backend/event"
	"parley/backend/fault"
)

// New text is found within a second, whatever happens to the file.
func TestSearchFollows(t *testing.T) {
	bubble(t, func(t *testing.T, s *shelf) {
		for _, id := range []string{"a", "b", "c"} {
			s.sessions[id] = event.Session{ID: id, CLISessionID: id}
		}
		s.write("a", promptLine("u1", "first")+answerLine("a1", "second"))
		s.start()
		if r := s.query(SearchParams{Text: "first"}); !r.Partial || len(r.Hits) != 0 {
			t.Errorf("before the index is open: %+v", r)
		}
		s.search.Close()
		s.open()
		s.write("a", answerLine("a2", "third"))
		s.rescan(history.Grew, "a")
		s.wait(time.Second)
		s.expect("third", "a answer third")

		line := answerLine("a3", "fourth")
		s.write("a", line[:len(line)/2])
		s.rescan(history.Grew, "a")
		s.wait(time.Second)
		s.expect("fourth", "")
		s.write("a", line[len(line)/2:])
		s.rescan(history.Grew, "a")
		s.wait(time.Second)
		s.expect("fourth", "a answer fourth")
		s.expect("second", "a answer second")

		s.write("b", promptLine("u2", "fifth")+answerLine("a1", "sixth"))
		s.rescan(history.Added, "b")
		s.wait(time.Second)
		s.expect("sixth", "b answer sixth")

		if err := os.Remove(s.path("a")); err != nil {
			t.Fatal(err)
		}
		s.write("a", promptLine("u9", "other")+answerLine("a9", "first"))
		s.rescan(history.Replaced, "a")
		s.wait(time.Second)
		s.expect("second", "")
		s.expect("first", "a answer first")

		// Truncated, so that its beginning stays the same.
		if err := os.Truncate(s.path("a"), int64(len(promptLine("u9", "other")))); err != nil {
			t.Fatal(err)
		}
		s.write("a", answerLine("a9", "very"))
		s.rescan(history.Replaced, "a")
		s.wait(time.Second)
		s.expect("first", "")
		s.expect("very", "a answer very")

		s.mu.Lock()
		s.titles["b"] = "Seventh heaven"
		s.mu.Unlock()
		s.search.Renamed("b")
		s.wait(time.Second)
		s.expect("heaven", "b title Seventh heaven")

		if err := os.Remove(s.path("b")); err != nil {
			t.Fatal(err)
		}
		s.rescan(history.Removed, "b")
		s.wait(time.Second)
		s.expect("sixth", "")
		s.expect("heaven", "")
		if p := s.search.Progress(); p.Busy || p.Files != 1 || p.FilesDone != 1 || p.Bytes == 0 || p.BytesDone != p.Bytes {
			t.Errorf("%+v", p)
		}
		if s.reports > 6 {
			t.Errorf("%d reports", s.reports)
		}
	})
}

// Text reported as read can be found: a result marked complete is complete.
func TestSearchSaysWhenAllIsFound(t *testing.T) {
	bubble(t, func(t *testing.T, s *shelf) {
		s.sessions["a"] = event.Session{ID: "a", CLISessionID: "a"}
		s.write("a", promptLine("u1", "first"))
		s.start()
		if err := s.catalog.Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.search.Scanned()
		for range 200 {
			if !s.query(SearchParams{Text: "first"}).Partial {
				break
			}
			s.wait(5 * time.Millisecond)
		}
		if r := s.query(SearchParams{Text: "first", Kinds: []string{"prompt"}}); r.Partial || r.Total != 1 {
			t.Errorf("%+v", r)
		}
	})
}

// An index continues where it was, with changes made in the meantime.
func TestSearchStartsAgain(t *testing.T) {
	bubble(t, func(t *testing.T, s *shelf) {
		for _, id := range []string{"a", "b", "c"} {
			s.sessions[id] = event.Session{ID: id, CLISessionID: id}
			s.write(id, promptLine("u1", "first "+id)+answerLine("a1", "second"))
		}
		s.open()
		s.search.Close()
		s.write("a", answerLine("a2", "third"))
		if err := os.Remove(s.path("b")); err != nil {
			t.Fatal(err)
		}
		titles := map[string]int{}
		s.onTitle = func(id string) { titles[id]++ }
		s.open()
		s.expect("third", "a answer third")
		if got := s.query(SearchParams{Text: "second", Kinds: []string{"answer"}}).Total; got != 2 {
			t.Errorf("%d conversations", got)
		}
		// Comparing asks once, reading once more.
		if diff := cmp.Diff(map[string]int{"a": 2, "c": 1}, titles); diff != "" {
			t.Error(diff)
		}
	})
}

// An active conversation is read before the rest of an old one, and there is one worker while a
// session is working.
func TestSearchYields(t *testing.T) {
	bubble(t, func(t *testing.T, s *shelf) {
		s.busy = true
		old := time.Now()
		var b strings.Builder
		for i := range 40 {
			b.WriteString(promptLine(fmt.Sprint("u", i), strings.Repeat("old words ", 12_000)))
			b.WriteString(answerLine(fmt.Sprint("a", i), "an answer"))
		}
		for _, id := range []string{"old", "new", "other"} {
			s.sessions[id] = event.Session{ID: id, CLISessionID: id}
		}
		s.write("old", b.String())
		s.write("other", promptLine("u", "other")+answerLine("a", "other"))
		s.wait(time.Hour)
		if err := os.Chtimes(s.path("old"), old, old); err != nil {
			t.Fatal(err)
		}
		var order []string
		s.onTitle = func(id string) {
			order = append(order, id)
			if len(order) == 3 { // two comparisons, and the first read
				s.write("new", promptLine("u1", "new words")+answerLine("a1", "another answer"))
				info, err := os.Stat(s.path("new"))
				if err != nil {
					t.Error(err)
					return
				}
				s.search.Changed(history.Change{Kind: history.Added, Entry: history.Entry{
					ID: "new", Path: s.path("new"), Bytes: info.Size(), ModifiedAt: info.ModTime().UnixMilli(),
				}})
			}
			if n := len(s.search.feed.active); n > 1 {
				t.Errorf("%d are read at a time", n)
			}
		}
		s.open()
		s.wait(time.Minute)
		if diff := cmp.Diff([]string{"old", "new", "old", "other"}, order[2:]); diff != "" {
			t.Error(diff)
		}
		if got := s.query(SearchParams{Text: "old words", Kinds: []string{"prompt"}}).Total; got != 40 {
			t.Errorf("%d prompts", got)
		}
		s.expect("another", "new answer another answer")
	})
}

// If nothing can be written, it stops, reports that, and continues later.
func TestSearchCannotWrite(t *testing.T) {
	bubble(t, func(t *testing.T, s *shelf) {
		s.sessions["a"] = event.Session{ID: "a", CLISessionID: "a"}
		s.write("a", promptLine("u1", "first")+answerLine("a1", "second"))
		s.open()
		away := s.index() + ".away"
		if err := os.Rename(s.index(), away); err != nil {
			t.Fatal(err)
		}
		s.write("a", answerLine("a2", "third"))
		s.rescan(history.Grew, "a")
		s.wait(time.Second)
		if p := s.search.Progress(); p.Problem == "" || p.Busy {
			t.Errorf("%+v", p)
		}
		s.expect("second", "a answer second")
		if r := s.query(SearchParams{Text: "third"}); !r.Partial || len(r.Hits) > 0 {
			t.Errorf("%+v", r)
		}
		reports := s.reports
		s.wait(2 * time.Minute)
		if s.reports > reports || s.search.Progress().Problem == "" {
			t.Errorf("%d reports; %+v", s.reports-reports, s.search.Progress())
		}
		if err := os.Rename(away, s.index()); err != nil {
			t.Fatal(err)
		}
		s.wait(feedRetry + time.Second)
		s.expect("third", "a answer third")
		if p := s.search.Progress(); p.Problem != "" || p.Busy || s.reports == reports {
			t.Errorf("%+v, %d reports", p, s.reports-reports)
		}
	})
}

// An index that can't even be opened is retried; one damaged while in use is rebuilt.
func TestSearchDamaged(t *testing.T) {
	bubble(t, func(t *testing.T, s *shelf) {
		s.sessions["a"] = event.Session{ID: "a", CLISessionID: "a"}
		s.write("a", promptLine("u1", "first")+answerLine("a1", "second"))
		if err := os.WriteFile(s.index(), []byte("in the way"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.open()
		if _, err := s.search.Query(t.Context(), SearchParams{Text: "first"}); fault.CodeOf(err) != fault.Unavailable {
			t.Error(err)
		}
		if err := os.Remove(s.index()); err != nil {
			t.Fatal(err)
		}
		s.wait(feedRetry + time.Second)
		s.expect("second", "a answer second")

		segments, err := filepath.Glob(filepath.Join(s.index(), "*.seg"))
		if err != nil || len(segments) == 0 {
			t.Fatal(segments, err)
		}
		for _, name := range segments {
			body, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			body[6] ^= 1 // a text
			if err := os.WriteFile(name, body, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if r := s.query(SearchParams{Text: "second"}); !r.Partial || len(r.Hits) > 0 {
			t.Errorf("%+v", r)
		}
		s.wait(time.Second)
		s.expect("second", "a answer second")
		if p := s.search.Progress(); p.Busy || p.Problem != "" {
			t.Errorf("%+v", p)
		}
	})
}

// Everything found in a large folder: truncated lines, noise, one very long line.
func TestSearchCorpus(t *testing.T) {
	bubble(t, func(t *testing.T, s *shelf) {
		r, err := corpus.Write(s.dir, corpus.Small())
		if err != nil {
			t.Fatal(err)
		}
		s.open()
		s.wait(time.Minute)
		for _, e := range s.catalog.Entries() {
			s.sessions[e.ID] = event.Session{ID: e.ID, CLISessionID: e.ID}
		}
		if p := s.search.Progress(); p.Busy || p.Files != r.Shown || p.FilesDone != r.Shown || p.BytesDone != p.Bytes || p.Bytes < 20<<20 {
			t.Errorf("%+v", p)
		}
		found := s.query(SearchParams{Text: r.Needle})
		if len(found.Hits) != 1 {
			t.Fatalf("%+v", found)
		}
		id, offset, _ := strings.Cut(found.Hits[0].Target, "@")
		e, _ := s.catalog.Find(id)
		var at int64
		if _, err := fmt.Sscan(offset, &at); err != nil {
			t.Fatal(err)
		}
		cursor, err := history.Open(e.Path).CursorAt(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		page, err := history.Open(e.Path).Page(t.Context(), 1, cursor)
		if err != nil || e.Path != r.Largest || page.Messages[0].ID != found.Hits[0].MessageID {
			t.Errorf("%s leads to %+v (%v)", found.Hits[0].Target, page.Messages, err)
		}
		long := s.query(SearchParams{Text: "cat everything", Kinds: []string{"tool_input"}})
		if len(long.Hits) != 1 || !strings.Contains(r.LongLine, long.Hits[0].SessionID) {
			t.Errorf("%+v", long)
		}
		if got := s.query(SearchParams{Text: "ka", SessionID: long.Hits[0].SessionID, Kinds: []string{"tool_output"}}).Total; got == 0 {
			t.Error("nothing of the long line is found")
		}
	})
}

// Closing while reading is quick, and the work can be continued.
func TestSearchClosesInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	r, err := corpus.Write(dir, corpus.Small())
	if err != nil {
		t.Fatal(err)
	}
	for round := range 4 {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(t)
			s.dir = dir
			s.catalog = history.NewCatalog(history.Config{Root: r.Root})
			asked := 0
			closing := make(chan struct{})
			s.onTitle = func(string) {
				if asked++; asked == r.Shown+40 {
					close(closing)
				}
			}
			s.start()
			if err := s.catalog.Scan(t.Context()); err != nil {
				t.Error(err)
			}
			s.search.Scanned()
			if round < 3 {
				<-closing
			} else {
				s.wait(time.Minute)
			}
			p := s.search.Progress()
			s.search.Close()
			if whole := p.FilesDone == r.Shown; whole != (round == 3) {
				t.Errorf("round %d: %+v", round, p)
			}
		})
	}
}
