package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/backend/truncate"
)

const (
	snippetLength = 200 // bytes, about
	snippetBefore = 60  // approximate position of the first highlight
	mostMarks     = 1000
)

// Range is a range of a snippet in UTF-16 units, as in JavaScript.
type Range struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Snippet is the part of a text that best shows why it was found.
type Snippet struct {
	// Text is one line, with white space collapsed.
	Text       string  `json:"text"`
	Highlights []Range `json:"highlights,omitempty"`
	// Before and After mean that the text continues there.
	Before bool `json:"before,omitempty"`
	After  bool `json:"after,omitempty"`
}

// mark is a place in a text that matches a query.
type mark struct {
	start, end int
	clause     int
}

// marks finds the places, in order.
func marks(text string, p plan) []mark {
	if len(p.must) == 0 {
		return nil
	}
	type begun struct{ clause, n, start int }
	var out []mark
	var open, next []begun
	var s scanner
	s.reset(text)
	for len(out) < mostMarks && s.next() {
		for i := range p.must {
			open = append(open, begun{i, 0, s.tok.start})
		}
		next = next[:0]
		for _, b := range open {
			c := p.must[b.clause]
			if !c[b.n].is(s.tok.folded) {
				continue
			}
			if b.n+1 < len(c) {
				next = append(next, begun{b.clause, b.n + 1, b.start})
				continue
			}
			end := s.tok.end
			if s.tok.half > 0 && len(c[b.n].text) == s.tok.half-s.tok.start {
				end = s.tok.half // a single character was searched
			}
			out = append(out, mark{b.start, end, b.clause})
		}
		open, next = next, open
	}
	slices.SortStableFunc(out, func(x, y mark) int { return x.start - y.start })
	return out
}

// window returns where the part with the most different marks starts.
func window(all []mark) int {
	most, at := 0, 0
	for i := range all {
		seen := map[int]bool{}
		for _, m := range all[i:min(len(all), i+mostTokens)] {
			if m.end-all[i].start > snippetLength-snippetBefore {
				break
			}
			seen[m.clause] = true
		}
		if len(seen) > most {
			most, at = len(seen), all[i].start
		}
	}
	return at
}

// snippet cuts the best part out of a text.
func snippet(text string, p plan) Snippet {
	all := marks(text, p)
	start := max(0, window(all)-snippetBefore)
	if start > 0 {
		// Start at the beginning of a word, if there is one nearby.
		for start < len(text) && !utf8.RuneStart(text[start]) {
			start++
		}
		if i := strings.IndexFunc(text[start:min(len(text), start+snippetBefore/2)], unicode.IsSpace); i >= 0 {
			start += i
		}
	}
	end := len(truncate.Prefix(text, start+snippetLength))
	var out strings.Builder
	s := Snippet{Before: start > 0, After: end < len(text)}
	units, space := 0, true
	for i, r := range text[start:end] {
		at := start + i
		for len(all) > 0 && all[0].end <= at {
			all = all[1:]
		}
		inside := slices.ContainsFunc(all[:min(len(all), mostTokens)], func(m mark) bool { return m.start <= at && at < m.end })
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			if space {
				continue
			}
			r = ' '
		}
		space = r == ' '
		size := 1
		if r > 0xffff {
			size = 2
		}
		if inside {
			if n := len(s.Highlights); n > 0 && s.Highlights[n-1].End == units {
				s.Highlights[n-1].End += size
			} else {
				s.Highlights = append(s.Highlights, Range{units, units + size})
			}
		}
		out.WriteRune(r)
		units += size
	}
	s.Text = strings.TrimSuffix(out.String(), " ")
	if n := len(s.Highlights); n > 0 && len(s.Text) < out.Len() {
		s.Highlights[n-1].End = min(s.Highlights[n-1].End, units-1)
	}
	return s
}
