package truncate_test

import (
	"testing"

	"parley/backend/truncate"
)

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		text                 string
		n                    int
		runes, bytes, prefix string
	}{
		{"", 0, "", "", ""},
		{"abc", 3, "abc", "abc", "abc"},
		{"abcd", 3, "ab…", "…", "abc"},
		{"abcdef", 5, "abcd…", "ab…", "abcde"},
		{"äöü", 3, "äöü", "…", "ä"},
		{"äöüß", 3, "äö…", "…", "ä"},
		{"äöüß", 7, "äöüß", "äö…", "äöü"},
		{"ab cd", 4, "ab…", "a…", "ab c"}, // no blank before the ellipsis
		{"a😀b", 3, "a😀b", "…", "a"},
		{"a😀bc", 3, "a😀…", "…", "a"},
		{"abc", 1, "…", "…", "a"},
		{"abc", 0, "…", "…", ""},
		{"abc", -1, "…", "…", ""},
	} {
		if got := truncate.Runes(c.text, c.n); got != c.runes {
			t.Errorf("Runes(%q, %d) = %q, want %q", c.text, c.n, got, c.runes)
		}
		if got := truncate.Bytes(c.text, c.n); got != c.bytes {
			t.Errorf("Bytes(%q, %d) = %q, want %q", c.text, c.n, got, c.bytes)
		}
		if got := truncate.Prefix(c.text, c.n); got != c.prefix {
			t.Errorf("Prefix(%q, %d) = %q, want %q", c.text, c.n, got, c.prefix)
		}
	}
}
