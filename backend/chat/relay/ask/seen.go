package ask

import (
	"fmt"
	"strings"

	"parley/backend/chat/relay/post"
)

// Text from outside may hold characters that nobody sees: some make a command read
// differently from what it is. Where a user decides by what they read, those are shown
// by their number.

// turns says whether a character turns the direction of reading, or is read by machines only.
func turns(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0xe0000 && r <= 0xe007f
}

// hides says whether a character is not to be seen.
func hides(r rune) bool {
	switch {
	case r == '\t', r == '\n':
		return false
	case r < 0x20, r >= 0x7f && r <= 0x9f, r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f,
		r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe01ef:
		return true
	}
	return strings.ContainsRune("\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u3164\ufeff\uffa0", r)
}

func plainEnds(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func show(s string, which func(rune) bool) string {
	s = plainEnds(s)
	if !strings.ContainsFunc(s, which) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if which(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// exactly shows every character, for commands and the like.
func exactly(s string) string { return show(s, hides) }

// prose shows on one line what somebody or something said, at most n characters.
func prose(s string, n int) string {
	return post.Escape(post.Cut(post.OneLine(show(first(s, n), turns)), n))
}

// code shows a word or a path, at most n characters.
func code(s string, n int) string { return post.Code(post.Cut(exactly(first(s, n)), n)) }

// first spares the work on what is cut off anyway.
func first(s string, n int) string {
	if most := 16*n + 1000; len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
