package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/fault"
)

// shelf is a folder of conversations with a fake library.
type shelf struct {
	t       *testing.T
	dir     string
	catalog *history.Catalog
	search  *Service

	mu       sync.Mutex
	sessions map[string]event.Session // by the CLI's id
	titles   map[string]string
	busy     bool
	reports  int
	onTitle  func(id string)
}

func newShelf(t *testing.T) *shelf {
	s := &shelf{t: t, dir: t.TempDir(), sessions: map[string]event.Session{}, titles: map[string]string{}}
	s.catalog = history.NewCatalog(history.Config{Root: s.root()})
	return s
}

func (s *shelf) root() string  { return filepath.Join(s.dir, "projects") }
func (s *shelf) index() string { return filepath.Join(s.dir, "search") }

func (s *shelf) path(id string) string { return filepath.Join(s.root(), "-home-ann-site", id+".jsonl") }

// write appends to a conversation, with the bubble's time.
func (s *shelf) write(id, body string) {
	s.t.Helper()
	path := s.path(id)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
			_, err = f.WriteString(body)
			err = errors.Join(err, f.Close(), os.Chtimes(path, time.Now(), time.Now()))
		}
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// rescan scans the files, and reports a change of one like a watcher.
func (s *shelf) rescan(kind history.ChangeKind, id string) {
	s.t.Helper()
	before, _ := s.catalog.Find(id)
	if err := s.catalog.Scan(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	e, ok := s.catalog.Find(id)
	if !ok {
		e = before
	}
	s.search.Changed(history.Change{Kind: kind, Entry: e})
}

// open starts a search and waits until everything is read.
func (s *shelf) open() {
	s.t.Helper()
	s.start()
	if err := s.catalog.Scan(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	s.search.Scanned()
	s.wait(time.Second)
}

func (s *shelf) start() {
	s.search = New(Config{
		Dir: s.index(), Catalog: s.catalog, Logger: slog.New(slog.DiscardHandler),
		Resolve: func(id string) (event.Session, bool) {
			s.mu.Lock()
			defer s.mu.Unlock()
			r, ok := s.sessions[id]
			return r, ok
		},
		Title: func(id string) string {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.onTitle != nil {
				s.onTitle(id)
			}
			return s.titles[id]
		},
		Busy: func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.busy
		},
		Reading: func() interface{ Told() } { return s },
	})
	s.search.Start(context.Background())
}

// Told counts the reports.
func (s *shelf) Told() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reports++
}

// wait advances the bubble's time and waits until everything is idle.
func (s *shelf) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (s *shelf) query(p SearchParams) SearchResult {
	s.t.Helper()
	r, err := s.search.Query(s.t.Context(), p)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// find returns the session, kind and snippet of every hit.
func (s *shelf) find(p SearchParams) string {
	s.t.Helper()
	var out []string
	for _, h := range s.query(p).Hits {
		out = append(out, fmt.Sprintf("%s %s %s", h.SessionID, h.Kind, h.Snippet))
	}
	return strings.Join(out, "; ")
}

func (s *shelf) expect(text, want string) {
	s.t.Helper()
	if got := s.find(SearchParams{Text: text}); got != want {
		s.t.Errorf("%s: found %q, not %q", text, got, want)
	}
}

func promptLine(id, text string) string {
	return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":%q},"uuid":%q,"timestamp":"2000-01-01T00:00:01.000Z","cwd":"/home/ann/site"}`+"\n", text, id)
}

func blockLine(id, model, block string) string {
	return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"type":"assistant","message":{"id":"msg-%s","model":%q,"role":"assistant","type":"message","content":[%s]},"uuid":%q,"timestamp":"2000-01-01T00:00:02.000Z","cwd":"/home/ann/site"}`+"\n", id, model, block, id)
}

func answerLine(id, text string) string {
	return blockLine(id, "claude-opus-5", fmt.Sprintf(`{"type":"text","text":%q}`, text))
}

func resultLine(id, tool, text string) string {
	return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q,"is_error":true}]},"uuid":%q,"timestamp":"2000-01-01T00:00:03.000Z","cwd":"/home/ann/site"}`+"\n", tool, text, id)
}

// bubble runs a test with its own clock.
func bubble(t *testing.T, test func(t *testing.T, s *shelf)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		defer func() { s.search.Close() }()
		test(t, s)
	})
}

func TestSearchQuery(t *testing.T) {
	bubble(t, func(t *testing.T, s *shelf) {
		s.write("a", promptLine("u1", "Look for the 🐦 heron")+
			blockLine("a1", "claude-opus-5", `{"type":"thinking","thinking":"Herons, then"}`)+
			blockLine("a1", "claude-opus-5", `{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"grep heron"}}`)+
			resultLine("r1", "t1", "no heron here")+
			answerLine("a2", "The heron has flown"))
		s.write("before", promptLine("u2", "An older heron")+blockLine("a3", "claude-sonnet-5", `{"type":"text","text":"Quite old"}`))
		s.write("trash", promptLine("u3", "The heron in the bin")+answerLine("a4", "Gone"))
		s.write("plain", promptLine("u4", "A heron of nobody's")+answerLine("a5", "Yes"))
		one := event.Session{ID: "one", Title: "Birds", CWD: "/home/ann/site", CLISessionID: "a", ListState: event.ListState{WorkspaceID: "w1"}}
		s.sessions["a"], s.sessions["before"] = one, one
		s.sessions["plain"] = event.Session{ID: "plain", Title: "A heron of nobody's", CLISessionID: "plain", ListState: event.ListState{WorkspaceID: "w2"}}
		s.titles["a"] = "Birds"
		s.open()

		s.expect("flown", "one answer The heron has flown")
		s.expect("birds", "one title Birds")
		s.expect("bin", "")
		first := SearchHit{
			SessionID: "one", Title: "Birds", CWD: "/home/ann/site", Kind: "prompt", Model: "claude-opus-5", At: 946684801000,
			Snippet: "Look for the 🐦 heron", Marks: []SearchMark{{Start: 0, End: 4}, {Start: 16, End: 21}}, Target: "a@0", MessageID: "u1",
		}
		result := s.query(SearchParams{Text: "look heron"})
		result.TookMs = 0
		if diff := cmp.Diff(SearchResult{Hits: []SearchHit{first}, Total: 1}, result); diff != "" {
			t.Error(diff)
		}
		for _, h := range s.query(SearchParams{Text: "heron"}).Hits {
			if (h.Kind == "tool_input" || h.Kind == "tool_output") && (h.Tool != "Bash" || h.MessageID != "msg-a1" || h.Model != "claude-opus-5") {
				t.Errorf("%+v", h)
			}
			if id, offset, _ := strings.Cut(h.Target, "@"); h.Target == "" != (h.Kind == "title" && h.SessionID == "plain") ||
				h.Target != "" && (s.sessions[id].ID != h.SessionID || offset == "") {
				t.Errorf("%+v", h)
			}
		}
		for _, c := range []struct {
			name string
			p    SearchParams
			want int
		}{
			{"all", SearchParams{Text: "heron"}, 9},
			{"workspace", SearchParams{Text: "heron", WorkspaceID: "w2"}, 2},
			{"session", SearchParams{Text: "heron", SessionID: "one"}, 7},
			{"both", SearchParams{Text: "heron", SessionID: "one", WorkspaceID: "w2"}, 0},
			{"model", SearchParams{Text: "heron", Model: "Sonnet"}, 1},
			{"failed", SearchParams{Text: "heron", HasError: true}, 1},
			{"kinds", SearchParams{Text: "heron", Kinds: []string{"title", "tool_output"}}, 3},
			{"since", SearchParams{Text: "heron ", Since: 946684803000, Kinds: []string{"tool_output", "prompt"}}, 1},
			{"until", SearchParams{Text: "heron ", Until: 946684802000, Kinds: []string{"tool_output", "prompt"}}, 3},
		} {
			r := s.query(c.p)
			if r.Total != c.want || len(r.Hits) != c.want || r.More || r.Partial {
				t.Errorf("%s: %d of %d, more %v, partial %v", c.name, len(r.Hits), r.Total, r.More, r.Partial)
			}
		}
		page := s.query(SearchParams{Text: "heron", Limit: 3})
		rest := s.query(SearchParams{Text: "heron", Limit: 30, Offset: 3})
		if len(page.Hits) != 3 || page.Total != 9 || !page.More || len(rest.Hits) != 6 || rest.More {
			t.Errorf("pages of %d and %d; %+v", len(page.Hits), len(rest.Hits), page)
		}
		for _, p := range []SearchParams{{}, {Text: " \n"}, {Text: "x", Limit: 101}, {Text: "x", Limit: -1}, {Text: "x", Offset: -1}, {Text: "x", Kinds: []string{"smell"}}} {
			if _, err := s.search.Query(t.Context(), p); fault.CodeOf(err) != fault.Invalid {
				t.Errorf("%+v: %v", p, err)
			}
		}
		s.search.Close()
		if _, err := s.search.Query(t.Context(), SearchParams{Text: "heron"}); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("after the end: %v", err)
		}
	})
}
