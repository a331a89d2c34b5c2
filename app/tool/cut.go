package tool

import (
	"unicode/utf8"
)

// Cut truncates a text to at most n bytes.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n = max(n, 0); n > 0 && !utf8.RuneStart(text[n]); {
		n--
	}
	return text[:n]
}
