package post

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
)

func TestText(t *testing.T) {
	for _, tt := range []struct{ what, got, want string }{
		{"quote", Quote("a\n\nb\n"), "> a\n>\n> b"},
		{"fence", Fence("x\n", "go"), "```go\nx\n```"},
		{"fence of a fence", Fence("```\nx\n````\n", "a`b c"), "`````abc\n```\nx\n````\n`````"},
		{"code", Code("git  status\n| x"), "`git status | x`"},
		{"code of code", Code("`a`"), "`` `a` ``"},
		{"no code", Code(" \n"), ""},
		{"cut", Truncate("one two three", 9), "one two…"},
		{"cut of what fits", Truncate("one", 3), "one"},
		{"cut of a grapheme", Truncate("ab👩‍👩‍👧‍👦cd", 6), "ab…"},
		{"escape", Escape("1. *a* _b_ [c](d) <e> #f @g `h`\n- i a.b"), "1\\. \\*a\\* \\_b\\_ \\[c\\](d) <e\\> \\#f @\u200bg \\`h\\`\n\\- i a.b"},
		// The chat's own parser shows a backslash before all other characters.
		{"escapes only what is Markdown", Escape("$5 & a=b: <x\n=== &lt;"), "$5 & a=b: <x\n\u200b=== &\u200blt;"},
		{"one line", OneLine(" a\t\nb\x00 "), "a b"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.what, tt.got, tt.want)
		}
	}
}

// plainText returns the visible text of markdown that only has paragraphs.
func plainText(t *testing.T, markdown string) string {
	t.Helper()
	src := []byte(markdown)
	var b strings.Builder
	_ = ast.Walk(parse(src), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Document, *ast.Paragraph:
		case *ast.Text:
			b.Write(n.Value(src))
		case *ast.AutoLink:
			b.Write(n.Label(src))
		default:
			t.Errorf("%q has a %s", markdown, n.Kind())
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"a *b* `c` [d](e) ![f](g) <h> &amp; \\x", "# a\n- b\n1. c\n> d\n\te\n    f\n---\n===\n| a |\n|-|", "~~~\nx\n~~~", "[a]: b", "*\n+ a\n1) b", "_a_ __b__ ~~c~~"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 2000 {
			t.Skip()
		}
		drop := func(s string) string {
			return strings.Map(func(r rune) rune {
				if r <= ' ' || r == '\\' || r == 0xa0 || r == 0x200b || r == 0xfffd || r == 0xfeff {
					return -1
				}
				return r
			}, clean(s))
		}
		if got, want := drop(plainText(t, Escape(s))), drop(s); got != want {
			t.Errorf("%q is shown as %q", s, got)
		}
		if c := calls(Escape(s)); len(c) > 0 {
			t.Errorf("%q calls %q", s, c)
		}
		fenced := parse([]byte(Fence(s, s))).FirstChild()
		if fenced == nil || fenced.Kind() != ast.KindFencedCodeBlock || fenced.NextSibling() != nil {
			t.Errorf("the fence of %q does not hold", s)
		}
		if c := calls("x " + Code(s) + " y"); len(c) > 0 {
			t.Errorf("the code of %q calls %q", s, c)
		}
	})
}

// A pathological text is processed quickly.
func TestHeavyTexts(t *testing.T) {
	for _, s := range []string{">", "> ", "[", "![", "*", "- ", "<", "[a](", "&", "[a]: b\n", "1. ", "[a](javascript:x)", "@a ", "a["} {
		text := strings.Repeat(s, 64_000/len(s)) + "\n@all ![x](http://y/z)"
		for _, part := range render(text, 16383) {
			if strings.Contains(part, "@all") || strings.Contains(part, "](http") && strings.Contains(part, "![") {
				t.Errorf("%q is not tame", s)
			}
		}
	}
}
