package search_test

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"parley/backend/search"
)

func TestTokens(t *testing.T) {
	blob := strings.Repeat("QUJD+/ab", 300)
	for text, want := range map[string]string{
		"":                             "",
		"  \t\n. -- ":                  "",
		"Fix the Bug, please!":         "fix the bug please",
		"snake_case camelCase 3.14":    "snake case camelcase 3 14",
		"src/main.go:42":               "src main go 42",
		"Café CAFE\u0301 naïve":        "cafe cafe naive",
		"Straße Ärger Øre łódź Œuvre":  "strasse arger ore lodz oeuvre",
		"ΌΔΟΣ όδος":                    "οδοσ οδοσ",
		"ﬁle ＡＢＣ Ⅷ":                    "file abc viii",
		"Привет МИР":                   "привет мир",
		"全文検索":                         "全文 文検 検索 索",
		"日":                            "日",
		"v2版本 ok":                      "v2 版本 本 ok",
		"한국어":                          "한국 국어 어",
		"สวัส":                         "สว วั ัส ส",
		"a\xffb":                       "a b",
		"🙂 ok 🙂":                       "ok",
		strings.Repeat("x", 64):        strings.Repeat("x", 64),
		strings.Repeat("x", 65) + " y": "y",
		strings.Repeat("é", 65) + " y": "y",
		"a " + strings.Repeat(" ", 600) + blob + " z": "a z",
	} {
		if diff := cmp.Diff(want, strings.Join(search.Tokens(text), " ")); diff != "" {
			t.Errorf("%.40q: %s", text, diff)
		}
	}
}

// A character matches whether it is decomposed, narrow, or duplicated in a standard.
func TestFoldedCharacters(t *testing.T) {
	for _, text := range []string{"한국어", "각 하", "ガラス パン", "全文検索", "がぎぐ", "サーバー", "プログラム", "豈更"} {
		want := strings.Join(search.Tokens(norm.NFKC.String(text)), " ")
		for name, form := range map[string]string{"in parts": norm.NFD.String(text), "in all parts": norm.NFKD.String(text), "narrow": width.Narrow.String(text)} {
			if diff := cmp.Diff(want, strings.Join(search.Tokens(form), " ")); diff != "" {
				t.Errorf("%q %s: %s", text, name, diff)
			}
			if diff := cmp.Diff(search.Parsed(norm.NFKC.String(text)), search.Parsed(form)); diff != "" {
				t.Errorf("looked for, %q %s: %s", text, name, diff)
			}
		}
	}
	if got := strings.Join(search.Tokens("\u3099 ㄱ\u11a8"+strings.Repeat("\u1161", 9)), "|"); got == "" {
		t.Error("parts without a whole are lost")
	}
}

func TestParse(t *testing.T) {
	for query, want := range map[string]string{
		"":                        "",
		"   ":                     "",
		"fix":                     "+fix* ",
		"fix ":                    "+fix ",
		"Fix Bug":                 "+fix +bug* ",
		`"fix bug"`:               "+fix_bug ",
		`"fix bug`:                "+fix_bug* ",
		`say "fix bug" now `:      "+say +fix_bug +now ",
		"main.go":                 "+main_go* ",
		"main.":                   "+main ",
		"fix -bug":                "+fix -bug ",
		`fix -"big bug" -x`:       "+fix -big_bug -x ",
		"-only ":                  "-only ",
		"--resume -":              "+resume ",
		"a-b - c ":                "+a_b +c ",
		"全文検索":                    "+全文_文検_検索 ",
		"検":                       "+検* ",
		"の foo ":                  "+の* +foo ",
		"v2版本 ":                   "+v2_版本 ",
		`"版本 v2"`:                 "+版本_本_v2 ",
		"(a OR b) AND * ":         "+a +or +b +and ",
		"... !!":                  "vain ",
		`"" `:                     "vain ",
		"ok ... ":                 "+ok ",
		`x"y z"w `:                "+x +y_z +w ",
		"\xff\xfe a\x00b ":        "+a_b ",
		strings.Repeat("a ", 30):  strings.Repeat("+a ", 24),
		strings.Repeat("x", 5000): "vain ",
	} {
		if diff := cmp.Diff(want, search.Parsed(query)); diff != "" {
			t.Errorf("%.40q: %s", query, diff)
		}
	}
}

// show puts a snippet's highlights in brackets.
func show(t *testing.T, s search.Snippet) string {
	t.Helper()
	units := utf16.Encode([]rune(s.Text))
	out, at := "", 0
	for _, r := range s.Highlights {
		if r.Start < at || r.End <= r.Start || r.End > len(units) {
			t.Fatalf("highlights of %q: %v", s.Text, s.Highlights)
		}
		out += string(utf16.Decode(units[at:r.Start])) + "[" + string(utf16.Decode(units[r.Start:r.End])) + "]"
		at = r.End
	}
	out += string(utf16.Decode(units[at:]))
	if s.Before {
		out = "…" + out
	}
	if s.After {
		out += "…"
	}
	return out
}

func TestSnippet(t *testing.T) {
	filler := strings.Repeat("some other words ", 40)
	for _, c := range []struct{ name, text, query, want string }{
		{"short", "Fix the bug", "bug ", "Fix the [bug]"},
		{"no words", "Fix the bug", "", "Fix the bug"},
		{"unfinished word", "Fix the bugs", "bu", "Fix the [bugs]"},
		{"folded", "Das ÜBERGRÖSSE-Café", "ubergrösse cafe ", "Das [ÜBERGRÖSSE]-[Café]"},
		{"phrase only", "the bug is a big bug", `"big bug"`, "the bug is a [big bug]"},
		{"phrase over lines", "big\n\n\tbug", `"big bug"`, "[big bug]"},
		{"nested beginnings", "big big bug", `"big bug"`, "big [big bug]"},
		{"white space", "  a\n\n\tb \r\n", "b ", "a [b]"},
		{"pairs", "全文検索です", "検索 ", "全文[検索]です"},
		{"one character", "全文検索です", "検", "全文[検]索です"},
		{"run", "全文検索です", "文検索", "全[文検索]です"},
		{"not", "yes no", "yes -no", "[yes] no"},
		{"beyond the basic plane", "🙂🙂 bug 🙂", "bug ", "🙂🙂 [bug] 🙂"},
		{"html", "<b>bug</b>", "bug ", "<b>[bug]</b>"},
		{"command line", "use --resume now", "--resume ", "use --[resume] now"},
	} {
		if diff := cmp.Diff(c.want, show(t, search.Cut(c.text, c.query))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	got := show(t, search.Cut(filler+"needle in "+filler+"needle and thread "+filler, "needle thread "))
	if !strings.Contains(got, "[needle] and [thread]") || !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "…") || len(got) > 260 {
		t.Errorf("the best part: %q", got)
	}
	if got := search.Cut(strings.Repeat("é", 1000), "x "); !utf8.ValidString(got.Text) || len(got.Text) > 210 {
		t.Errorf("cut inside of a character: %q", got.Text)
	}
}

func FuzzQuery(f *testing.F) {
	for _, q := range []string{`a "b c" -d`, `"`, `-"`, "--x", "全文 検*", "\xff\"\x00", "é́́", strings.Repeat("a b ", 99)} {
		f.Add(q, "a b c, d\n全文検索 é "+q)
	}
	f.Fuzz(func(t *testing.T, query, text string) {
		if n := strings.Count(search.Parsed(query), " "); n > 24+1 {
			t.Errorf("%q has %d clauses", query, n)
		}
		for _, token := range search.Tokens(text) {
			if len(token) == 0 || len(token) > 64 || !utf8.ValidString(token) {
				t.Errorf("token %q", token)
			}
		}
		s := search.Cut(text, query)
		show(t, s)
		if !utf8.ValidString(s.Text) && utf8.ValidString(text) {
			t.Errorf("snippet %q", s.Text)
		}
	})
}
