package ask

import (
	"fmt"
	"strings"

	"parley/backend/chat/relay/post"
)

// Text from outside may contain invisible characters, some of which make a command
// look different. Where a user decides by reading, those are shown by number.

// turns reports whether a character changes the reading direction, or is only meant for
// machines.
func turns(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0xe0000 && r <= 0xe007f
}

// hides reports whether a character is invisible.
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

// exactly shows every character, for commands and similar.
func exactly(s string) string { return show(s, hides) }

// prose shows a text on one line, at most n characters.
func prose(s string, n int) string {
	return post.Escape(post.Truncate(post.OneLine(show(first(s, n), turns)), n))
}

// code shows a word or a path, at most n characters.
func code(s string, n int) string { return post.Code(post.Truncate(exactly(first(s, n)), n)) }

// first avoids work on text that is cut off anyway.
func first(s string, n int) string {
	if most := 16*n + 1000; len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
