package memory

import (
	"strings"
	"unicode"

	"parley/backend/untrusted"
)

// Clean removes invisible characters and trailing spaces from a text. It is idempotent.
func Clean(text string) string {
	text = untrusted.Visible(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	return strings.Join(lines, "\n")
}

// tidy returns a text as it is saved: cleaned, trimmed, without consecutive empty
// lines, and without comment starts.
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
