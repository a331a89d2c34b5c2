package search

import (
	"bytes"
	"context"
	"errors"
	"math/bits"
	"path/filepath"
	"runtime"
	"slices"
)

const (
	// fanIn is how many segments of similar size are merged into one.
	fanIn = 8
	// biggest is the largest segment that is still merged, in bytes.
	biggest = 128 << 20
)

// mergeAll is the index's goroutine. It keeps the number of segments low, and
// rewrites those with dead data.
func (x *Index) mergeAll(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-x.wake:
		}
		for ctx.Err() == nil {
			more, err := x.mergeOnce(ctx)
			if err != nil && ctx.Err() == nil {
				x.log.Warn("Couldn't merge segments of the search index", "err", err)
				if errors.Is(err, ErrDamaged) {
					x.reset(err)
				}
			}
			if !more || err != nil {
				break
			}
		}
	}
}

// level groups segments by size: each level is eight times the one below.
func level(size int64) int { return max(0, bits.Len64(uint64(size))-16) / 3 }

// choose returns the segments to merge next.
func choose(parts []part) []part {
	levels := map[int][]part{}
	for _, p := range parts {
		if p.size < biggest {
			n := level(p.size)
			levels[n] = append(levels[n], p)
			if len(levels[n]) == fanIn {
				return levels[n]
			}
		}
	}
	for _, p := range parts {
		if slices.Contains(p.of, nil) {
			return []part{p}
		}
	}
	return nil
}

func (x *Index) mergeOnce(ctx context.Context) (bool, error) {
	x.mu.Lock()
	parts := choose(x.parts)
	if parts == nil {
		x.mu.Unlock()
		return false, nil
	}
	for _, p := range parts {
		p.refs.Add(1)
	}
	name := x.segmentName()
	x.merging = true
	x.mu.Unlock()
	merged, err := x.write(ctx, name, parts)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.merging = false
	if err == nil {
		err = x.swap(parts, merged)
	}
	for _, p := range parts {
		x.release(p.segment)
	}
	return true, err
}

// swap replaces the parts by a merged segment at the position of the first.
func (x *Index) swap(parts []part, merged *segment) error {
	var next []*segment
	if merged != nil {
		defer func() {
			if !slices.Contains(x.segments, merged) {
				merged.removed.Store(true)
				x.release(merged)
			}
		}()
	}
	held := 0
	for _, s := range x.segments {
		if !slices.ContainsFunc(parts, func(p part) bool { return p.segment == s }) {
			next = append(next, s)
			continue
		}
		if held == 0 && merged != nil {
			next = append(next, merged)
		}
		held++
	}
	if held < len(parts) {
		return nil // the index was emptied in the meantime
	}
	return x.publish(next, x.committed)
}

// write merges segments into a new one; nil if nothing in them is alive.
func (x *Index) write(ctx context.Context, name string, parts []part) (*segment, error) {
	w, err := newWriter(filepath.Join(x.dir, name), x.worth)
	if err != nil {
		return nil, err
	}
	err = merge(ctx, w, parts)
	if err != nil || len(w.table.Sources) == 0 {
		w.discard()
		return nil, err
	}
	if err := w.finish(); err != nil {
		return nil, err
	}
	return openSegment(x.dir, name)
}

const dead = ^uint32(0) // the new number of an omitted document

func merge(ctx context.Context, w *writer, parts []part) error {
	renumber := make([][]uint32, len(parts))
	byID := map[string]int{}
	for i, p := range parts {
		numbers, err := copyDocuments(ctx, w, p, byID)
		if err != nil {
			return err
		}
		renumber[i] = numbers
	}
	w.beginTerms()
	return copyTerms(ctx, w, parts, renumber)
}

// copyDocuments copies live documents, and returns their new numbers.
func copyDocuments(ctx context.Context, w *writer, p part, byID map[string]int) ([]uint32, error) {
	sources := make([]int, len(p.of))
	for i, s := range p.table.Sources {
		if p.of[i] == nil {
			continue
		}
		n, ok := byID[s.ID]
		if !ok {
			n = len(w.table.Sources)
			byID[s.ID] = n
			w.table.Sources = append(w.table.Sources, source{})
		}
		sources[i] = n
		if to := &w.table.Sources[n]; s.Rev >= to.Rev {
			s.Docs = to.Docs
			*to = s
		}
	}
	numbers := make([]uint32, p.docs)
	var u unpacked
	for n := range p.blocks() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := u.load(p.segment, n); err != nil {
			return nil, err
		}
		runtime.Gosched() // a query waiting for a processor takes precedence
		r := blockReader{b: u.data}
		_, first := p.blockAt(n)
		_, end := p.blockAt(n + 1)
		for doc := first; doc < end; doc++ {
			c := p.column(doc)
			if p.of[c.source()] == nil {
				r.skip()
				numbers[doc] = dead
				continue
			}
			d := r.next()
			numbers[doc] = w.docs()
			w.add(sources[c.source()], &Document{
				MessageID: d.message, Offset: d.offset, At: c.at(), Kind: c.kind(),
				Model: p.table.Models[c.model()], Tool: d.tool, IsError: c.failed(), Text: d.text,
			}, c.length())
		}
		if r.bad {
			return nil, ErrDamaged
		}
		if w.err != nil {
			return nil, w.err
		}
	}
	return numbers, nil
}

// copyTerms copies the postings, term by term.
func copyTerms(ctx context.Context, w *writer, parts []part, renumber [][]uint32) error {
	lists := make([]*lister, len(parts))
	open := make([]bool, len(parts))
	for i, p := range parts {
		lists[i] = &lister{s: p.segment}
		open[i] = lists[i].next() && lists[i].name[0] != startMark
	}
	var term, raw, out []byte
	var r postings
	for n := 0; ; n++ {
		if n%1024 == 0 {
			runtime.Gosched()
			if ctx.Err() != nil || w.err != nil {
				return errors.Join(ctx.Err(), w.err)
			}
		}
		some := false
		for i, l := range lists {
			if l.err != nil {
				return l.err
			}
			if open[i] && (!some || bytes.Compare(l.name, term) < 0) {
				term, some = append(term[:0], l.name...), true
			}
		}
		if !some {
			return w.err
		}
		var df, last uint32
		out = out[:0]
		for i, l := range lists {
			if !open[i] || !bytes.Equal(l.name, term) {
				continue
			}
			var err error
			if raw, err = l.s.readTo(raw, l.at, l.size); err != nil {
				return err
			}
			r.reset()
			if err := r.decode(raw, l.df, l.s.docs); err != nil {
				return err
			}
			for n, old := range r.docs {
				if doc := renumber[i][old]; doc != dead {
					out = appendPosting(out, doc-last, r.tfs[n])
					last = doc
					df++
				}
			}
			// What follows the mark is rebuilt.
			open[i] = l.next() && l.name[0] != startMark
		}
		if df > 0 {
			w.term(term, df, out)
		}
	}
}
