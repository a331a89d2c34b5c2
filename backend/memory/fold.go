package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold makes a text comparable: lower case, without accents.
func fold(text string) string {
	if ascii(text) {
		return strings.ToLower(text)
	}
	var b strings.Builder
	for _, r := range text {
		foldRune(&b, r)
	}
	return b.String()
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func foldRune(b *strings.Builder, r rune) {
	if r < utf8.RuneSelf {
		b.WriteRune(unicode.ToLower(r))
		return
	}
	if r == 'ß' || r == 'ẞ' {
		b.WriteString("ss")
		return
	}
	for _, part := range norm.NFKD.String(string(r)) {
		if !unicode.Is(unicode.Mn, part) {
			b.WriteRune(unicode.ToLower(part))
		}
	}
}

// Segment is a part of an excerpt. Match is true for a search term.
type Segment struct {
	Text  string
	Match bool
}

const (
	// excerptBefore and excerptLong are in characters.
	excerptBefore, excerptLong = 60, 280
)

// excerpt is the part of a text around the first of some folded terms.
func excerpt(text string, terms []string) []Segment {
	// Folding changes lengths: each folded byte is mapped to its character.
	runes := []rune(text)
	var b strings.Builder
	var of []int
	for i, r := range runes {
		foldRune(&b, r)
		for len(of) < b.Len() {
			of = append(of, i)
		}
	}
	folded := b.String()
	hit := make([]bool, len(runes))
	first := len(runes)
	for _, term := range terms {
		for from := 0; term != ""; {
			at := strings.Index(folded[from:], term)
			if at < 0 {
				break
			}
			at += from
			for i := of[at]; i <= of[at+len(term)-1]; i++ {
				hit[i] = true
			}
			first = min(first, of[at])
			from = at + len(term)
		}
	}
	begin := 0
	if first < len(runes) && first > excerptBefore && len(runes) > excerptLong {
		begin = first - excerptBefore
		for begin > 0 && begin < first && !unicode.IsSpace(runes[begin-1]) {
			begin++
		}
	}
	end := min(len(runes), begin+excerptLong)
	var pieces []Segment
	if begin > 0 {
		pieces = append(pieces, Segment{Text: "…"})
	}
	for i := begin; i < end; {
		n := i
		for n < end && hit[n] == hit[i] {
			n++
		}
		pieces = append(pieces, Segment{Text: string(runes[i:n]), Match: hit[i]})
		i = n
	}
	if end < len(runes) {
		pieces = append(pieces, Segment{Text: "…"})
	}
	return pieces
}
