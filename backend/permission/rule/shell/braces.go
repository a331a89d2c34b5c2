package shell

import "mvdan.cc/sh/v3/syntax"

// oddBraces reports whether bash may pair a word's braces differently than the parser:
// {a}b,c} is a}b and c.
func oddBraces(w *syntax.Word) bool {
	var open []bool // per open brace, whether it has alternatives
	commas, odd := false, false
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		for i := 0; i < len(lit.Value); i++ {
			last := len(open) - 1
			switch lit.Value[i] {
			case '\\':
				i++
			case '{':
				open = append(open, false)
			case ',':
				if commas = true; last >= 0 {
					open[last] = true
				}
			case '}':
				if last < 0 {
					odd = true
					continue
				}
				odd = odd || !open[last]
				open = open[:last]
			}
		}
	}
	return commas && (odd || len(open) > 0)
}

func hasQuotes(w *syntax.Word) bool {
	for _, part := range w.Parts {
		if _, ok := part.(*syntax.Lit); !ok {
			return true
		}
	}
	return false
}

// braceCount returns how many words a word's braces expand to, or 0 if they
// contain a range.
func braceCount(w *syntax.Word) int {
	n := 1
	for _, part := range w.Parts {
		b, ok := part.(*syntax.BraceExp)
		if !ok {
			continue
		}
		if b.Sequence {
			return 0
		}
		sum := 0
		for _, e := range b.Elems {
			m := braceCount(e)
			if m == 0 {
				return 0
			}
			sum += m
		}
		if n *= sum; n > maxWords {
			return n
		}
	}
	return n
}
