package transcript

import (
	"strings"
	"testing"
)

func TestTitle(t *testing.T) {
	for prompt, want := range map[string]string{
		"":                           "",
		"  Fix\tthe\n bug ":          "Fix the bug",
		"[Image #1] What is this?":   "What is this?",
		"[Pasted text #2 +40 lines]": "",
		"<ide_opened_file>x</ide_opened_file>\nFix it":        "Fix it",
		"<goal>Build a parser</goal>":                         "<goal>Build a parser</goal>",
		"<ide_opened_file>x</ide_opened_file>":                "<ide_opened_file>x</ide_opened_file>",
		"pay \u202eexe.tnuocca\u202c now\u200b":               "pay exe.tnuocca now",
		"\x1b[31mred\x1b[0m alert":                            "red alert",
		"\u05e9\u05dc\u05d5\u05dd \U0001F468\u200d\U0001F469": "\u05e9\u05dc\u05d5\u05dd \U0001F468\u200d\U0001F469",
		strings.Repeat("e", 121):                              strings.Repeat("e", 119) + "…",
	} {
		if got := Title(prompt); got != want {
			t.Errorf("%q: %q, want %q", prompt, got, want)
		}
	}
}
