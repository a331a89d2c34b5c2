package search

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// The usual constants of BM25.
const (
	k1 = 1.2
	b1 = 0.75
)

// score returns a document's score for a token.
func (f *found) score(tf, norm float32) float32 { return f.idf * tf * (k1 + 1) / (tf + norm) }

// matchers is how many segments are searched concurrently.
const matchers = 2

// matcher executes one plan on a view.
type matcher struct {
	v       *view
	q       *Query
	must    []*found
	not     []*found
	mustQ   []queryToken
	best    *best
	total   int
	norms   *[256]float32
	weights [kinds]float32
	filter  filter
	*scratch
}

// scratch is the memory for one segment's results. Queries reuse it: freeing it
// each time would keep the garbage collector busy while a user types.
type scratch struct {
	// docs have all tokens processed; score has the score of each.
	docs  []uint32
	score []float32
	posts postings
	tfs   []uint32 // of all documents of the segment
	buf   []byte
}

func (v *view) match(ctx context.Context, q *Query, p plan, keep int) (*matcher, error) {
	m := &matcher{v: v, q: q, best: &best{most: keep}, norms: &[256]float32{}, filter: newFilter(q, v.all)}
	average := max(v.tokens/max(v.docs, 1), 1)
	for i := range m.norms {
		m.norms[i] = float32(k1 * (1 - b1 + b1*lengthOf(uint8(i))/average))
	}
	for k := range kinds {
		m.weights[k] = k.weight()
	}
	seen := map[queryToken]bool{}
	for _, c := range p.must {
		for _, t := range c {
			if seen[t] {
				continue
			}
			seen[t] = true
			f, err := v.locate(t, m.norms)
			if err != nil {
				return nil, err
			}
			m.must, m.mustQ = append(m.must, f), append(m.mustQ, t)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range p.not {
		if len(c) > 1 {
			continue // decided by the text
		}
		f, err := v.locate(c[0], m.norms)
		if err != nil {
			return nil, err
		}
		m.not = append(m.not, f)
	}
	if p.vain {
		return m, nil
	}
	m.matchTitles(p)
	// The rarest first, so that few documents are scored.
	slices.SortStableFunc(m.must, func(x, y *found) int { return int(x.df) - int(y.df) })
	return m, m.segments(ctx)
}

// segments searches all segments, some concurrently.
func (m *matcher) segments(ctx context.Context) error {
	var next atomic.Int32
	crew := make([]matcher, min(matchers, len(m.v.parts)))
	group, ctx := errgroup.WithContext(ctx)
	for n := range crew {
		c := &crew[n]
		*c = *m
		c.best, c.total = &best{most: m.best.most}, 0
		group.Go(func() error {
			var ok bool
			if c.scratch, ok = m.v.memory.Get().(*scratch); !ok {
				c.scratch = &scratch{}
			}
			defer m.v.memory.Put(c.scratch)
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(m.v.parts) {
					return nil
				}
				if err := c.segment(i); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, c := range crew {
		m.total += c.total
		for _, found := range c.best.list {
			m.best.add(found)
		}
	}
	return nil
}

func (m *matcher) segment(i int) error {
	p := &m.v.parts[i]
	for _, f := range m.must {
		if len(f.places[i].spans) == 0 {
			return nil
		}
	}
	if !m.filter.begin(p) {
		return nil
	}
	m.docs, m.score = m.docs[:0], m.score[:0]
	if len(m.must) == 0 {
		for doc := range uint32(p.docs) {
			m.docs, m.score = append(m.docs, doc), append(m.score, 0)
		}
	}
	for n, f := range m.must {
		step := m.narrow
		if n == 0 {
			step = m.begin
		}
		if err := step(p, f, &f.places[i]); err != nil {
			return err
		}
	}
	for _, f := range m.not {
		if err := m.exclude(p, &f.places[i]); err != nil {
			return err
		}
	}
	m.rate(p)
	return nil
}

// begin takes the documents of the first token.
func (m *matcher) begin(p *part, f *found, at *place) error {
	switch {
	case at.bits:
		set, err := m.bits(p, at)
		if err != nil {
			return err
		}
		for i, b := range set {
			for ; b != 0; b &= b - 1 {
				m.docs = append(m.docs, uint32(i*8+bits.TrailingZeros8(b)))
			}
		}
		m.score = slices.Grow(m.score, len(m.docs))[:len(m.docs)]
		for i, doc := range m.docs {
			m.score[i] = f.once[p.column(doc).length()]
		}
	case at.single():
		if err := m.decode(p, at); err != nil {
			return err
		}
		m.docs, m.posts.docs = m.posts.docs, m.docs
		m.score = slices.Grow(m.score, len(m.docs))[:len(m.docs)]
		for i, doc := range m.docs {
			m.score[i] = m.of(f, p, doc, m.posts.tfs[i])
		}
	default:
		if err := m.pour(p, at); err != nil {
			return err
		}
		for doc, tf := range m.tfs {
			if tf > 0 {
				m.docs = append(m.docs, uint32(doc))
				m.score = append(m.score, m.of(f, p, uint32(doc), tf))
			}
		}
	}
	return nil
}

// narrow keeps the documents that also have another token.
func (m *matcher) narrow(p *part, f *found, at *place) error {
	n := 0
	keep := func(i int, doc, tf uint32) {
		m.docs[n], m.score[n] = doc, m.score[i]+m.of(f, p, doc, tf)
		n++
	}
	switch {
	case len(m.docs) == 0:
	case at.bits:
		set, err := m.bits(p, at)
		if err != nil {
			return err
		}
		for i, doc := range m.docs {
			if set[doc/8]>>(doc%8)&1 != 0 {
				keep(i, doc, 1)
			}
		}
	case at.single():
		if err := m.decode(p, at); err != nil {
			return err
		}
		i := 0
		for j, doc := range m.posts.docs {
			for i < len(m.docs) && m.docs[i] < doc {
				i++
			}
			if i == len(m.docs) {
				break
			}
			if m.docs[i] == doc {
				keep(i, doc, m.posts.tfs[j])
				i++
			}
		}
	default:
		if err := m.pour(p, at); err != nil {
			return err
		}
		for i, doc := range m.docs {
			if tf := m.tfs[doc]; tf > 0 {
				keep(i, doc, tf)
			}
		}
	}
	m.docs, m.score = m.docs[:n], m.score[:n]
	return nil
}

// exclude drops the documents with a token.
func (m *matcher) exclude(p *part, at *place) error {
	if len(at.spans) == 0 || len(m.docs) == 0 {
		return nil
	}
	// An excluded token is a whole word, so it has no bits.
	if err := m.pour(p, at); err != nil {
		return err
	}
	n := 0
	for i, doc := range m.docs {
		if m.tfs[doc] == 0 {
			m.docs[n], m.score[n] = doc, m.score[i]
			n++
		}
	}
	m.docs, m.score = m.docs[:n], m.score[:n]
	return nil
}

// of returns a document's score for a token.
func (m *matcher) of(f *found, p *part, doc, tf uint32) float32 {
	length := p.column(doc).length()
	if tf == 1 {
		return f.once[length]
	}
	return f.score(float32(tf), m.norms[length])
}

// rate counts the matching documents, and keeps the best.
func (m *matcher) rate(p *part) {
	all := m.filter.all
	low, at := m.best.worst()
	// The newest of a conversation are last: in this order few are kept only to be
	// dropped again.
	for i, doc := range slices.Backward(m.docs) {
		c := p.column(doc)
		if !all && !m.filter.admits(c) {
			continue
		}
		m.total++
		r := rank(m.score[i] * m.weights[c.kind()])
		if r < low || r == low && c.at() < at {
			continue
		}
		m.best.add(candidate{rank: r, at: c.at(), part: p, doc: doc})
		low, at = m.best.worst()
	}
}

// single reports whether it has the postings of exactly one term.
func (a *place) single() bool { return len(a.spans) == 1 && len(a.spans[0].terms) == 1 }

// bits reads a prefix stored with a bit per document.
func (m *matcher) bits(p *part, at *place) ([]byte, error) {
	s := &at.spans[0]
	if uint64(s.size) != (p.docs+7)/8 {
		return nil, ErrDamaged
	}
	var err error
	if m.buf, err = p.readTo(m.buf, s.at, s.size); err != nil {
		return nil, err
	}
	n := 0
	for _, b := range m.buf {
		n += bits.OnesCount8(b)
	}
	if n != int(s.terms[0].df) || p.docs%8 != 0 && m.buf[s.size-1]>>(p.docs%8) != 0 {
		return nil, ErrDamaged
	}
	return m.buf, nil
}

// decode reads the postings of a single term.
func (m *matcher) decode(p *part, at *place) error {
	s := &at.spans[0]
	var err error
	if m.buf, err = p.readTo(m.buf, s.at, s.size); err != nil {
		return err
	}
	m.posts.reset()
	return m.posts.decode(m.buf, s.terms[0].df, p.docs)
}

// pour counts how often each document of a segment has one of the terms.
func (m *matcher) pour(p *part, at *place) error {
	m.tfs = grown(m.tfs, int(p.docs))
	for _, s := range at.spans {
		var err error
		if m.buf, err = p.readTo(m.buf, s.at, s.size); err != nil {
			return err
		}
		b := m.buf
		for _, t := range s.terms {
			m.posts.reset()
			if err := m.posts.decode(b[:t.size], t.df, p.docs); err != nil {
				return err
			}
			b = b[t.size:]
			for i, doc := range m.posts.docs {
				m.tfs[doc] += m.posts.tfs[i]
			}
		}
	}
	return nil
}

// grown returns n zeros.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
