package app

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
)

// Text that one session's model wrote comes to another's in a frame that says where it is
// from and that it is no order of the person's. Nothing within can end the frame.

// origin is whose text is handed on.
type origin struct {
	SessionID string
	Title     string
	At        time.Time
	// More are further facts, as key="value" pairs.
	More [][2]string
}

// framed puts a text into a frame of a name made of letters and "-". note says after it
// what it is.
func framed(name string, o origin, text, note string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<%s session=%s title=%s", name, attribute(o.SessionID), attribute(o.Title))
	if !o.At.IsZero() {
		fmt.Fprintf(&b, " at=%s", attribute(o.At.UTC().Format(time.RFC3339)))
	}
	for _, pair := range o.More {
		fmt.Fprintf(&b, " %s=%s", pair[0], attribute(pair[1]))
	}
	fmt.Fprintf(&b, ">\n%s\n</%s>\n%s", unframed(name, shownText(text)), name, note)
	return b.String()
}

// attribute is a value that stands in quotes.
func attribute(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '"', r == '<', r == '>', r == '\n', r == '\t':
			return ' '
		}
		return r
	}, shownText(s))
	return `"` + cutText(s, 300) + `"`
}

// unframed makes what looks like an end or a beginning of the frame within a text
// harmless, and what looks like the CLI's own words to a model.
func unframed(name, text string) string {
	return regexp.MustCompile(`(?i)<([\s/\x{200C}\x{200D}]*(?:`+regexp.QuoteMeta(name)+`|system-|antml))`).ReplaceAllString(text, `<\$1`)
}

// shownText is a text without what does not show: control characters but line breaks
// and tabs, and those that only say how to show others. Emoji need one of these.
func shownText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\u200C', r == '\u200D':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
