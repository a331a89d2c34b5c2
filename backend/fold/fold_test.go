package fold_test

import (
	"testing"

	"golang.org/x/text/unicode/norm"

	"parley/backend/fold"
)

func TestSameText(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"Größe", norm.NFD.String("größe"), true},
		{"café", "cafe\u0301", true},
		{"ＡＢＣ１", "abc1", true},
		{"ｶﾞ", "ガ", true},
		{"한글", norm.NFD.String("한글"), true},
		{"ﬁle", "file", true},
		{"STRASSE", "straße", true},
		{"ΣΟΦΟΣ", "σοφος", true},
		{"Å", "\u212b", true},
		{"café", "cafe", false},
		{"a", "b", false},
		{"", "", true},
		{"a\xff", "A\xff", true},
	} {
		if got := fold.Text(tt.a) == fold.Text(tt.b); got != tt.same {
			t.Errorf("%q and %q: %v", tt.a, tt.b, got)
		}
		if again := fold.Text(fold.Text(tt.a)); again != fold.Text(tt.a) {
			t.Errorf("%q: once %q, twice %q", tt.a, fold.Text(tt.a), again)
		}
	}
}

// FuzzRunes holds that a text and its other forms are taken apart alike.
func FuzzRunes(f *testing.F) {
	for _, s := range []string{"Größe", "한글", "ｶﾞ", "ﬁ", "\u212a", "ſ", "a\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		runes := func(s string) (out []rune) {
			for _, r := range s {
				out = fold.AppendRune(out, r, true)
			}
			return out
		}
		if one := []rune(s); len(one) == 1 && string(runes(s)) != string(runes(norm.NFD.String(s))) {
			t.Errorf("%q: %q and %q", s, string(runes(s)), string(runes(norm.NFD.String(s))))
		}
	})
}
