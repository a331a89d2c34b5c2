// Package fold makes texts comparable that a user considers equal: whether a letter is
// one character or a letter and its accent (as some systems write file names),
// narrow or wide, upper or lower case. It is pure.
package fold

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Text is the form in which such texts are equal.
func Text(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return cases.Fold().String(norm.NFKC.String(s))
		}
	}
	return strings.ToLower(s)
}

// AppendRune appends the characters by which r is compared, decomposed into a letter and its
// accents; exact keeps the case. So one text can be found in another, position
// by position.
func AppendRune(to []rune, r rune, exact bool) []rune {
	if r < utf8.RuneSelf {
		if !exact && 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return append(to, r)
	}
	if 0xac00 <= r && r <= 0xd7a3 { // Korean syllables are decomposed by arithmetic
		n := r - 0xac00
		to = append(to, 0x1100+n/588, 0x1161+n%588/28)
		if n %= 28; n > 0 {
			to = append(to, 0x11a7+n)
		}
		return to
	}
	var in [utf8.UTFMax]byte
	d := norm.NFKD.Properties(in[:utf8.EncodeRune(in[:], r)]).Decomposition()
	if d == nil {
		return append(to, small(r, exact))
	}
	for len(d) > 0 {
		part, size := utf8.DecodeRune(d)
		to, d = append(to, small(part, exact)), d[size:]
	}
	return to
}

// small is the lowest-numbered of the letters that differ only by case, which is
// equivalent to case folding without a language.
func small(r rune, exact bool) rune {
	if exact {
		return r
	}
	low := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		low = min(low, next)
	}
	if 'A' <= low && low <= 'Z' {
		low += 'a' - 'A'
	}
	return low
}

// Accent reports whether a character belongs to the letter before it.
func Accent(r rune) bool { return r >= utf8.RuneSelf && unicode.Is(unicode.Mn, r) }
