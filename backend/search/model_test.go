package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/search"
)

// model is the simplest possible index: lists of documents, scanned for every
// query.
type model struct {
	files map[string]search.File
	docs  map[string][]search.Document
	at    map[string]int64 // through
}

var someWords = strings.Fields("a an and apple Ápple apples b band be bee café data date denied error été file files go gopher " +
	"Größe in index is it key log main naïve no of on open or path permission read run жизнь жизни жир 全文検索 文検 検索を 日本 x y z zebra zoo 한국어 42 404 v2版本")

func someText(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(12) {
		b.WriteString(someWords[r.IntN(len(someWords))])
		b.WriteString([]string{" ", " ", " ", ".", "\n", "_"}[r.IntN(6)])
	}
	return b.String()
}

func someQuery(r *rand.Rand) search.Query {
	var parts []string
	for range r.IntN(4) {
		w := someWords[r.IntN(len(someWords))]
		switch r.IntN(8) {
		case 0:
			w = `"` + w + " " + someWords[r.IntN(len(someWords))] + `"`
		case 1:
			w = "-" + w
		case 2:
			w = `-"` + w + " " + someWords[r.IntN(len(someWords))] + `"`
		}
		parts = append(parts, w)
	}
	q := search.Query{Text: strings.Join(parts, " "), Limit: 100}
	if r.IntN(2) == 0 {
		q.Text += " "
	} else if runes := []rune(q.Text); len(runes) > 1 {
		q.Text = string(runes[:len(runes)-r.IntN(2)]) // not typed to its end
		if begun := []rune(someWords[r.IntN(len(someWords))]); r.IntN(2) == 0 {
			q.Text += " " + string(begun[:min(len(begun), 1+r.IntN(3))])
		}
	}
	if r.IntN(4) == 0 {
		q.Kinds = []search.Kind{search.Prompt, search.Title}
	}
	if r.IntN(6) == 0 {
		q.Model = "opus"
	}
	if r.IntN(6) == 0 {
		q.OnlyErrors = true
	}
	if r.IntN(5) == 0 {
		q.Since = int64(r.IntN(2000))
	}
	if r.IntN(5) == 0 {
		q.Until = int64(r.IntN(2000))
	}
	if r.IntN(5) == 0 {
		folder, id := fmt.Sprint("/w/", r.IntN(3)), fmt.Sprint("t", r.IntN(6))
		q.Want = func(f search.File) bool { return f.CWD == folder || f.ID == id }
	}
	return q
}

// find returns the results sorted by name.
func (m *model) find(q search.Query) []string {
	clauses := strings.Fields(search.Parsed(q.Text))
	matches := func(text string) bool {
		tokens := search.Tokens(text)
		for _, c := range clauses {
			if c == "vain" {
				return false
			}
			if hasClause(tokens, strings.Split(c[1:], "_")) != (c[0] == '+') {
				return false
			}
		}
		return true
	}
	in := func(at int64) bool { return (q.Since == 0 || at >= q.Since) && (q.Until == 0 || at < q.Until) }
	var out []string
	for id, f := range m.files {
		if q.Want != nil && !q.Want(f) {
			continue
		}
		for _, d := range m.docs[id] {
			if in(d.At) && matches(d.Text) && (!q.OnlyErrors || d.IsError) &&
				(len(q.Kinds) == 0 || slices.Contains(q.Kinds, d.Kind)) && strings.Contains(d.Model, q.Model) {
				out = append(out, id+"/"+d.MessageID)
			}
		}
		if f.Title != "" && len(clauses) > 0 && in(f.At) && matches(f.Title) && q.Model == "" && !q.OnlyErrors {
			out = append(out, id+"/")
		}
	}
	slices.Sort(out)
	return out
}

func hasClause(tokens, clause []string) bool {
	for i := 0; i+len(clause) <= len(tokens); i++ {
		ok := true
		for j, want := range clause {
			if start, cut := strings.CutSuffix(want, "*"); cut {
				ok = ok && strings.HasPrefix(tokens[i+j], start)
			} else {
				ok = ok && tokens[i+j] == want
			}
		}
		if ok {
			return true
		}
	}
	return false
}

// Whatever happened to an index, it finds what its model finds, in the same
// order as one built at once.
func TestLongModel(t *testing.T) {
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	kept := 0
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { kept += testModel(t, rand.New(rand.NewPCG(seed, 1))) })
	}
	if kept == 0 {
		t.Error("no beginning was kept")
	}
}

func testModel(t *testing.T, r *rand.Rand) int {
	dir, memory := t.TempDir(), 20<<10+r.IntN(100<<10)
	// This mixes segments with and without optional prefixes.
	reopen := func() *search.Index {
		return openWith(t, dir, search.Config{Memory: memory}.Keeping([]int{-1 << 20, 0}[r.IntN(2)]))
	}
	x := reopen()
	kept := 0
	m := &model{files: map[string]search.File{}, docs: map[string][]search.Document{}, at: map[string]int64{}}
	now, found, hits := int64(0), 0, 0
	for range 150 {
		id := fmt.Sprint("t", r.IntN(6))
		switch n := r.IntN(40); {
		case n == 0:
			check(t, x.Forget(id))
			delete(m.files, id)
			delete(m.docs, id)
			delete(m.at, id)
		case n == 1:
			check(t, x.Commit())
			x.Close()
			x = reopen()
		case n < 12:
			check(t, x.Commit())
		case n < 15:
			check(t, x.Commit())
			kept = max(kept, x.Kept())
			for range 10 {
				q := someQuery(r)
				compare(t, x, m, q, &found, &hits)
			}
		default:
			from := m.at[id]
			if n == 15 {
				from = 0
			}
			u := search.Update{From: from, Through: from + int64(r.IntN(100)), File: search.File{ID: id, CWD: fmt.Sprint("/w/", r.IntN(3)), At: now}}
			if r.IntN(3) > 0 {
				u.File.Title = someText(r)
			}
			for range r.IntN(20) {
				now++
				u.Documents = append(u.Documents, search.Document{
					MessageID: fmt.Sprint("m", now), At: now, Offset: now, Kind: search.Kind(1 + r.IntN(6)), IsError: r.IntN(5) == 0,
					Model: []string{"", "opus", "sonnet"}[r.IntN(3)], Text: someText(r),
				})
			}
			add(t, x, u)
			if u.From == 0 {
				m.docs[id] = nil
			}
			m.files[id], m.at[id] = u.File, u.Through
			m.docs[id] = append(m.docs[id], u.Documents...)
		}
	}
	check(t, x.Commit())
	x.Settle()
	fresh := open(t, t.TempDir(), 0)
	for id, f := range m.files {
		add(t, fresh, search.Update{File: f, Documents: m.docs[id], Through: m.at[id]})
	}
	check(t, fresh.Commit())
	if diff := cmp.Diff(fresh.States(), x.States()); diff != "" {
		t.Error(diff)
	}
	for range 200 {
		q := someQuery(r)
		compare(t, x, m, q, &found, &hits)
		mine, err := x.Query(t.Context(), q)
		check(t, err)
		other, err := fresh.Query(t.Context(), q)
		check(t, err)
		if diff := cmp.Diff(other, mine); diff != "" {
			t.Fatalf("%+v: %s", q, diff)
		}
	}
	if found < 50 || hits < 500 || fresh.Kept() > 0 {
		t.Errorf("%d queries with %d hits: they say little", found, hits)
	}
	return kept
}

func compare(t *testing.T, x *search.Index, m *model, q search.Query, found, hits *int) {
	t.Helper()
	page, err := x.Query(t.Context(), q)
	check(t, err)
	got := make([]string, 0, len(page.Hits))
	for _, h := range page.Hits {
		got = append(got, h.Transcript.ID+"/"+h.MessageID)
	}
	want := m.find(q)
	if len(want) > 0 {
		*found++
	}
	*hits += len(want)
	if page.Exact && page.Total != len(want) {
		t.Fatalf("%+v: %d in total, not %d", q, page.Total, len(want))
	}
	if page.More {
		for _, g := range got {
			if !slices.Contains(want, g) {
				t.Fatalf("%+v: %s was found", q, g)
			}
		}
		return
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got, cmp.Transformer("nil", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
		t.Fatalf("%+v (%s): %s", q, search.Parsed(q.Text), diff)
	}
}
