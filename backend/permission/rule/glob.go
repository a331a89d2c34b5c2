package rule

import (
	"strings"

	"parley/backend/permission/rule/shell"
)

// fits reports whether a pattern, in which * stands for any text, matches all of
// text.
func fits(pattern, text string) bool {
	// The usual two-pointer walk: return to the last * when the rest doesn't match.
	p, t, star, mark := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0:
			p = star + 1
			mark++
			t = mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// MayBe reports whether a name with [shell.Unknown] in it can stand for text.
func MayBe(text, shape string) bool { return could(text, shape) }

// could reports whether a pattern can match text for some value of its holes.
func could(pattern, shape string) bool {
	hole := strings.IndexRune(shape, shell.Unknown)
	if hole < 0 {
		return fits(pattern, shape)
	}
	begin, _, _ := strings.Cut(pattern, "*")
	if n := min(hole, len(begin)); begin[:n] != shape[:n] {
		return false
	}
	s := []rune(shape)
	// now[j] means that the pattern read up to here can equal s[:j].
	now := make([]bool, len(s)+1)
	next := make([]bool, len(s)+1)
	now[0] = true
	for j, c := range s {
		now[j+1] = now[j] && c == shell.Unknown
	}
	for _, c := range pattern {
		for j := range next {
			next[j] = false
		}
		if c == '*' {
			next[0] = now[0]
			for j := 1; j <= len(s); j++ {
				next[j] = now[j] || next[j-1]
			}
		} else {
			for j := 1; j <= len(s); j++ {
				switch s[j-1] {
				case shell.Unknown: // takes c, or nothing
					next[j] = now[j] || now[j-1] || next[j-1]
				case c:
					next[j] = now[j-1]
				}
			}
		}
		now, next = next, now
	}
	return now[len(s)]
}
