package textsearch_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
	"parley/backend/search/textsearch"
)

// said is a text shown unchanged, answered one shown as Markdown.
func said(text string) *event.Message {
	return &event.Message{ID: "m", Role: "user", Blocks: []event.Block{{ID: "b", Type: "text", Text: text}}}
}

func answered(text string) *event.Message {
	m := said(text)
	m.Role = "assistant"
	return m
}

func TestCount(t *testing.T) {
	tests := map[string]struct {
		text, query  string
		exact, words bool
		want         int
	}{
		"case does not matter":        {"Go, GO and go", "go", false, false, 3},
		"unless it does":              {"Go, GO and go", "GO", true, false, 1},
		"parts of words":              {"concatenate the cat", "cat", false, false, 2},
		"whole words":                 {"concatenate the cat, cat_ and Cat.", "cat", false, true, 2},
		"whole words beside symbols":  {"x=cat;cat", "cat", false, true, 2},
		"places do not overlap":       {"aaaa", "aa", false, false, 2},
		"over lines":                  {"one\ntwo", "one\ntwo", false, false, 1},
		"umlauts":                     {"Grüße, GRÜSSE, grüsse", "GRÜ", false, false, 3},
		"the Kelvin sign":             {"300 K", "300 k", false, false, 1},
		"greek sigmas":                {"ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς", false, false, 1},
		"letters and accents apart":   {"cafe\u0301 and café", "café", false, false, 2},
		"asked for apart":             {"cafe\u0301 and CAFÉ", "cafe\u0301", false, false, 2},
		"the case of those":           {"cafe\u0301 and CAFÉ", "café", true, false, 1},
		"without the accent":          {"cafe\u0301, café and cafe", "cafe", false, false, 1},
		"Korean, apart":               {"\u1112\u1161\u11ab\u1100\u1173\u11af 한글", "한글", false, false, 2},
		"wide letters":                {"ＧＯ ｇｏ go", "go", false, false, 3},
		"narrow kana":                 {"ｶﾞｷﾞ ガギ", "ガギ", false, false, 2},
		"a ligature":                  {"ﬁle and file", "file", false, false, 2},
		"half of a ligature":          {"ﬁle", "f", false, false, 0},
		"patterns are text":           {"a.c abc", "a.c", false, false, 1},
		"emoji":                       {"👍🏽 and 👍", "👍", false, false, 2},
		"broken text":                 {"a\xff\xfeb ab", "ab", false, false, 1},
		"a beginning that goes wrong": {"aab", "ab", false, false, 1},
		"none":                        {"nothing here", "else", false, false, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			q, err := textsearch.Parse(tt.query, tt.exact, tt.words)
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			for _, h := range q.Message(said(tt.text)) {
				got += h.Count
			}
			if got != tt.want {
				t.Errorf("%d places, want %d", got, tt.want)
			}
		})
	}
}

// Markdown is found as rendered; text shown unchanged is found unchanged.
func TestAsRead(t *testing.T) {
	const address = "https://example.org/parley"
	for name, tt := range map[string]struct {
		text, query string
		want        int
	}{
		"half a word bold":        {"**par**ley and par*l*ey", "parley", 2},
		"the marks themselves":    {"**par**ley", "**par", 0},
		"the address of a link":   {"[the page](" + address + ")", "parley", 0},
		"a link's words":          {"[par**ley**](" + address + ")", "parley", 1},
		"an address to be read":   {"see [main](cmd/parley.go)", "cmd/parley.go", 1},
		"an address in the open":  {"see " + address + ".", "example.org/parley", 1},
		"a definition":            {"see [it]\n\n[it]: " + address + "\n", "parley", 0},
		"code in a line":          {"`par**ley**`", "par**ley**", 1},
		"code":                    {"```go\npar := *ley\n\n_x_\n```\n", ":= *ley\n\n_x_", 1},
		"the language of code":    {"```parley\nx\n```", "parley", 0},
		"HTML is text":            {"<Button>\nparley *x*\n</Button>", "<Button> parley x", 1},
		"entities":                {"a &lt; b &amp; c &#x2014; d \\* e", "a < b & c — d * e", 1},
		"a line that goes on":     {"par\nley", "par ley", 1},
		"a line that ends":        {"par  \nley", "par ley", 0},
		"cells":                   {"| a | b |\n|---|---|\n| par | ley |\n", "par ley", 0},
		"a cell":                  {"| a | b |\n|---|---|\n| par**ley** | x |\n", "parley", 1},
		"headings and items":      {"# par*ley*\n\n- par_ley_\n- ~~par~~ley\n\n> 1. **parley**\n", "parley", 3},
		"a footnote":              {"so[^1]\n\n[^1]: says *par*ley\n", "says parley", 1},
		"a picture":               {"![par*ley*](x.png)", "parley", 1},
		"too deep to be read":     {strings.Repeat("> ", 30) + "**par**ley", "**par**ley", 1},
		"too many marks":          {strings.Repeat("*a_", 1000) + "**par**ley", "**par**ley", 1},
		"too long for the page":   {strings.Repeat("x", 200_001) + "\n\n**par**ley", "**par**ley", 1},
		"as long as the page has": {strings.Repeat("ä", 150_000) + "\n\n**par**ley", "parley", 1},
	} {
		t.Run(name, func(t *testing.T) {
			q, err := textsearch.Parse(tt.query, true, false)
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			for _, h := range q.Message(answered(tt.text)) {
				got += h.Count
			}
			if got != tt.want {
				t.Errorf("%d places, want %d", got, tt.want)
			}
		})
	}
	q, err := textsearch.Parse("**par**ley", false, false)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]event.Message{
		"a prompt":    {Role: "user", Blocks: []event.Block{{Type: "text", Text: "**par**ley"}}},
		"thinking":    {Role: "assistant", Blocks: []event.Block{{Type: "thinking", Text: "**par**ley"}}},
		"an output":   {Role: "shell", Shell: &event.Shell{}, Blocks: []event.Block{{Type: "text", Text: "**par**ley"}}},
		"a tool's":    {Role: "assistant", Blocks: []event.Block{{Tool: &event.Tool{Content: []event.ResultContent{{Text: "**par**ley"}}}}}},
		"what is not": {Role: "user", Synthetic: true, Blocks: []event.Block{{Type: "text", Text: "\\*\\*par\\*\\*ley"}}},
	} {
		if hits := q.Message(&m); len(hits) != 1 {
			t.Errorf("%s: %+v", name, hits)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", strings.Repeat("x", textsearch.MaxQuery+1), "\xff"} {
		if _, err := textsearch.Parse(text, false, false); err == nil {
			t.Errorf("%.10q is taken", text)
		}
	}
}

// A hit has its location, and the surrounding text.
func TestMessage(t *testing.T) {
	q, err := textsearch.Parse("needle", false, false)
	if err != nil {
		t.Fatal(err)
	}
	m := &event.Message{ID: "m", Role: "assistant", At: 7, ParentToolUseID: "p", Notice: &event.Notice{Text: "A needle."}, Blocks: []event.Block{
		{ID: "think", Type: "thinking", Text: "Where is the Needle?"},
		{ID: "text", Type: "text", Text: strings.Repeat("hay ", 100) + "needle\n\n\tneedle 𝄞 needle" + strings.Repeat(" hay", 200)},
		{ID: "tool", Type: "tool", Tool: &event.Tool{
			Name: "Grep", Input: json.RawMessage(`{"needle":"x","b":["needle"],"a":{"deep":"a needle"},"n":1}`),
			Content: []event.ResultContent{{Text: "none"}, {Text: "needle.go"}},
		}},
		{ID: "open", Type: "tool", Tool: &event.Tool{Name: "Bash", InputText: `{"command":"needle`}},
	}}
	hay := strings.TrimSpace(strings.Repeat("hay ", 20))
	want := []textsearch.Hit{
		{BlockID: "", Kind: "notice", Count: 1, Snippet: "A needle.", Marks: []textsearch.Mark{{2, 8}}},
		{BlockID: "think", Kind: "thinking", Count: 1, Snippet: "Where is the Needle?", Marks: []textsearch.Mark{{13, 19}}},
		{BlockID: "text", Kind: "answer", Count: 3, Snippet: "…" + hay + " needle needle 𝄞 needle" + strings.Repeat(" hay", 73) + " ha…", Marks: []textsearch.Mark{{81, 87}, {88, 94}, {98, 104}}},
		{BlockID: "tool", Kind: "toolInput", Tool: "Grep", Count: 2, Snippet: "a needle needle x", Marks: []textsearch.Mark{{2, 8}, {9, 15}}},
		{BlockID: "tool", Kind: "toolOutput", Tool: "Grep", Count: 1, Snippet: "needle.go", Marks: []textsearch.Mark{{0, 6}}},
		{BlockID: "open", Kind: "toolInput", Tool: "Bash", Count: 1, Snippet: `{"command":"needle`, Marks: []textsearch.Mark{{12, 18}}},
	}
	for i := range want {
		want[i].MessageID, want[i].ParentToolUseID, want[i].At = "m", "p", 7
	}
	if d := cmp.Diff(want, q.Message(m)); d != "" {
		t.Error(d)
	}
	if hits := q.Message(&event.Message{ID: "u", Role: "user", Blocks: []event.Block{{Type: "text", Text: "needle"}}}); len(hits) != 1 || hits[0].Kind != "prompt" {
		t.Errorf("%+v", hits)
	}
}

// For any text, the marks of a snippet are matches, and the number of places equals
// that of a naive search.
func FuzzMessage(f *testing.F) {
	f.Add("a needle in a haystack", "needle", false)
	f.Add("𝄞𝄞 \x00\x01  𝄞", "𝄞", true)
	f.Add("aAaA\u2028a", "aa", false)
	f.Fuzz(func(t *testing.T, text, query string, exact bool) {
		q, err := textsearch.Parse(query, exact, false)
		if err != nil {
			return
		}
		hits := q.Message(said(text))
		if exact && (len(hits) > 0) != strings.Contains(text, query) {
			t.Fatalf("%d hits", len(hits))
		}
		for _, h := range append(hits, q.Message(answered(text))...) {
			if exact && h.Kind == "prompt" && h.Count != strings.Count(text, query) {
				t.Errorf("%d places, want %d", h.Count, strings.Count(text, query))
			}
			units := utf16.Encode([]rune(h.Snippet))
			for i, m := range h.Marks {
				if m.Start < 0 || m.End <= m.Start || m.End > len(units) || i > 0 && m.Start < h.Marks[i-1].End {
					t.Fatalf("marks %v in %d units", h.Marks, len(units))
				}
			}
			if len(h.Marks) == 0 {
				t.Error("nothing is marked")
			}
		}
	})
}
