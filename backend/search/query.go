package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/backend/truncate"
)

const (
	longestQuery = 1 << 10 // bytes
	mostTokens   = 24      // of a query
)

// Query is a search query.
type Query struct {
	// Text is what was typed. All words must be in a document, in any order; the
	// last one may be a prefix, unless a space follows. "Words in quotes" must be
	// adjacent, as must the parts of something typed without a space (file.go).
	// -word and -"some words" must not be there. No text is an error. Without any,
	// the newest documents are found.
	Text string

	// The rest filters; empty fields don't.

	// Want reports whether a transcript counts. It is called at most a few times for
	// each that may have results, by several goroutines while Query runs.
	Want  func(File) bool
	Kinds []Kind
	// Model is a part of the model's name, ignoring case.
	Model      string
	OnlyErrors bool
	// Since and Until are Unix milliseconds; Until is exclusive.
	Since, Until int64

	// Limit is the number of results, 20 by default and 100 at most; Offset is how
	// many to skip.
	Limit, Offset int
}

// queryToken is a word of a query.
type queryToken struct {
	text   string
	prefix bool
}

// clause is one or more adjacent tokens.
type clause []queryToken

// plan is a parsed query.
type plan struct {
	must, not []clause
	// vain is set if something was typed, but nothing searchable.
	vain bool
}

// parse never fails.
func parse(text string) plan {
	text = strings.ToValidUTF8(truncate.Prefix(text, longestQuery), " ")
	var p plan
	left := mostTokens
	for text != "" {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			break
		}
		not := false
		if rest, ok := strings.CutPrefix(text, "-"); ok && startsTerm(rest) {
			not, text = true, rest
		}
		var piece string
		var open bool // more may be typed
		if rest, ok := strings.CutPrefix(text, `"`); ok {
			var closed bool
			piece, text, closed = strings.Cut(rest, `"`)
			open = !closed
		} else {
			end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
			open = end < 0
			if open {
				end = len(text)
			}
			piece, text = text[:end], text[end:]
		}
		c := tokens(piece, open && !not)
		if len(c) > left {
			c = c[:left]
		}
		left -= len(c)
		switch {
		case len(c) == 0:
			p.vain = true
		case not:
			p.not = append(p.not, c)
		default:
			p.must = append(p.must, c)
		}
	}
	p.vain = p.vain && len(p.must) == 0 && len(p.not) == 0
	return p
}

// startsTerm distinguishes -word from command line options (--resume) and a lone
// hyphen.
func startsTerm(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == '"' || isWord(r) || unspaced(r)
}

// tokens splits a piece of a query. A run of an unspaced script is also found
// inside longer ones: what follows its last character doesn't matter.
func tokens(piece string, open bool) clause {
	var s scanner
	s.reset(piece)
	var c clause
	before, now := token{}, token{}
	for s.next() {
		before, now = now, s.tok
		c = append(c, queryToken{text: string(s.tok.folded)})
	}
	if len(c) == 0 {
		return nil
	}
	if before.half > 0 && before.end == now.end {
		c = c[:len(c)-1] // the previous pair is equivalent
	}
	last := &c[len(c)-1]
	if r, size := utf8.DecodeRuneInString(last.text); unspaced(r) {
		last.prefix = size == len(last.text)
	} else {
		last.prefix = open && now.end == len(piece)
	}
	return c
}

// is reports whether a text's token matches this query token.
func (q queryToken) is(folded []byte) bool {
	if q.prefix {
		return len(folded) >= len(q.text) && string(folded[:len(q.text)]) == q.text
	}
	return string(folded) == q.text
}

// in looks for a clause of several tokens in a text.
func (c clause) in(text string) bool {
	var s scanner
	s.reset(text)
	// In some texts, prefixes of a clause overlap.
	var at []int // how many tokens of the clause matched, per open prefix
	for s.next() {
		kept := at[:0]
		for _, n := range append(at, 0) {
			if c[n].is(s.tok.folded) {
				if n+1 == len(c) {
					return true
				}
				kept = append(kept, n+1)
			}
		}
		at = kept
	}
	return false
}
