package textsearch

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// snippet returns the text around the first place as one line. The places are in
// bytes of the text, the marks in UTF-16 units of the snippet.
func snippet(text string, places []Mark) (string, []Mark) {
	first := places[0]
	start := back(text, max(0, first.Start-around))
	end := back(text, min(len(text), max(first.End, first.Start+3*around)+around))
	var out strings.Builder
	if start > 0 {
		out.WriteString("…")
	}
	units := min(start, 1)
	marks := make([]Mark, 0, 1)
	space := false
	next := 0 // index into the places
	open := -1
	for i, r := range text[start:end] {
		at := start + i
		if open >= 0 && at >= places[next].End {
			marks = append(marks, Mark{open, units})
			open = -1
			next++
		}
		if open < 0 && next < len(places) && at == places[next].Start {
			open = units
		}
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			if space && open < 0 {
				continue
			}
			r, space = ' ', true
		} else {
			space = false
		}
		out.WriteRune(r)
		units += utf16Units(r)
	}
	if open >= 0 {
		marks = append(marks, Mark{open, units})
	}
	if end < len(text) {
		out.WriteString("…")
	}
	return out.String(), marks
}

// back moves an offset back to the start of a character.
func back(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

func utf16Units(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

func keys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
