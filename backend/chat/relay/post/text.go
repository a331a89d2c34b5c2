package post

import (
	"strings"
	"unicode/utf8"
)

// Quote makes a block quote of markdown.
func Quote(markdown string) string {
	lines := strings.Split(strings.TrimRight(markdown, "\r\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+strings.TrimSuffix(line, "\r"), " ")
	}
	return strings.Join(lines, "\n")
}

// Fence makes a code block of any text. The language may be "".
func Fence(text, language string) string {
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	language = strings.Map(func(r rune) rune {
		if r <= ' ' || r == '`' || r == utf8.RuneError {
			return -1
		}
		return r
	}, language)
	return fence + language + "\n" + strings.TrimSuffix(clean(text), "\n") + "\n" + fence
}

// Code makes a code span of any text, on one line.
func Code(text string) string {
	text = OneLine(text)
	if text == "" {
		return ""
	}
	ticks := strings.Repeat("`", 1+longestRun(text, '`'))
	if text[0] == '`' || text[len(text)-1] == '`' {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

// Escape makes markdown that shows any text as it is, on as many lines as it has. It
// mentions nobody.
func Escape(text string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	text = clean(text)
	start := true // nothing but white space and digits since the line began
	for i, r := range text {
		switch {
		case r == '@' && (i == 0 || text[i-1] >= 0x80 || !word(text[i-1])):
			b.WriteString("@\u200b")
		case start && (r == ' ' || r == '\t') && (i == 0 || text[i-1] <= ' '):
			b.WriteRune('\u00a0') // four spaces would make code
		case strings.ContainsRune("\\`*_{}[]>#!|~", r), start && strings.ContainsRune("+-.)", r):
			// The chat's parser knows no others: a backslash before them would be shown.
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '&' && i+1 < len(text) && (text[i+1] == '#' || word(text[i+1])):
			b.WriteString("&\u200b") // it would be the beginning of an entity
		case start && r == '=':
			b.WriteString("\u200b=") // it would make a heading of the line above
		default:
			b.WriteRune(r)
		}
		start = r == '\n' || start && (r == ' ' || r == '\t' || r >= '0' && r <= '9')
	}
	return b.String()
}

// OneLine puts a text on one line, its white space drawn together.
func OneLine(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// Cut shortens a text to at most n characters, the last of which says so.
func Cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	at := fit(text, max(n-1, 0))
	return strings.TrimRight(text[:at], " \n") + "…"
}

// clean takes out what no text of a post may have: bytes that are no UTF-8, and control
// characters but for the ends of lines and tabs.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "\uFFFD"))
}

func longestRun(text string, of byte) int {
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
