package untrusted

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escapes matches terminal escape sequences: they set colors, titles, the cursor.
var escapes = regexp.MustCompile(`(?:\x1b\[|\x{9B})[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b\][^\x00-\x1f]{0,512}(?:\x07|\x1b\\)`)

// Visible removes invisible characters from a text: control characters, escape sequences,
// those that change the direction of text or take no room. Line ends
// become "\n". It is idempotent.
func Visible(s string) string {
	if plain(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.ContainsAny(s, "\x1b\u009b") {
		s = escapes.ReplaceAllString(s, "")
	}
	if strings.ContainsAny(s, "\r\u2028\u2029\u0085") {
		s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n").Replace(s)
	}
	before := ' '
	return strings.Map(func(r rune) rune {
		if Hidden(r) || joins(r) && before < 0x80 {
			return -1
		}
		before = r
		return r
	}, s)
}

// plain reports that there is nothing to remove: true for nearly every text.
func plain(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || Hidden(r) || joins(r) {
			return false
		}
	}
	return true
}

// Spelled replaces invisible characters by their number.
func Spelled(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	before := ' '
	for _, r := range strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n") {
		if Hidden(r) || joins(r) && before < 0x80 {
			fmt.Fprintf(&b, "\\u{%04X}", r)
			r = '}'
		} else {
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// Hidden reports whether a character is invisible, or shows others in
// another order. Line breaks and tabs are not.
func Hidden(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7F, r > 0xA0 && r < 0x0300 && r != 0xAD: // nearly all text, and fast to check
		return false
	case r == '\n', r == '\t', joins(r):
		return false
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs):
		return true
	case r == 0x034F, r == 0x2065, r == 0x2800, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0: // fillers
		return true
	case r == 0x17B4, r == 0x17B5, r >= 0x180B && r <= 0x180F, r >= 0xFFF0 && r <= 0xFFF8: // zero width
		return true
	case r >= 0xE0000 && r <= 0xE0FFF: // tags and selectors, in which text can be hidden
		return true
	}
	return false
}

// joins reports whether an invisible character is needed, by emoji and by some
// scripts; never after an ASCII character.
func joins(r rune) bool {
	return r == 0x200C || r == 0x200D || r >= 0xFE00 && r <= 0xFE0F
}
