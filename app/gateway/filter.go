package gateway

import (
	"slices"
	"strings"
	"sync"

	"parley/backend/bus"
)

// eventFilter is a client's subscriptions. It implements method.EventFilter.
type eventFilter struct {
	sub *bus.Subscription

	// first is called when the client subscribes for the first time.
	first func()

	mu       sync.Mutex
	patterns []string
}

// Subscribe adds patterns. On error, nothing has changed.
func (f *eventFilter) Subscribe(patterns []string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := slices.Clone(f.patterns)
	for _, p := range patterns {
		if !slices.Contains(next, p) {
			next = append(next, p)
		}
	}
	all, err := f.set(next)
	if err == nil && f.first != nil {
		f.first()
		f.first = nil
	}
	return all, err
}

// Unsubscribe removes every pattern covered by one of the given ones.
func (f *eventFilter) Unsubscribe(patterns []string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := slices.DeleteFunc(slices.Clone(f.patterns), func(have string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return covers(p, have) })
	})
	return f.set(next)
}

func (f *eventFilter) set(next []string) ([]string, error) {
	if err := f.sub.SetPatterns(next); err != nil {
		return nil, err
	}
	f.patterns = next
	return append([]string{}, next...), nil
}

// subscribed reports whether the client receives any events.
func (f *eventFilter) subscribed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.patterns) > 0
}

func covers(p, have string) bool {
	if p == "*" || p == have {
		return true
	}
	prefix, ok := strings.CutSuffix(p, "*")
	return ok && strings.HasSuffix(prefix, ".") && strings.HasPrefix(have, prefix)
}
