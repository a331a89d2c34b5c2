package untrusted

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escapes are what terminals do not show: they set colours, titles, the cursor.
var escapes = regexp.MustCompile(`(?:\x1b\[|\x{9B})[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b\][^\x00-\x1f]{0,512}(?:\x07|\x1b\\)`)

// Visible is a text without what does not show: control characters, what they make
// terminals do, those that turn the direction of text or take no room. The ends of lines
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

// plain reports that there is nothing to take away: true for nearly every text.
func plain(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || Hidden(r) || joins(r) {
			return false
		}
	}
	return true
}

// Spelled is a text in which what does not show stands as its number.
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

// Hidden says whether a character is one that nobody sees, or that shows others in
// another order. Line breaks and tabs are not.
func Hidden(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7F, r > 0xA0 && r < 0x0300 && r != 0xAD: // nearly all text, and quick to ask
		return false
	case r == '\n', r == '\t', joins(r):
		return false
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs):
		return true
	case r == 0x034F, r == 0x2065, r == 0x2800, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0: // fillers
		return true
	case r == 0x17B4, r == 0x17B5, r >= 0x180B && r <= 0x180F, r >= 0xFFF0 && r <= 0xFFF8: // take no room
		return true
	case r >= 0xE0000 && r <= 0xE0FFF: // tags and selectors, in which text can be hidden
		return true
	}
	return false
}

// joins says whether a character does not show but is needed, by emoji and by some
// scripts; never after a character of ASCII.
func joins(r rune) bool {
	return r == 0x200C || r == 0x200D || r >= 0xFE00 && r <= 0xFE0F
}
