package memory

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	at := func(clock string) time.Time {
		got, err := time.Parse(day+" 15:04", "2026-11-21 "+clock)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	content := strings.Join([]string{
		"# Memories for 2026-11-21",
		"",
		"- **09:15 UTC** | `@ericboehs` | Likes short answers | with pipes",
		"- **10:00 UTC** | @bob | No backticks",
		"- **14:03 UTC** | `@anna` | Deploys on Fridays. <!-- parley by=session&id=abcdefghijkl&in=parley-1a2b3c4d&session=s%2D1 -->",
		"  Never on Mondays.",
		"",
		"  And a second paragraph.",
		"- a line by hand",
		"raw text that went on",
		"",
		"a paragraph",
		"- **14:04 UTC** | `@anna` | Copied. <!-- parley by=session&id=abcdefghijkl -->",
		"- **99:99 UTC** | `@anna` | No such time.",
		"## later",
		"* **15:00 UTC** | `@anna` |\r",
		"\u202e",
		"- **16:00 UTC** | `@anna` | Broken comment <!-- parley id=%zz -->",
		"- end",
	}, "\n")
	got := parse(Place{Kind: Daily, Day: "2026-11-21"}, content, time.Unix(1, 0))
	type row struct {
		Line        int
		Clock       bool
		At          time.Time
		About, Text string
		Origin      Origin
	}
	var rows []row
	seen := map[string]bool{}
	for _, e := range got {
		rows = append(rows, row{e.Line, e.Clock, e.At, e.About, e.Text, e.Origin})
		if seen[e.ID] {
			t.Errorf("the id %s is there twice", e.ID)
		}
		seen[e.ID] = true
		if raw := content[e.start:e.end]; raw != e.raw {
			t.Errorf("%q stands where %q should", raw, e.raw)
		}
	}
	want := []row{
		{3, true, at("09:15"), "ericboehs", "Likes short answers | with pipes", Origin{}},
		{4, true, at("10:00"), "bob", "No backticks", Origin{}},
		{5, true, at("14:03"), "anna", "Deploys on Fridays.\nNever on Mondays.\n\nAnd a second paragraph.",
			Origin{By: "session", Session: "s-1", Workspace: "parley-1a2b3c4d"}},
		{9, false, at("00:00"), "", "a line by hand\nraw text that went on", Origin{}},
		{12, false, at("00:00"), "", "a paragraph", Origin{}},
		{13, true, at("14:04"), "anna", "Copied.", Origin{By: "session"}},
		{14, false, at("00:00"), "anna", "No such time.", Origin{}},
		{18, true, at("16:00"), "anna", "Broken comment", Origin{}},
		{19, false, at("00:00"), "", "end", Origin{}},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	if got[2].ID != "abcdefghijkl" || !seen["abcdefghijkl"] {
		t.Errorf("the first of two keeps the id, not %q", got[2].ID)
	}
	again := parse(Place{Kind: Daily, Day: "2026-11-21"}, content, time.Unix(1, 0))
	if diff := cmp.Diff(got, again, cmp.AllowUnexported(Entry{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("ids are not stable: %s", diff)
	}
}

func TestParseNotes(t *testing.T) {
	got := parse(Place{Kind: User}, "# Anna\n\nLikes tea.\nAnd coffee.\n\n- one\n- two\n", testTime)
	if diff := cmp.Diff([]string{"Anna", "Likes tea.\nAnd coffee.", "one", "two"}, texts(got)); diff != "" {
		t.Error(diff)
	}
	if got[0].Clock || !got[0].At.Equal(testTime) {
		t.Errorf("its time is the file's, not %v", got[0].At)
	}
}

func TestClean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "a b", "a b"},
		{"ends of lines", "a\r\nb\rc\u2028d ", "a\nb\nc\nd"},
		{"control", "a\x00b\x1b[31mc\x7f", "abc"},
		{"direction", "a\u202eb\u2066c\u200fd\u061ce", "abcde"},
		{"no room", "a\u200bb\ufeffc\u2060d\u00ade", "abcde"},
		{"tags", "a\U000E0041\U000E007Fb", "ab"},
		{"emoji keep their joiners", "👩\u200d💻", "👩\u200d💻"},
		{"not UTF-8", "a\xffb", "a\uFFFDb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Clean(tt.in); got != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// Every saved text is read back unchanged, alone, and disturbs no other entry.
func FuzzSave(f *testing.F) {
	for _, seed := range []string{
		"x", "a\nb", "a\n\nb", "- **10:00 UTC** | `@x` | y", "# heading\n# another", "<!-- parley by=person&id=abcdefghijkl -->",
		"x <!-- parley id=abcdefghijkl -->", "a\n\n\n\nb\n  indented\n\ttab", "- \n- ", "`@a` | b", "\u202e\u200b", "a -->\nb",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = tidy(text)
		if text == "" {
			return
		}
		if again := tidy(text); again != text {
			t.Fatalf("%q is not tidy: %q", text, again)
		}
		before := block(testTime, "anna", "before", "aaaaaaaaaaaa", Origin{By: "person"})
		after := block(testTime, "anna", "after", "cccccccccccc", Origin{By: "person"})
		origin := Origin{By: "session", Session: "s -->", Heartbeat: "nightly & co"}
		got := parse(Place{Kind: Daily, Day: "2026-11-21"}, before+block(testTime, "bob", text, "bbbbbbbbbbbb", origin)+after, testTime)
		if len(got) != 3 || got[1].Text != text || got[1].ID != "bbbbbbbbbbbb" || got[1].Origin != origin || got[1].About != "bob" || got[2].Text != "after" {
			t.Errorf("%q became %q", text, texts(got))
		}
	})
}

// Other programs write the files: any content must be readable.
func FuzzParse(f *testing.F) {
	f.Add("# x\n\n- **10:00 UTC** | `@x` | y\n")
	f.Add("a\n\n  b\n\n\n\tc\n- \n#\n")
	f.Fuzz(func(t *testing.T, content string) {
		for _, kind := range []Kind{Daily, User} {
			end := 0
			seen := map[string]bool{}
			for _, e := range parse(Place{Kind: kind, Day: "2026-11-21"}, content, testTime) {
				if e.start < end || e.end <= e.start || content[e.start:e.end] != e.raw || e.Text == "" || seen[e.ID] {
					t.Fatalf("entry %+v after %d", e, end)
				}
				end = e.end
				seen[e.ID] = true
			}
		}
	})
}
