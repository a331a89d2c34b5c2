package search_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/search"
)

// Stored prefixes find what visiting the terms finds: the same documents in the
// same order, in segments where nearly all documents have a prefix, and where few
// have.
func TestBeginnings(t *testing.T) {
	words := strings.Fields("con cone cones conn contour con4 cat cost co c zone zero жизнь жизни жир ж 全文 全部 文 été ete étés x1 x12 x123")
	updates := func(yield func(search.Update) bool) {
		r := rand.New(rand.NewPCG(3, 3))
		for n := range 12 {
			u := search.Update{File: search.File{ID: fmt.Sprint("t", n), Title: words[r.IntN(len(words))], At: int64(n)}, Through: 1}
			for i := range 37 {
				text := "can " // every document has the prefix c
				for range r.IntN(30) {
					text += words[min(r.IntN(len(words)), r.IntN(len(words)))] + " "
				}
				u.Documents = append(u.Documents, search.Document{
					MessageID: fmt.Sprint("m", i), At: int64(r.IntN(50)), Kind: search.Kind(1 + r.IntN(6)), Text: text,
				})
			}
			if !yield(u) {
				return
			}
		}
	}
	index := func(worth, commits int) *search.Index {
		x := openWith(t, t.TempDir(), search.Config{}.Keeping(worth))
		n := 0
		for u := range updates {
			add(t, x, u)
			if n++; n%commits == 0 {
				check(t, x.Commit())
			}
		}
		check(t, x.Commit())
		x.Settle()
		return x
	}
	without := index(1<<20, 100)
	if n := without.Kept(); n != 0 {
		t.Fatalf("%d beginnings were kept", n)
	}
	for name, x := range map[string]*search.Index{"one segment": index(-1<<20, 100), "merged": index(-1<<20, 1), "several": index(-1<<20, 3)} {
		if n := x.Kept(); n < 10 {
			t.Errorf("%s: %d beginnings were kept", name, n)
		}
		asked := map[string]bool{}
		for _, w := range words {
			runes := []rune(w)
			for n := range runes {
				asked[string(runes[:n+1])] = true
				asked["zero "+string(runes[:n+1])] = true
				asked["co -cost "+string(runes[:n+1])] = true
			}
		}
		asked["q"], asked["zzz"] = true, true
		for text := range asked {
			q := search.Query{Text: text, Limit: 100, Offset: 20}
			got, err := x.Query(t.Context(), q)
			check(t, err)
			want, err := without.Query(t.Context(), q)
			check(t, err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %q: %s", name, text, diff)
			}
		}
	}
}
