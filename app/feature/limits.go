package feature

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/backend/fault"
)

// List returns a list for the API: empty instead of null.
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

// CheckTitle validates a title chosen by a user, "" for none: it is in every list, and in every
// record sent to the front ends.
func CheckTitle(title string) error {
	if !utf8.ValidString(title) || utf8.RuneCountInString(title) > maxTitle || strings.ContainsFunc(title, unicode.IsControl) {
		return fault.New(fault.Invalid, "The title must be one line of at most %d characters (parameter title).", maxTitle)
	}
	return nil
}

// PageLimit validates the length of a page of messages; 0 means the default.
func PageLimit(n int) (int, error) {
	if n < 0 || n > MaxPage {
		return 0, fault.New(fault.Invalid, "limit must be 0 to %d.", MaxPage)
	}
	return cmp.Or(n, defaultPage), nil
}

// escapes are terminal control sequences.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])`)

// Plain removes terminal control sequences from a text.
func Plain(s string) string {
	s = escapes.ReplaceAllString(s, "")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s))
}

// Assign copies a value if there is one.
func Assign[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}
