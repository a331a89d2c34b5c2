package ask

import (
	"fmt"
	"testing"
)

// Invisible characters are shown by number, including the first and last of each range;
// adjacent ones are unchanged.
func TestUnseenCharacters(t *testing.T) {
	for _, tt := range []struct {
		first, last  rune
		hides, turns bool
	}{
		{0, 8, true, false}, {0x0b, 0x1f, true, false}, {0x7f, 0x9f, true, false}, {0xad, 0xad, true, false}, {0x61c, 0x61c, true, false},
		{0x200b, 0x200f, true, false}, {0x2028, 0x2029, true, false}, {0x202a, 0x202e, true, true}, {0x2060, 0x2065, true, false},
		{0x2066, 0x2069, true, true}, {0x206a, 0x206f, true, false}, {0xfeff, 0xfeff, true, false}, {0xfff9, 0xfffb, true, false},
		{0xe0000, 0xe007f, true, true}, {0xe0080, 0xe01ef, true, false},
		{'\t', '\n', false, false}, {' ', '~', false, false}, {0xa1, 0xac, false, false}, {0x200a, 0x200a, false, false}, {0x2010, 0x2027, false, false},
		{0x202f, 0x205f, false, false}, {0x2070, 0x2070, false, false}, {0xfff8, 0xfff8, false, false}, {0xfffc, 0xfffd, false, false},
		{0xdffff, 0xdffff, false, false}, {0xe01f0, 0xe01f0, false, false},
	} {
		for r := tt.first; r <= tt.last; r++ {
			number := fmt.Sprintf("⟨U+%04X⟩", r)
			for what, shown := range map[string]struct {
				got   string
				shows bool
			}{"exactly": {exactly("a" + string(r) + "b"), tt.hides}, "in prose": {show("a"+string(r)+"b", turns), tt.turns}} {
				want := "a" + string(r) + "b"
				if shown.shows {
					want = "a" + number + "b"
				}
				if shown.got != want {
					t.Errorf("U+%04X %s: %q, want %q", r, what, shown.got, want)
				}
			}
		}
	}
}

// A reply's quote isn't part of it, even if there is nothing else.
func TestCutQuote(t *testing.T) {
	for text, want := range map[string][2]string{
		"no":                      {"", "no"},
		"> rm x":                  {"rm x", ""},
		"> `rm` *x*\n>> y":        {"rm x y", ""},
		"> rm x\n\nno, do y":      {"rm x", "no, do y"},
		" > rm x\nno\n> not this": {"rm x", "no\n> not this"},
	} {
		if quote, rest := cutQuote(text); quote != want[0] || rest != want[1] {
			t.Errorf("%q: %q and %q, want %q", text, quote, rest, want)
		}
	}
}
