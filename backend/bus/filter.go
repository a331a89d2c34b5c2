package bus

import (
	"strings"

	"parley/backend/fault"
)

const (
	maxPatterns      = 256
	maxPatternLength = 128
)

// filter decides which events a subscription gets. It is immutable.
type filter struct {
	all      bool
	exact    map[string]bool
	prefixes []string
}

func newFilter(patterns []string) (*filter, error) {
	if len(patterns) > maxPatterns {
		return nil, fault.New(fault.TooLarge, "at most %d event patterns, not %d", maxPatterns, len(patterns))
	}
	f := &filter{exact: map[string]bool{}}
	for _, p := range patterns {
		prefix, isPrefix := strings.CutSuffix(p, "*")
		switch {
		case p == "*":
			f.all = true
		case len(p) > maxPatternLength || strings.ContainsAny(prefix, "* \t\r\n") || prefix == "":
			return nil, malformed(p)
		case isPrefix && !strings.HasSuffix(prefix, "."):
			return nil, malformed(p)
		case isPrefix:
			f.prefixes = append(f.prefixes, prefix)
		default:
			f.exact[p] = true
		}
	}
	return f, nil
}

func malformed(pattern string) error {
	if len(pattern) > maxPatternLength {
		pattern = strings.ToValidUTF8(pattern[:maxPatternLength], "") + "…"
	}
	return fault.New(fault.Invalid, "%q is not an event pattern; use \"*\", \"prefix.*\" or an event's name", pattern)
}

// matches takes the name as the border has it.
func (f *filter) matches(name string) bool {
	if f.all {
		return true
	}
	if len(f.exact) > 0 && f.exact[name] {
		return true
	}
	for _, p := range f.prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
