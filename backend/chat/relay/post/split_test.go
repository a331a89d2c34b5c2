package post

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark/ast"
)

func TestSplit(t *testing.T) {
	para := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for _, tt := range []struct {
		name, text string
		limit      int
		want       []string
	}{
		{"short", "one\n\ntwo\n", 300, []string{"one\n\ntwo"}},
		{"empty", "", 300, []string{""}},
		{"paragraphs", para(30) + "\n\n" + para(20) + "\n\n" + para(30), 300, []string{para(30) + "\n\n" + para(20), para(30)}},
		{"one that is too long", para(100), 300, []string{para(60), para(40)}},
		{"a code block is kept whole", para(20) + "\n\n```go\n" + strings.Repeat("x := 1\n", 30) + "```\n\nend", 300,
			[]string{para(20), "```go\n" + strings.Repeat("x := 1\n", 30) + "```\n\nend"}},
		{"one that is too long is opened again", "```go title\n" + strings.Repeat("x := 123\n", 40) + "```\nend", 300,
			[]string{"```go title\n" + strings.Repeat("x := 123\n", 31) + "```", "```go title\n" + strings.Repeat("x := 123\n", 9) + "```\nend"}},
		{"in a list", "- item\n  ```go\n" + strings.Repeat("  x := 123\n", 30) + "  ```\n- two", 300,
			[]string{"- item\n  ```go\n" + strings.TrimSuffix(strings.Repeat("  x := 123\n", 25), "\n"), "```go\n" + strings.Repeat("x := 123\n", 5) + "```\n- two"}},
		{"a table", "| a | b |\n|---|---|\n" + strings.Repeat("| some | thing |\n", 30), 300,
			[]string{"| a | b |\n|---|---|\n" + strings.TrimSuffix(strings.Repeat("| some | thing |\n", 16), "\n"), "| a | b |\n|---|---|\n" + strings.TrimSuffix(strings.Repeat("| some | thing |\n", 14), "\n")}},
		{"a list", strings.TrimSpace(strings.Repeat("- "+para(10)+"\n", 10)), 300,
			[]string{strings.TrimSpace(strings.Repeat("- "+para(10)+"\n", 5)), strings.TrimSpace(strings.Repeat("- "+para(10)+"\n", 5))}},
		{"a heading stays with what follows", para(50) + "\n\n## Head\n\n" + para(40), 300, []string{para(50), "## Head\n\n" + para(40)}},
		{"a block that is open", para(30) + "\n\n```\n" + para(5), 300, []string{para(30) + "\n\n```\n" + para(5) + "\n```"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, Split(tt.text, tt.limit)); d != "" {
				t.Error(d)
			}
		})
	}
}

// bare returns a text's content, without white space, quote marks and fences.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '>' || r == '`' || r == '~' || r == 0xfeff {
			return -1
		}
		return r
	}, s)
}

// checkSplit checks the invariants.
func checkSplit(t *testing.T, text string, limit int) {
	t.Helper()
	var bodies strings.Builder
	pieces := split(text, limit)
	starts := map[int]bool{}
	for at, g := 0, uniseg.NewGraphemes(text); g.Next(); at += len(g.Str()) {
		starts[at] = true
	}
	for _, p := range pieces {
		part := p.open + p.body + p.close
		if n := utf8.RuneCountInString(part); n > limit {
			t.Errorf("a part has %d characters: %q", n, part)
		}
		if !utf8.ValidString(part) {
			t.Errorf("a part is no text: %q", part)
		}
		bodies.WriteString(p.body)
		if len(pieces) == 1 || limit < 2*least {
			continue
		}
		if last, ok := parse([]byte(part)).LastChild().(*ast.FencedCodeBlock); ok {
			if f := fenceOf([]byte(part), last); f.mark != "" && !f.closed && len(f.mark)+len(f.info) < limit/8 {
				t.Errorf("a part leaves a code block open: %q", part)
			}
		}
	}
	if got, want := bare(bodies.String()), bare(strings.ToValidUTF8(text, "\uFFFD")); got != want {
		t.Errorf("with %d it became\n%q\nof\n%q", limit, got, want)
	}
}

// random generates markdown with blocks of all kinds.
func random(r *rand.Rand, blocks int) string {
	words := func(n int) string {
		var b strings.Builder
		for range 1 + r.IntN(n) {
			b.WriteString([]string{"alpha ", "`beta` ", "**gamma** ", "[delta](http://x.y/z) ", "👩‍👩‍👧‍👦 ", "naïve ", "漢字かな ", "@all ", "e\u0301 ", "\\* "}[r.IntN(10)])
		}
		return strings.TrimSpace(b.String())
	}
	var b strings.Builder
	for range blocks {
		switch r.IntN(9) {
		case 0:
			b.WriteString("## " + words(5) + "\n")
		case 1:
			mark := []string{"```", "~~~~"}[r.IntN(2)]
			b.WriteString(mark + "go\n")
			for range r.IntN(40) {
				b.WriteString(strings.Repeat(" ", r.IntN(6)) + words(6) + "\n")
			}
			if r.IntN(8) > 0 {
				b.WriteString(mark + "\n")
			}
		case 2:
			b.WriteString("| a | b |\n|---|:-:|\n")
			for range r.IntN(20) {
				b.WriteString("| " + words(3) + " | " + words(3) + " |\n")
			}
		case 3:
			for i := range r.IntN(10) {
				b.WriteString(strings.Repeat("  ", r.IntN(3)) + []string{"- ", "1. "}[i%2] + words(15) + "\n")
			}
		case 4:
			b.WriteString("> " + words(20) + "\n> " + words(20) + "\n")
		case 5:
			b.WriteString("- " + words(3) + "\n  ```sh\n  " + words(30) + "\n  " + words(30) + "\n  ```\n")
		case 6:
			b.WriteString("    " + words(10) + "\n    " + words(10) + "\n")
		case 7:
			b.WriteString(words(8) + "\n===\n")
		default:
			b.WriteString(words(80) + "\n")
		}
		if r.IntN(4) > 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestLongSplitOfAnything(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		text := random(r, 1+r.IntN(30))
		for _, limit := range []int{250, 500, 4000} {
			checkSplit(t, text, limit)
		}
		for _, limit := range []int{1, 7} {
			checkSplit(t, text[:firstRunes(text, 60)], limit)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %q", seed, text)
		}
	}
}

// Grapheme clusters are never split.
func TestSplitKeepsGraphemes(t *testing.T) {
	for _, one := range []string{"👩‍👩‍👧‍👦", "e\u0301\u0302", "🇩🇪", "👍🏽", "한"} {
		n := uniseg.GraphemeClusterCount(strings.Repeat(one, 100))
		got := 0
		for _, part := range Split(strings.Repeat(one, 100), 50) {
			got += uniseg.GraphemeClusterCount(part)
		}
		if got != n {
			t.Errorf("%s: %d became %d", one, n, got)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, text := range []string{
		"a\n\n```go\nx\n```\n", "- a\n  ```\n  b\n", "> ```\n> x\n", "| a |\n|-|\n| b |\n", "~~~~x\n```\n~~~~", "```a`b\n", "\t```\n\t\tx\n", "1. ```\n\n\n   x", "a\r\nb", "* * *\n===\n",
	} {
		f.Add(text, 10)
		f.Add(strings.Repeat(text, 40), 300)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if limit < 1 || limit > 20000 || len(text) > min(20000, 50*limit) {
			t.Skip()
		}
		checkSplit(t, text, limit)
	})
}

func BenchmarkSplit(b *testing.B) {
	text := random(rand.New(rand.NewPCG(1, 1)), 400)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Split(text, 16383)
	}
}
