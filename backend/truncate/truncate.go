// Package truncate cuts long texts, never within a character: pure.
package truncate

import (
	"strings"
	"unicode/utf8"
)

const ellipsis = "…"

// Runes cuts a text to at most n characters, the last one an ellipsis if something is
// left out.
func Runes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	count, last := 0, 0 // last is where the last visible character starts
	for i := range text {
		if count++; count == n {
			last = i
		}
		if count > n {
			return strings.TrimRight(text[:last], " \n\t") + ellipsis
		}
	}
	return text
}

// Bytes cuts a text to at most n bytes, with an ellipsis at its end if something is left
// out.
func Bytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return Prefix(text, n-len(ellipsis)) + ellipsis
}

// Prefix is the start of a text, of at most n bytes.
func Prefix(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:max(n, 0)]
}
