package memory

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean takes out of a text what is not seen: control characters, those that turn the
// direction of text, and those that take no room. Ends of lines become "\n", and spaces
// at the end of lines go. It is idempotent.
func Clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.ContainsAny(text, "\r\u2028\u2029\u0085") {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n").Replace(text)
	}
	text = strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	return strings.Join(lines, "\n")
}

// hidden says whether a character is one that nobody sees. The joiners of emoji and of
// scripts that need them are not.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r):
		return true
	case r == 0x061C, r >= 0x200E && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069: // direction
		return true
	case r == 0x200B, r >= 0x2060 && r <= 0x2064, r >= 0x206A && r <= 0x206F, r == 0xFEFF, r == 0x00AD: // no room
		return true
	case r >= 0xE0000 && r <= 0xE0FFF: // tags and selectors, in which text can be hidden
		return true
	}
	return false
}

// frames are the beginnings of tags that mean something to a model, also with the joiners
// in between that Clean leaves.
var frames = regexp.MustCompile(`(?i)<([\s\x{200C}\x{200D}]*/?[\s\x{200C}\x{200D}]*(?:parley|system|antml|function|invoke|earl)\b)`)

// Defuse makes a text that can stand in a frame without closing it, or opening another.
// It cleans it, too.
func Defuse(text string) string {
	return frames.ReplaceAllString(Clean(text), "&lt;$1")
}

// tidy is a text as it is saved: cleaned, without space around it, at most one empty
// line at a time, and without what begins a comment.
func tidy(text string) string {
	text = strings.ReplaceAll(Clean(text), "<!--", "&lt;!--")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	kept := lines[:0]
	for i, line := range lines {
		if line == "" && i > 0 && lines[i-1] == "" {
			continue
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}

// short cuts a text to at most n bytes, between characters.
func short(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
