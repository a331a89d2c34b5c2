package filefind

import (
	"container/heap"
	"strings"
)

// Scores of the ways in which a name matches the query. Within one way, shorter
// and less deep names come first.
const (
	scoreSame      = 10000 // the last part is the query
	scoreChild     = 9600  // a direct child of the typed folder
	scoreBegins    = 9000  // the last part starts with it
	scoreWord      = 8000  // a word of the last part does
	scoreInside    = 7000  // the last part contains it
	scoreSegment   = 6000  // another part starts with it, or it spans parts
	scorePath      = 5000  // it is somewhere in the path
	scoreLetters   = 3000  // the last part has its letters in order
	scoreScattered = 1000  // the path does
	maxLetterBonus = 1500
)

// found is a name by its index.
type found struct {
	at    int
	score int
}

// best returns up to n names that match a lower-case query, best first.
func (x *Index) best(query string, n int) []found {
	var top worstFirst
	want := mask(query)
	for i, name := range x.lower {
		if x.masks[i]&want != want {
			continue
		}
		s := score(name, query)
		if s <= 0 {
			continue
		}
		f := found{i, s}
		switch {
		case len(top) < n:
			heap.Push(&top, f)
		case worse(top[0], f):
			top[0] = f
			heap.Fix(&top, 0)
		}
	}
	out := make([]found, len(top))
	for i := len(out) - 1; i >= 0; i-- {
		out[i], _ = heap.Pop(&top).(found)
	}
	return out
}

// score returns how well a name matches, 0 if it doesn't. Both are in lower
// case.
func score(name, query string) int {
	depth := strings.Count(name, "/")
	less := min(depth*30+len(name), 900)
	if query == "" {
		return scoreInside - depth*1000
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	if strings.HasSuffix(query, "/") && strings.HasPrefix(name, query) {
		if !strings.Contains(name[len(query):], "/") {
			return scoreChild - less
		}
		return scoreSegment - less
	}
	switch at := strings.Index(base, query); {
	case base == query:
		return scoreSame - less
	case at == 0:
		return scoreBegins - less
	case at > 0 && boundary(base[at-1]):
		return scoreWord - less
	case at > 0:
		return scoreInside - less
	}
	switch at := strings.Index(name, query); {
	case at == 0, at > 0 && name[at-1] == '/':
		return scoreSegment - less
	case at > 0:
		return scorePath - less
	}
	if bonus, ok := letters(base, query); ok {
		return scoreLetters + bonus - less
	}
	if bonus, ok := letters(name, query); ok {
		return scoreScattered + bonus - less
	}
	return 0
}

// letters reports whether a text has the query's letters in order, and how well:
// consecutive letters, or those that start a word, count.
func letters(s, query string) (bonus int, ok bool) {
	at := 0
	last := -2
	for i := range len(query) {
		j := strings.IndexByte(s[at:], query[i])
		if j < 0 {
			return 0, false
		}
		j += at
		switch {
		case j == last+1:
			bonus += 80
		case j == 0 || boundary(s[j-1]):
			bonus += 120
		default:
			bonus -= min(j-last-1, 10) * 10
		}
		last, at = j, j+1
	}
	return max(min(bonus, maxLetterBonus), -scoreScattered/2), true
}

func boundary(c byte) bool {
	switch c {
	case '/', '-', '_', '.', ' ':
		return true
	}
	return false
}

// worse orders by score, then by index, so that the order is stable.
func worse(a, b found) bool {
	if a.score != b.score {
		return a.score < b.score
	}
	return a.at > b.at
}

// worstFirst is a heap for [heap].
type worstFirst []found

func (h worstFirst) Len() int           { return len(h) }
func (h worstFirst) Less(i, j int) bool { return worse(h[i], h[j]) }
func (h worstFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements [heap.Interface].
func (h *worstFirst) Push(v any) {
	f, _ := v.(found)
	*h = append(*h, f)
}

// Pop implements [heap.Interface].
func (h *worstFirst) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
