package memory

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Query is a search query.
type Query struct {
	// Words are what to search for. Without any, all are found, newest first.
	Words string
	// In limits the search to workspaces: slugs, "" for those of none. Nil is all.
	In []string
	// File limits the search to a file, by name; "" is all.
	File string
	// About limits the search to a subject person; "" is all.
	About string
	// Limit is the maximum number of results, Offset how many to skip.
	Limit, Offset int
}

// Hit is a found memory.
type Hit struct {
	Entry
	Excerpt []Segment
}

// Found is the result of a query, best first.
type Found struct {
	Hits  []Hit
	Total int
	// All is false if no memory has all the words, and these have the most of them.
	All bool
}

const (
	maxTerms = 16
	// k1 and b are BM25's usual ones.
	k1, b = 1.2, 0.75
	// fresh is the advantage of the newest over the oldest, and halfLife when half of
	// that is left.
	fresh    = 0.3
	halfLife = 30 * 24 * time.Hour
	// whole, start and inside are the weights of a match as a word, as the start of one,
	// or within one.
	whole, start, inside = 1.0, 0.8, 0.4
	// verbatim is the factor for words that are adjacent as given.
	verbatim = 1.4
)

// Search searches the current memories.
func (s *Store) Search(q Query) (Found, error) {
	snap, err := s.Look()
	if err != nil {
		return Found{}, err
	}
	return snap.Search(q, s.cfg.Now()), nil
}

// Search searches memories. It ranks with BM25, newer first among similar ones. The
// words may be in any order and unfinished; case and accents are ignored.
//
// It scans all texts: they are in memory, and bounded.
func (s *Snapshot) Search(q Query, now time.Time) Found {
	terms := termsOf(q.Words)
	about := fold(strings.TrimPrefix(q.About, "@"))
	var found []scored
	lengths, looked := 0, 0
	df, tf := make([]float64, len(terms)), make([]float64, len(terms))
	var frequencies []float64 // those of each hit, consecutively
	for i := range s.Entries {
		e := &s.Entries[i]
		if q.In != nil && !slices.Contains(q.In, e.Workspace) || about != "" && fold(e.About) != about || q.File != "" && e.Name() != q.File {
			continue
		}
		looked, lengths = looked+1, lengths+len(e.folded)
		hit := scored{at: i, tf: len(frequencies)}
		for t, term := range terms {
			if tf[t] = frequency(e.folded, term); tf[t] > 0 {
				hit.has++
				df[t]++
			}
		}
		if hit.has > 0 || len(terms) == 0 {
			found, frequencies = append(found, hit), append(frequencies, tf...)
		}
	}
	most := 0
	for _, hit := range found {
		most = max(most, hit.has)
	}
	// At least half of the words must match, and as many as in the best match.
	if len(terms) > 0 && most*2 < len(terms) {
		most = len(terms) + 1
	}
	found = slices.DeleteFunc(found, func(h scored) bool { return h.has < most })
	if len(terms) > 0 {
		average := math.Max(1, float64(lengths)/math.Max(1, float64(looked)))
		phrase := strings.Join(terms, " ")
		for i := range found {
			s.score(&found[i], frequencies[found[i].tf:], df, float64(looked), average, phrase, now)
		}
		slices.SortFunc(found, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at, b.at)) })
	}
	result := Found{Total: len(found), All: most == len(terms)}
	for _, hit := range found[min(q.Offset, len(found)):min(q.Offset+q.Limit, len(found))] {
		e := s.Entries[hit.at]
		result.Hits = append(result.Hits, Hit{Entry: e, Excerpt: excerpt(e.Text, terms)})
	}
	return result
}

// scored is an entry that has some of the terms.
type scored struct {
	// at is its index among the entries, has the number of terms it has, and tf where
	// their frequencies start.
	at, has, tf int
	score       float64
}

func (s *Snapshot) score(hit *scored, tf, df []float64, looked, average float64, phrase string, now time.Time) {
	e := &s.Entries[hit.at]
	for t := range df {
		if tf[t] == 0 {
			continue
		}
		idf := math.Log(1 + (looked-df[t]+0.5)/(df[t]+0.5))
		hit.score += idf * tf[t] * (k1 + 1) / (tf[t] + k1*(1-b+b*float64(len(e.folded))/average))
	}
	if len(df) > 1 && strings.Contains(e.folded, phrase) {
		hit.score *= verbatim
	}
	age := max(0, now.Sub(e.At))
	hit.score *= 1 + fresh*math.Exp2(-float64(age)/float64(halfLife))
}

// termsOf returns the distinct folded words of a query.
func termsOf(words string) []string {
	var terms []string
	for _, term := range strings.FieldsFunc(fold(Clean(words)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("_-./@#+", r)
	}) {
		term = strings.Trim(term, "-./")
		if term != "" && !slices.Contains(terms, term) && len(terms) < maxTerms {
			terms = append(terms, term)
		}
	}
	return terms
}

// frequency returns a term's frequency in a text, with less for parts of
// words.
func frequency(text, term string) float64 {
	sum := 0.0
	for from := 0; ; {
		at := strings.Index(text[from:], term)
		if at < 0 {
			return sum
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(term):])
		switch {
		case at > 0 && letter(before):
			sum += inside
		case at+len(term) < len(text) && letter(after):
			sum += start
		default:
			sum += whole
		}
		from = at + len(term)
	}
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
