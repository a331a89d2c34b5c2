package search_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/search"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, dir string, memory int) *search.Index {
	t.Helper()
	return openWith(t, dir, search.Config{Memory: memory})
}

func openWith(t testing.TB, dir string, c search.Config) *search.Index {
	t.Helper()
	c.Logger = slog.New(slog.DiscardHandler)
	x, err := search.Open(dir, c)
	check(t, err)
	t.Cleanup(x.Close)
	return x
}

func add(t testing.TB, x *search.Index, u search.Update) {
	t.Helper()
	check(t, x.Index(t.Context(), u))
}

// find returns the results as "transcript/message".
func find(t testing.TB, x *search.Index, q search.Query) string {
	t.Helper()
	page, err := x.Query(t.Context(), q)
	check(t, err)
	var out []string
	for _, h := range page.Hits {
		out = append(out, h.Transcript.ID+"/"+h.MessageID)
	}
	return strings.Join(out, " ")
}

func sample(t testing.TB, x *search.Index) {
	add(t, x, search.Update{
		File:    search.File{ID: "one", Path: "/p/one.jsonl", CWD: "/home/ann/site", Title: "Repair the login page", At: 1000},
		Through: 900,
		Documents: []search.Document{
			{MessageID: "m1", Offset: 0, At: 100, Kind: search.Prompt, Text: "Please repair the login page, it says “permission denied”."},
			{MessageID: "m2", Offset: 200, At: 200, Kind: search.Answer, Model: "opus", Text: "The login page checks the café cookie."},
			{MessageID: "m3", Offset: 400, At: 300, Kind: search.ToolInput, Model: "opus", Text: "go test ./internal/login/session_test.go --run TestLogin"},
			{MessageID: "m4", Offset: 600, At: 400, Kind: search.ToolOutput, Tool: "Bash", IsError: true, Text: "panic: open session.db: permission denied"},
		},
	})
	add(t, x, search.Update{
		File:    search.File{ID: "two", Path: "/p/two.jsonl", CWD: "/home/ann/site/api", Title: "全文検索", At: 2000},
		Through: 500,
		Documents: []search.Document{
			{MessageID: "m5", Offset: 0, At: 1500, Kind: search.Prompt, Text: "全文検索を追加してください"},
			{MessageID: "m6", Offset: 250, At: 1600, Kind: search.Answer, Model: "sonnet", Text: "Denied: permission to index. The login page stays."},
		},
	})
	add(t, x, search.Update{
		File:      search.File{ID: "three", CWD: "/home/ann/sitemap"},
		Documents: []search.Document{{MessageID: "m7", At: 50, Kind: search.Prompt, Text: "login"}},
	})
	check(t, x.Commit())
}

// below matches the transcripts of a folder.
func below(folder string) func(search.File) bool {
	return func(f search.File) bool { return f.CWD == folder || strings.HasPrefix(f.CWD, folder+"/") }
}

func TestQueries(t *testing.T) {
	x := open(t, t.TempDir(), 0)
	sample(t, x)
	for _, c := range []struct {
		name string
		q    search.Query
		want string
	}{
		{"word", search.Query{Text: "cookie"}, "one/m2"},
		{"accent", search.Query{Text: "CAFE"}, "one/m2"},
		{"beginning", search.Query{Text: "pan"}, "one/m4"},
		{"one letter", search.Query{Text: "o"}, "one/m4"},
		{"two letters", search.Query{Text: "co"}, "one/m2"},
		{"finished word", search.Query{Text: "pan "}, ""},
		{"all words", search.Query{Text: "cookie page"}, "one/m2"},
		{"phrase", search.Query{Text: `"permission denied"`}, "one/m1 one/m4"},
		{"phrase, unfinished", search.Query{Text: `"permission den`}, "one/m1 one/m4"},
		{"not", search.Query{Text: "permission -panic"}, "one/m1 two/m6"},
		{"not phrase", search.Query{Text: `permission -"permission denied"`}, "two/m6"},
		{"only not", search.Query{Text: "-login -permission -全文 "}, ""},
		{"path", search.Query{Text: "session_test.go"}, "one/m3"},
		{"option", search.Query{Text: "--run"}, "one/m3"},
		{"part of a run", search.Query{Text: "検索"}, "two/ two/m5"},
		{"character", search.Query{Text: "索"}, "two/ two/m5"},
		{"no part of a run", search.Query{Text: "全検"}, ""},
		{"title", search.Query{Text: "repair login", Kinds: []search.Kind{search.Title}}, "one/"},
		{"titles first", search.Query{Text: "repair"}, "one/ one/m1"},
		{"nothing", search.Query{Text: "?!"}, ""},
		{"unknown", search.Query{Text: "unknowable"}, ""},
		{"some transcripts", search.Query{Text: "login", Want: below("/home/ann/site"), Kinds: []search.Kind{search.Prompt}}, "one/m1"},
		{"titles of some transcripts", search.Query{Text: "repair", Want: below("/home/ann/sitemap")}, ""},
		{"one transcript", search.Query{Text: "login", Want: below("/home/ann/sitemap")}, "three/m7"},
		{"model", search.Query{Text: "login ", Model: "Son"}, "two/m6"},
		{"errors", search.Query{OnlyErrors: true}, "one/m4"},
		{"since", search.Query{Text: "login ", Since: 1600}, "two/m6"},
		{"until", search.Query{Text: "login ", Until: 100}, "three/m7"},
		{"newest", search.Query{Limit: 3}, "two/m6 two/m5 one/m4"},
		{"second page", search.Query{Limit: 3, Offset: 3}, "one/m3 one/m2 one/m1"},
		{"beyond", search.Query{Limit: 3, Offset: 30}, ""},
	} {
		if diff := cmp.Diff(c.want, find(t, x, c.q)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	page, err := x.Query(t.Context(), search.Query{Text: `"permission denied"`, OnlyErrors: true})
	check(t, err)
	want := search.Page{Total: 1, Exact: true, Hits: []search.Hit{{
		Transcript: search.File{ID: "one", Path: "/p/one.jsonl", CWD: "/home/ann/site", Title: "Repair the login page", At: 1000},
		MessageID:  "m4", Offset: 600, Time: 400, Kind: search.ToolOutput, Tool: "Bash", IsError: true,
		Snippet: search.Snippet{Text: "panic: open session.db: permission denied", Highlights: []search.Range{{Start: 24, End: 41}}},
	}}}
	if diff := cmp.Diff(want, page); diff != "" {
		t.Error(diff)
	}
}

func TestContinue(t *testing.T) {
	dir := t.TempDir()
	x := open(t, dir, 0)
	file := search.File{ID: "a", Path: "/a", Stamp: "s1"}
	doc := func(id, text string) []search.Document {
		return []search.Document{{MessageID: id, Text: text, Kind: search.Answer}}
	}
	add(t, x, search.Update{File: file, Through: 10, Documents: doc("m1", "first")})
	if err := x.Index(t.Context(), search.Update{File: file, From: 11, Through: 20}); !errors.Is(err, search.ErrGap) {
		t.Errorf("a gap: %v", err)
	}
	if err := x.Index(t.Context(), search.Update{File: search.File{ID: "b"}, From: 1, Through: 20}); !errors.Is(err, search.ErrGap) {
		t.Errorf("the middle of an unknown one: %v", err)
	}
	if got := find(t, x, search.Query{Text: "first"}); got != "" {
		t.Errorf("found before the commit: %s", got)
	}
	check(t, x.Commit())
	add(t, x, search.Update{File: file, From: 10, Through: 20, Documents: doc("m2", "second first")})
	if s, _ := x.State("a"); s.Through != 20 {
		t.Errorf("state: %+v", s)
	}
	check(t, x.Commit())
	if got := find(t, x, search.Query{Text: "first"}); got != "a/m1 a/m2" {
		t.Errorf("found: %s", got)
	}

	// A new name alone.
	file.Title = "Renamed"
	add(t, x, search.Update{File: file, From: 20, Through: 20})
	check(t, x.Commit())
	if got := find(t, x, search.Query{Text: "renamed"}); got != "a/" {
		t.Errorf("title: %s", got)
	}

	// Another file under the same name.
	file.Stamp = "s2"
	add(t, x, search.Update{File: file, Through: 7, Documents: doc("m9", "third")})
	check(t, x.Commit())
	if got := find(t, x, search.Query{Text: "first"}) + find(t, x, search.Query{Text: "third"}); got != "a/m9" {
		t.Errorf("replaced: %s", got)
	}
	check(t, x.Commit())
	x.Close()

	x = open(t, dir, 0)
	if diff := cmp.Diff([]search.State{{File: file, Through: 7}}, x.States()); diff != "" {
		t.Error(diff)
	}
	if got := find(t, x, search.Query{Text: "third"}); got != "a/m9" {
		t.Errorf("opened again: %s", got)
	}
	check(t, x.Forget("a", "unknown"))
	if got := find(t, x, search.Query{}); got != "" || len(x.States()) != 0 {
		t.Errorf("forgotten: %s", got)
	}
	x.Settle()
	if p := x.Progress(); p.Segments != 0 || p.DiskBytes != 0 {
		t.Errorf("left: %+v", p)
	}
	add(t, x, search.Update{File: file, Through: 7, Documents: doc("m9", "third")})
	check(t, x.Commit())
	x.Close()
	x = open(t, dir, 0)
	if got := find(t, x, search.Query{Text: "third"}); got != "a/m9" {
		t.Errorf("known again: %s", got)
	}
}

// What is forgotten leaves the disk.
func TestForgottenText(t *testing.T) {
	dir := t.TempDir()
	x := open(t, dir, 0)
	for _, id := range []string{"secret", "other"} {
		add(t, x, search.Update{File: search.File{ID: id, Title: "About " + id}, Documents: []search.Document{{Text: "the word is xyzzy" + id, MessageID: id}}})
	}
	check(t, x.Commit())
	holds := func(what string) (n int) {
		check(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(name)
			n += strings.Count(string(b), what)
			return err
		}))
		return n
	}
	if holds("xyzzysecret") == 0 || holds("xyzzyother") == 0 {
		t.Fatal("the words cannot be seen in the files")
	}
	check(t, x.Forget("secret"))
	x.Settle()
	if holds("secret") > 0 || holds("xyzzyother") == 0 {
		t.Errorf("%d of the forgotten, %d of the other", holds("secret"), holds("xyzzyother"))
	}
	if got := find(t, x, search.Query{Text: "xyzzy"}); got != "other/other" {
		t.Errorf("found: %s", got)
	}
}

func TestLimits(t *testing.T) {
	x := open(t, t.TempDir(), 0)
	long := strings.Repeat("word ", search.Limit(search.ToolOutput)/5)
	add(t, x, search.Update{File: search.File{ID: "a"}, Documents: []search.Document{
		{MessageID: "out", Kind: search.ToolOutput, Text: long + " beyond"},
		{MessageID: "ans", Kind: search.Answer, Text: long + " beyond \xff\xfe"},
		{MessageID: "b64", Kind: search.ToolOutput, Text: "image " + strings.Repeat(" ", 600) + strings.Repeat("iVBORw0KGgo+beyond/", 1000)},
	}})
	var many []search.Document
	for i := range 1500 {
		many = append(many, search.Document{MessageID: fmt.Sprint(i), At: int64(i), Text: "common things"})
	}
	add(t, x, search.Update{File: search.File{ID: "b"}, Documents: many})
	check(t, x.Commit())
	if got := find(t, x, search.Query{Text: "beyond"}); got != "a/ans" {
		t.Errorf("beyond the limit: %s", got)
	}
	for _, c := range []struct {
		q    search.Query
		hits int
		want search.Page
	}{
		{search.Query{Text: "common"}, 20, search.Page{Total: 1500, Exact: true, More: true}},
		{search.Query{Text: "common", Limit: 1000}, 100, search.Page{Total: 1500, Exact: true, More: true}},
		{search.Query{Text: "common", Limit: 50, Offset: 5000}, 50, search.Page{Total: 1500, Exact: true}},
		{search.Query{Text: `"things common"`}, 0, search.Page{}},
		{search.Query{Text: `"common things"`, Offset: -5}, 20, search.Page{Total: 100, More: true}},
	} {
		page, err := x.Query(t.Context(), c.q)
		check(t, err)
		if len(page.Hits) != c.hits {
			t.Errorf("%+v: %d hits", c.q, len(page.Hits))
		}
		page.Hits = nil
		if diff := cmp.Diff(c.want, page); diff != "" {
			t.Errorf("%+v: %s", c.q, diff)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Query(ctx, search.Query{Text: "common"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestClosed(t *testing.T) {
	dir := t.TempDir()
	x := open(t, dir, 0)
	sample(t, x)
	add(t, x, search.Update{File: search.File{ID: "late"}, Through: 5, Documents: []search.Document{{Text: "login"}}})
	x.Close()
	x.Close()
	_, err := x.Query(t.Context(), search.Query{})
	for what, err := range map[string]error{
		"query": err, "index": x.Index(t.Context(), search.Update{}), "commit": x.Commit(), "forget": x.Forget("a"),
	} {
		if !errors.Is(err, search.ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// What was not committed is to be added again.
	x = open(t, dir, 0)
	if s, known := x.State("late"); known || len(x.States()) != 3 {
		t.Errorf("%+v of %d", s, len(x.States()))
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != x.Progress().Segments+1 {
		t.Error(left, err)
	}
}
