package post

import (
	"strings"
	"unicode/utf8"
)

// Quote returns markdown as a block quote.
func Quote(markdown string) string {
	lines := strings.Split(strings.TrimRight(markdown, "\r\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+strings.TrimSuffix(line, "\r"), " ")
	}
	return strings.Join(lines, "\n")
}

// Fence returns any text as a code block. The language may be "".
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

// Code returns any text as a code span on one line.
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

// Escape returns markdown that shows any text literally, on as many lines as it has.
// It mentions nobody.
func Escape(text string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	text = clean(text)
	start := true // only white space and digits since the start of the line
	for i, r := range text {
		switch {
		case r == '@' && (i == 0 || text[i-1] >= 0x80 || !word(text[i-1])):
			b.WriteString("@\u200b")
		case start && (r == ' ' || r == '\t') && (i == 0 || text[i-1] <= ' '):
			b.WriteRune('\u00a0') // four spaces would start code
		case strings.ContainsRune("\\`*_{}[]>#!|~", r), start && strings.ContainsRune("+-.)", r):
			// The chat's parser knows no others and would show the backslash.
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '&' && i+1 < len(text) && (text[i+1] == '#' || word(text[i+1])):
			b.WriteString("&\u200b") // it would start an entity
		case start && r == '=':
			b.WriteString("\u200b=") // it would turn the line above into a heading
		default:
			b.WriteRune(r)
		}
		start = r == '\n' || start && (r == ' ' || r == '\t' || r >= '0' && r <= '9')
	}
	return b.String()
}

// OneLine puts a text on one line with collapsed white space.
func OneLine(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// Truncate shortens a text to at most n characters, ending with an ellipsis.
func Truncate(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	at := fit(text, max(n-1, 0))
	return strings.TrimRight(text[:at], " \n") + "…"
}

// clean removes what no post's text may contain: invalid UTF-8, and control characters
// except line ends and tabs.
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
