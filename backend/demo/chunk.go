package demo

import "unicode/utf8"

// Chunking cuts text into the pieces that become deltas. Joined, the pieces are
// the text again; an empty text gives none.
type Chunking func(string) []string

// Words cuts after every run of white space, so each piece is a word with the
// space after it.
func Words(s string) []string {
	pieces := make([]string, 0, len(s)/6+1)
	start, space := 0, false
	for i, c := range s {
		isSpace := c == ' ' || c == '\n' || c == '\t'
		if space && !isSpace {
			pieces = append(pieces, s[start:i])
			start = i
		}
		space = isSpace
	}
	if start < len(s) {
		pieces = append(pieces, s[start:])
	}
	return pieces
}

// Runes cuts into pieces of n characters; n below 1 counts as 1.
func Runes(n int) Chunking {
	return func(s string) []string {
		pieces := make([]string, 0, len(s)/max(n, 1)+1)
		for len(s) > 0 {
			end := 0
			for range max(n, 1) {
				if end == len(s) {
					break
				}
				_, size := utf8.DecodeRuneInString(s[end:])
				end += size
			}
			pieces = append(pieces, s[:end])
			s = s[end:]
		}
		return pieces
	}
}

// Whole keeps the text in one piece.
func Whole(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
