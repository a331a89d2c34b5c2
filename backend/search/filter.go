package search

import (
	"slices"
	"strings"
	"sync/atomic"
)

// filter is the part of a query that doesn't depend on words.
type filter struct {
	q     *Query
	list  []*transcript
	asked []atomic.Int32 // cached results of Want
	model string
	kinds [kinds]bool

	// Per segment: the matching sources and models, and whether all of it matches.
	sources []bool
	models  []bool
	all     bool
}

const (
	notAsked = iota
	isWanted
	notWanted
)

func newFilter(q *Query, list []*transcript) filter {
	f := filter{q: q, list: list, model: strings.ToLower(q.Model)}
	if q.Want != nil {
		f.asked = make([]atomic.Int32, len(list))
	}
	for k := range kinds {
		f.kinds[k] = len(q.Kinds) == 0 || slices.Contains(q.Kinds, k)
	}
	return f
}

// file reports whether a transcript matches.
func (f *filter) file(n int32) bool {
	if f.q.Want == nil {
		return true
	}
	said := f.asked[n].Load()
	if said == notAsked {
		said = notWanted
		if f.q.Want(f.list[n].File) {
			said = isWanted
		}
		f.asked[n].Store(said)
	}
	return said == isWanted
}

// begin checks a segment's sources and models, and reports whether anything in
// it may match.
func (f *filter) begin(p *part) bool {
	f.sources, f.models = grown(f.sources, len(p.numbers)), f.models[:0]
	some := false
	q := f.q
	f.all = len(q.Kinds) == 0 && q.Model == "" && !q.OnlyErrors && q.Since == 0 && q.Until == 0
	for i, n := range p.numbers {
		f.sources[i] = n >= 0 && f.file(n)
		some, f.all = some || f.sources[i], f.all && f.sources[i]
	}
	for _, m := range p.table.Models {
		f.models = append(f.models, strings.Contains(strings.ToLower(m), f.model))
	}
	return some
}

func (f *filter) time(at int64) bool {
	return (f.q.Since == 0 || at >= f.q.Since) && (f.q.Until == 0 || at < f.q.Until)
}

func (f *filter) admits(c column) bool {
	return f.sources[c.source()] && f.time(c.at()) && f.kinds[c.kind()] && (!f.q.OnlyErrors || c.failed()) &&
		f.models[c.model()]
}
