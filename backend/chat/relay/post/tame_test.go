package post

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mattermost/mattermost/server/public/shared/markdown"
	"github.com/yuin/goldmark/ast"
)

func TestTame(t *testing.T) {
	const z = "\u200b"
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "Nothing *special* here.", "Nothing *special* here."},
		{"everybody", "Hey @channel, @all and @here!", "Hey @" + z + "channel, @" + z + "all and @" + z + "here!"},
		{"a person", "(@ada.l) **@bob**", "(@" + z + "ada.l) **@" + z + "bob**"},
		{"mail", "Write to ada@example.org.", "Write to ada@example.org."},
		{"as an entity", "&#64;all &#x40;all &commat;all", "&#64;" + z + "all &#x40;" + z + "all &commat;" + z + "all"},
		{"in code", "Use `@types/node`:\n\n```py\n@app.route\n```\n\n    @all", "Use `@types/node`:\n\n```py\n@app.route\n```\n\n    @all"},
		{"in what only looks like code", "# a `\n`@all` b", "# a `\n`@" + z + "all` b"},
		{"alone", "a @ b, @", "a @ b, @"},
		{"link", "[docs](https://go.dev/doc?x=1 \"t\")", "[docs](https://go.dev/doc?x=1 \"t\")"},
		{"link with a sign", "[x](https://go.dev/@all) https://go.dev/@all <https://go.dev/@all>", "[x](https://go.dev/@all) https://go.dev/@all <https://go.dev/@all>"},
		{"script", "[click](javascript:alert(1))", "click (`javascript:alert(1)`)"},
		{"script in brackets", "<javascript:alert(1)>", "`javascript:alert(1)`"},
		{"data", "[xx](data:text/html,hi) [y](//evil.example/x) [z](vbscript:x)", "xx (`data:text/html,hi`) y (`//evil.example/x`) z (`vbscript:x`)"},
		{"file", "See [foo.go](src/foo.go#L12) and [`bar`](bar.go).", "See `src/foo.go#L12` and `bar.go`."},
		{"another text", "See [the handler](src/foo.go).", "See the handler (`src/foo.go`)."},
		{"place in the text", "See [above](#top).", "See above."},
		{"image from elsewhere", "![a plot](https://evil.example/x.png?q=secret)", "[a plot](https://evil.example/x.png?q=secret)"},
		{"image without a text", "![](https://evil.example/x.png)", "[image](https://evil.example/x.png)"},
		{"image here", "![plot](out/plot.png)", "`out/plot.png`"},
		{"image in a link", "[![badge](https://ci.example/b.svg)](https://ci.example/run)", "[badge](https://ci.example/run)"},
		{"image with data", "![x](data:image/png;base64,AAAA)", "image"},
		{"reference", "[a][1] and ![b][1]\n\n[1]: https://go.dev/x", "[a](<https://go.dev/x>) and [b](<https://go.dev/x>)\n\n[1]: https://go.dev/x"},
		{"reference to a script", "[ab][1]\n\n[1]: javascript:x", "ab (`javascript:x`)\n\n[1]: javascript:x"},
		{"another host", "[https://bank.example/in](https://evil.example/)", "<https://evil.example/>"},
		{"its own host", "[https://go.dev](https://go.dev/doc)", "[https://go.dev](https://go.dev/doc)"},
		{"brackets", "[a [b] `]` \\] c](javascript:x)", "a [b] `]` \\] c (`javascript:x`)"},
		{"HTML", "<b onclick=x>@all</b><img src=x>", "<b onclick=x>@" + z + "all</b><img src=x>"},
		{"no link", "a[0](x) [ ] task", "a0 (`x`) [ ] task"},
		{"control characters", "a\x00b\x1bc\r\nd", "abc\nd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Sanitize(tt.in)
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			if again := Sanitize(got); again != got {
				t.Errorf("again %q", again)
			}
		})
	}
}

// calls finds whom a server would mention: it joins the texts of the post that are
// neither code nor address.
func calls(post string) []string {
	mention := regexp.MustCompile(`\B@[[:alnum:]][[:alnum:]\.\-_:]*`)
	var found []string
	var text strings.Builder
	look := func() {
		found = append(found, mention.FindAllString(text.String(), -1)...)
		for _, w := range strings.Fields(text.String()) {
			if w = strings.Trim(w, "._-:*"); w == "@all" || w == "@channel" || w == "@here" {
				found = append(found, w)
			}
		}
		text.Reset()
	}
	markdown.Inspect(post, func(n any) bool {
		if n, ok := n.(*markdown.Text); ok {
			text.WriteString(n.Text)
			return false
		}
		look()
		return true
	})
	look()
	slices.Sort(found)
	return slices.Compact(found)
}

func TestTheServerWouldCall(t *testing.T) {
	if got := calls("Hey @all, `@ada`, \\@bob"); !slices.Equal(got, []string{"@all", "@bob"}) {
		t.Errorf("got %q", got)
	}
}

func checkTame(t *testing.T, text string) {
	t.Helper()
	got := Sanitize(text)
	if c := calls(got); len(c) > 0 {
		t.Errorf("%q became %q and calls %q", text, got, c)
	}
	if again := Sanitize(got); again != got {
		t.Errorf("%q became %q and then %q", text, got, again)
	}
	_ = ast.Walk(parse([]byte(got)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Image:
			t.Errorf("%q became %q with an image", text, got)
		case *ast.Link:
			if scheme(string(n.Destination)) == "" {
				t.Errorf("%q became %q with a link to %q", text, got, n.Destination)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, part := range render(text, 300) {
		if c := calls(part); len(c) > 0 {
			t.Errorf("%q has a part %q that calls %q", text, part, c)
		}
	}
}

func TestLongNobodyIsCalled(t *testing.T) {
	pieces := []string{"@all ", "@ada", "`", "``", "```\n", "~~~\n", "\n", "\n\n", "    ", "- ", "> ", "# ", "---\n", "| ", "|-|-|\n", "[", "](", ")", "<", ">", "http://x.y/", "&#64;", "\\", "!", "*", "_", "&amp;", "1. ", "\t", "x", "é", "===\n", "[1]: ", "\""}
	seeds := uint64(4000)
	if testing.Short() {
		seeds = 400
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 3))
		var b strings.Builder
		for range 1 + r.IntN(16) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		checkTame(t, b.String())
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzTame(f *testing.F) {
	for _, s := range []string{"@all `@all` [x](@all) ![y](z)", "```\n@all\n```", "<http://@all>", "| `a | @all` |\n|-|-|\n", "[a]: @all\n\n[a]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 5000 {
			t.Skip()
		}
		checkTame(t, text)
	})
}
