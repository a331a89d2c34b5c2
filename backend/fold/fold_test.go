package fold_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

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

var update = flag.Bool("update", false, "write what is the same anew")

// The page has its own text comparison. The file same.jsonl contains pairs of texts, and whether
// they are equal by Go's Unicode tables; the page is tested against it, too.
func TestSameOnThePage(t *testing.T) {
	texts := []string{
		"Größe", "straße", "STRASSE", "café", "cafe", "naïve", "Đặng Thị", "Ångström", "ΣΟΦΟΣ", "σοφός", "Привет", "Ёлка", "Елка", "한글", "각하", "한국어",
		"ガラス", "カラス", "がぎぐ", "日本語", "豈更", "ＡＢＣ１", "abc1", "ﬁle", "ﬀ", "№ 5", "①", "㎏", "x²", "½", "ŉ", "ǅ", "ſ", "K", "ſt", "e\u0301\u0323", "e\u0323\u0301",
		"שָׁלוֹם", "مرحبا", "ﷺ", "नमस्ते", "สวัสดี", "🙂", "a\u00a0b", "a b", "", "İ", "ı", "i",
	}
	forms := []func(string) string{norm.NFC.String, norm.NFD.String, norm.NFKC.String, norm.NFKD.String, strings.ToUpper, strings.ToLower, width.Narrow.String, width.Widen.String}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	write := func(a, b string) {
		if err := encoder.Encode([]any{a, b, fold.Text(a) == fold.Text(b)}); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range texts {
		for _, form := range forms {
			if other := form(text); other != text {
				write(text, other)
			}
		}
		for _, other := range texts[:i] {
			if fold.Text(text) == fold.Text(other) || i%7 == 0 {
				write(text, other)
			}
		}
	}
	name := filepath.Join("testdata", "same.jsonl")
	if *update {
		if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(kept, out.Bytes()) {
		t.Errorf("%s is not what the tables say (run with -update, and read the difference): %v", name, err)
	}
}

// FuzzRunes checks that a text and its other forms are decomposed alike.
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
