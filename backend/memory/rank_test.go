package memory

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func found(f Found) []string {
	var list []string
	for _, h := range f.Hits {
		list = append(list, h.Text)
	}
	return list
}

func TestSearch(t *testing.T) {
	s, c := open(t)
	for i, n := range []New{
		{Text: "Deploys run on Fridays."},
		{Text: "Anna likes tea."},
		{Text: "Bob likes coffee.", About: "Bob"},
		{Text: "The café in Köln opens at nine."},
		{Text: "The deploy script is deploy.sh.", Workspace: "/w/a"},
		{Text: "Anna likes tea."},
		{Text: "全文検索 is what the index does.", Workspace: "/w/b"},
		{Text: "Nothing about that here, but a long text about likes and dislikes of other people, and of teams."},
	} {
		c.now = testTime.Add(time.Duration(i) * 24 * time.Hour)
		save(t, s, n)
	}
	put(t, s, "USER.md", "# Anna\n\nPrefers tea in the morning.\n")
	a := Slug("/w/a")
	tests := []struct {
		name  string
		q     Query
		want  []string
		loose bool
	}{
		{"all words", Query{Words: "likes coffee"}, []string{"Bob likes coffee."}, false},
		{"newer first among equals", Query{Words: "anna likes tea"}, []string{"Anna likes tea.", "Anna likes tea."}, false},
		{"case and accents", Query{Words: "CAFE koln"}, []string{"The café in Köln opens at nine."}, false},
		{"accents asked for", Query{Words: "CAFÉ"}, []string{"The café in Köln opens at nine."}, false},
		{"unfinished", Query{Words: "frid"}, []string{"Deploys run on Fridays."}, false},
		{"without spaces", Query{Words: "検索"}, []string{"全文検索 is what the index does."}, false},
		{"a workspace", Query{Words: "deploy", In: []string{a}}, []string{"The deploy script is deploy.sh."}, false},
		{"none and a workspace", Query{Words: "deploy", In: []string{"", a}}, []string{"The deploy script is deploy.sh.", "Deploys run on Fridays."}, false},
		{"a person", Query{Words: "likes", About: "@BOB"}, []string{"Bob likes coffee."}, false},
		{"some of the words", Query{Words: "who likes coffee"}, []string{"Bob likes coffee."}, true},
		{"files, too", Query{Words: "morning"}, []string{"Prefers tea in the morning."}, false},
		{"nothing", Query{Words: "xyzzy"}, nil, true},
		{"too few of the words", Query{Words: "tea zebra giraffe lion"}, nil, true},
		{"no words", Query{Limit: 2, Offset: 1, In: []string{""}}, []string{
			"Nothing about that here, but a long text about likes and dislikes of other people, and of teams.", "Anna likes tea.",
		}, false},
	}
	snap := look(t, s)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.q.Limit = max(tt.q.Limit, 2)
			if tt.name == "no words" {
				// The user's file is as new as this test.
				tt.q.Offset = slices.IndexFunc(snap.Entries, func(e Entry) bool { return strings.HasPrefix(e.Text, "Nothing") })
				tt.q.In = nil
				tt.want[1] = snap.Entries[tt.q.Offset+1].Text
			}
			got := snap.Search(tt.q, c.now)
			if diff := cmp.Diff(tt.want, found(got)); diff != "" || got.All == tt.loose {
				t.Errorf("all %v: %s", got.All, diff)
			}
		})
	}
	twice := snap.Search(Query{Words: "anna likes tea", Limit: 2}, c.now)
	if !twice.Hits[0].At.After(twice.Hits[1].At) {
		t.Error("the older one is first")
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("before ", 60) + "Größe of the näedle here" + strings.Repeat(" after", 100)
	tests := []struct {
		name, text string
		terms      []string
		want       []Segment
	}{
		{"plain", "Likes tea.", []string{"tea"}, []Segment{{"Likes ", false}, {"tea", true}, {".", false}}},
		{"folded", "Größe", []string{"gross"}, []Segment{{"Größ", true}, {"e", false}}},
		{"ligature", "a ﬁne day", []string{"fi"}, []Segment{{"a ", false}, {"ﬁ", true}, {"ne day", false}}},
		{"no terms", "x", nil, []Segment{{"x", false}}},
		{"empty", "", []string{"x"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, excerpt(tt.text, tt.terms)); diff != "" {
				t.Error(diff)
			}
		})
	}
	var b strings.Builder
	hits := 0
	for _, p := range excerpt(long, []string{"naedle"}) {
		b.WriteString(p.Text)
		if p.Match {
			hits++
		}
	}
	if got := []rune(b.String()); len(got) > excerptLong+2 || got[0] != '…' || got[len(got)-1] != '…' || hits != 1 || !strings.Contains(string(got), "näedle") {
		t.Errorf("excerpt %q with %d hits", string(got), hits)
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("Größe der İstanbul ﬁ", "gross i̇ fi")
	f.Fuzz(func(t *testing.T, text, words string) {
		s := &Snapshot{Entries: []Entry{{Text: text, folded: fold(text)}}}
		got := s.Search(Query{Words: words, Limit: 5}, testTime)
		for _, h := range got.Hits {
			var b strings.Builder
			for _, p := range h.Excerpt {
				b.WriteString(p.Text)
			}
			if len([]rune(text)) <= excerptLong && b.String() != string([]rune(text)) {
				t.Errorf("%q became %q", text, b.String())
			}
		}
	})
}

// BenchmarkSearch searches 10,000 memories, from reading changes on disk to the
// excerpts. p95 is the 95th percentile.
func BenchmarkSearch(b *testing.B) {
	s, c := open(b)
	r := rand.New(rand.NewPCG(7, 7))
	zipf := rand.NewZipf(r, 1.1, 4, 20_000)
	word := func() string { return fmt.Sprintf("w%x", zipf.Uint64()*2654435761%999_983) }
	bytes := 0
	for d := range 200 {
		at := testTime.AddDate(0, 0, -d)
		var text strings.Builder
		for n := range 50 {
			var line []string
			for range 12 + r.IntN(20) {
				line = append(line, word())
			}
			text.WriteString(block(at.Add(time.Duration(n)*time.Minute), "anna", strings.Join(line, " "), newID(), Origin{By: "session"}))
		}
		bytes += text.Len()
		if err := os.WriteFile(filepath.Join(s.Dir(), at.Format(day)+".md"), []byte(text.String()), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	if n := len(look(b, s).Entries); n != 10_000 {
		b.Fatalf("%d memories", n)
	}
	var took []time.Duration
	for b.Loop() {
		words := []string{word(), word() + " " + word(), word() + " " + word() + " " + word(), "w1"}[len(took)%4]
		begin := time.Now()
		snap, err := s.Look()
		if err != nil {
			b.Fatal(err)
		}
		snap.Search(Query{Words: words, Limit: 20}, c.now)
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(bytes)/(1<<20), "MB")
}
