package post

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cutOff is below text that people have read and the conversation lacks: Parley ended before
// the CLI had written it.
const cutOff = "⏹️ _Cut off here: Parley quit before this was complete._"

// lost returns drafts for posts of an earlier Parley that this one doesn't know.
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

// atLeast returns a post's new text, without losing what the post already says. Lines about
// tools and status may change; messages only grow.
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

// holds reports whether a text contains everything in another, in the same
// order.
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

// passing reports whether a post's line may change: about a tool, the status, or what the
// turn took.
func passing(line string) bool {
	first, _ := utf8.DecodeRuneInString(line)
	return line == "" || unicode.Is(unicode.So, first) || strings.HasPrefix(line, "_") && strings.HasSuffix(line, "_") || strings.Trim(line, "`~") == ""
}
