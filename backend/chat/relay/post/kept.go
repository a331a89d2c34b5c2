package post

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cutOff stands below what people have read and the conversation does not hold: Parley ended
// before the CLI had written it down.
const cutOff = "⏹️ _Cut off here: Parley quit before this was complete._"

// lost are drafts for posts that an earlier Parley made and this one knows nothing of.
func (s *slots) lost(drafts []draft) []draft {
	var out []draft
	for _, at := range s.of {
		known := strings.HasPrefix(at.part, "files-") || at.fixed || at.id == "" || at.known && at.was == ""
		for _, d := range drafts {
			known = known || d.part == at.part
		}
		if !known {
			out = append(out, draft{part: at.part})
		}
	}
	return out
}

// atLeast is a post's new text, in which nothing is missing that the post says already. Lines
// about tools and about what goes on change; what was said only grows.
func atLeast(was, text string) string {
	body, _, marked := strings.Cut(was, cutOff)
	switch {
	case holds(text, body):
		return text
	case marked:
		return was
	}
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(body, " \n"), "\n") {
		if !strings.HasPrefix(line, "⏳") {
			out = append(out, line)
		}
	}
	out = append(out, "", cutOff)
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && !strings.Contains(was, line) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// holds says whether a text has all that was said in another, in the same order.
func holds(text, was string) bool {
	rest := strings.Split(text, "\n")
	for line := range strings.SplitSeq(was, "\n") {
		if line = strings.TrimRight(line, " "); passing(line) {
			continue
		}
		i := slices.IndexFunc(rest, func(l string) bool { return strings.HasPrefix(l, line) })
		if i < 0 {
			return false
		}
		rest = rest[i:]
	}
	return true
}

// passing says whether a line of a post is one that changes: about a tool, what goes on, or
// what the turn took.
func passing(line string) bool {
	first, _ := utf8.DecodeRuneInString(line)
	return line == "" || unicode.Is(unicode.So, first) || strings.HasPrefix(line, "_") && strings.HasSuffix(line, "_") || strings.Trim(line, "`~") == ""
}
