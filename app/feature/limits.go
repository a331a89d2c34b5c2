package feature

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/backend/fault"
)

// List is a list for the border, on which none is an empty one and never null.
func List[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Limits of one request.
const (
	MaxPage     = 500
	defaultPage = 50
	// maxTitle is in characters, MaxID in bytes.
	maxTitle = 200
	MaxID    = 1000
)

// CheckTitle is about a title that a user chose, "" for none: it stands in every
// list, and in every record that goes to the front ends.
func CheckTitle(title string) error {
	if !utf8.ValidString(title) || utf8.RuneCountInString(title) > maxTitle || strings.ContainsFunc(title, unicode.IsControl) {
		return fault.New(fault.Invalid, "A session's title has one line of at most %d characters (parameter title).", maxTitle)
	}
	return nil
}

// PageLimit checks the length of a page of messages; 0 leaves it to Parley.
func PageLimit(n int) (int, error) {
	if n < 0 || n > MaxPage {
		return 0, fault.New(fault.Invalid, "limit must be 0 to %d.", MaxPage)
	}
	return cmp.Or(n, defaultPage), nil
}

// escapes are the sequences by which a terminal is told to do something.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])`)

// Plain is text that was written for a terminal, for everything else.
func Plain(s string) string {
	s = escapes.ReplaceAllString(s, "")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s))
}

// Assign takes a value over if there is one.
func Assign[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}
