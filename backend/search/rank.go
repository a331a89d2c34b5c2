package search

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"strings"

	"parley/backend/truncate"
)

// candidate is a possible result: a segment's document, or a title.
type candidate struct {
	rank  int32
	at    int64
	part  *part
	doc   uint32
	title *transcript
}

// rank rounds a score, so that among similar results the newer one comes first.
func rank(score float32) int32 { return int32(score*8 + 0.5) }

func (c *candidate) transcript() string {
	if c.title != nil {
		return c.title.ID
	}
	return c.part.of[c.part.column(c.doc).source()].ID
}

// compare orders candidates, best first.
func (c *candidate) compare(d *candidate) int {
	if n := cmp.Compare(d.rank, c.rank); n != 0 {
		return n
	}
	if n := cmp.Compare(d.at, c.at); n != 0 {
		return n
	}
	if n := cmp.Compare(c.transcript(), d.transcript()); n != 0 {
		return n
	}
	if (c.title == nil) != (d.title == nil) {
		if c.title != nil {
			return -1
		}
		return 1
	}
	return cmp.Compare(c.doc, d.doc)
}

// best keeps the best candidates, with the worst on top.
type best struct {
	most int
	list []candidate
}

func (b *best) Len() int           { return len(b.list) }
func (b *best) Less(i, j int) bool { return b.list[i].compare(&b.list[j]) > 0 }
func (b *best) Swap(i, j int)      { b.list[i], b.list[j] = b.list[j], b.list[i] }
func (b *best) Push(x any)         { b.list = append(b.list, x.(candidate)) }
func (b *best) Pop() any {
	last := b.list[len(b.list)-1]
	b.list = b.list[:len(b.list)-1]
	return last
}

// worst is the threshold for a new candidate: a higher rank, or the same and not
// older.
func (b *best) worst() (rank int32, at int64) {
	switch {
	case len(b.list) < b.most:
		return math.MinInt32, math.MinInt64
	case b.most == 0:
		return math.MaxInt32, math.MaxInt64
	}
	return b.list[0].rank, b.list[0].at
}

func (b *best) add(c candidate) {
	if len(b.list) < b.most {
		heap.Push(b, c)
	} else if b.most > 0 && c.compare(&b.list[0]) < 0 {
		b.list[0] = c
		heap.Fix(b, 0)
	}
}

// sorted returns them, best first.
func (b *best) sorted() []candidate {
	slices.SortFunc(b.list, func(x, y candidate) int { return x.compare(&y) })
	return b.list
}

// transcript is the current metadata of a transcript. There are few, their titles
// and folders change, and they are kept in memory.
type transcript struct {
	File
	words  string // tokens of the title, surrounded by spaces
	length uint8  // their number, see lengthByte
}

func newTranscript(f File) *transcript {
	words, n := []byte(" "), 0
	var s scanner
	s.reset(truncate.Prefix(f.Title, Limit(Title)))
	for s.next() {
		words = append(append(words, s.tok.folded...), ' ')
		n++
	}
	return &transcript{File: f, words: string(words), length: lengthByte(n)}
}

// count returns how often a clause is in the title.
func (t *transcript) count(c clause) (n uint32) {
	first := " " + c[0].text
	for rest := t.words; ; {
		i := strings.Index(rest, first)
		if i < 0 {
			return n
		}
		rest = rest[i+1:]
		if c.begins(rest) {
			n++
		}
	}
}

// begins reports whether words, each followed by a space, start with a clause.
func (c clause) begins(words string) bool {
	for _, q := range c {
		if !strings.HasPrefix(words, q.text) {
			return false
		}
		words = words[len(q.text):]
		end := strings.IndexByte(words, ' ')
		if end > 0 && !q.prefix {
			return false
		}
		words = words[end+1:]
	}
	return true
}

func (m *matcher) matchTitles(p plan) {
	if !m.filter.kinds[Title] || m.filter.model != "" || m.q.OnlyErrors || len(p.must) == 0 && len(p.not) == 0 {
		return
	}
titles:
	for n, t := range m.v.all {
		if t.length == 0 || !m.filter.time(t.At) {
			continue
		}
		for _, c := range p.must {
			if t.count(c) == 0 {
				continue titles
			}
		}
		for _, c := range p.not {
			if t.count(c) > 0 {
				continue titles
			}
		}
		if !m.filter.file(int32(n)) {
			continue
		}
		score, norm := float32(0), m.norms[t.length]
		for j, f := range m.must {
			tf := float32(t.count(clause{m.mustQ[j]}))
			score += f.score(tf, norm)
		}
		m.total++
		m.best.add(candidate{rank: rank(score * Title.weight()), at: t.At, title: t})
	}
}
