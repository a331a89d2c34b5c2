package search

import "time"

// Settle waits until there is nothing to merge.
func (x *Index) Settle() {
	for {
		x.mu.Lock()
		idle := !x.merging && choose(x.parts) == nil
		x.mu.Unlock()
		if idle {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// Keeping sets when a prefix is worth storing; below 0 all are.
func (c Config) Keeping(worth int) Config {
	c.worth = worth
	return c
}

// Kept returns how many optional prefixes are stored.
func (x *Index) Kept() (n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range x.segments {
		l := &lister{s: s}
		for l.next() {
			if l.name[0] == startMark && !alwaysKept(l.name[1:]) {
				n++
			}
		}
	}
	return n
}

// Tokens splits a text as the index does.
func Tokens(text string) (out []string) {
	var s scanner
	s.reset(text)
	for s.next() {
		out = append(out, string(s.tok.folded))
	}
	return out
}

// Parsed returns a query's interpretation, in its own notation: +a b* -"c d".
func Parsed(text string) (out string) {
	p := parse(text)
	show := func(sign string, all []clause) {
		for _, c := range all {
			out += sign
			for i, t := range c {
				if i > 0 {
					out += "_"
				}
				out += t.text
				if t.prefix {
					out += "*"
				}
			}
			out += " "
		}
	}
	show("+", p.must)
	show("-", p.not)
	if p.vain {
		out += "vain "
	}
	return out
}

// Cut returns the snippet of a text for a query.
func Cut(text, query string) Snippet { return snippet(text, parse(query)) }

// LongestQuery in bytes.
const LongestQuery = longestQuery
