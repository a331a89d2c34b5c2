package search

import (
	"encoding/binary"
	"math"
)

// span is a range of postings of one query token.
type span struct {
	at    int64
	size  int
	terms []extent
}

type extent struct {
	df   uint32
	size uint32
}

// place is the location of a token's documents in a segment.
type place struct {
	spans []span
	bits  bool // it is one span, with a bit per document
}

// found is the location of a token's documents.
type found struct {
	places []place // by part
	df     float64
	idf    float32
	// once is the score of a document with one occurrence, by length.
	once [256]float32
}

// locate looks up a token in all segments.
func (v *view) locate(q queryToken, norms *[256]float32) (*found, error) {
	f := &found{places: make([]place, len(v.parts))}
	l := &lister{}
	for i, p := range v.parts {
		*l = lister{s: p.segment, buf: l.buf, entry: entry{name: l.name[:0]}}
		df := l.find(q, &f.places[i])
		if l.err != nil {
			return nil, l.err
		}
		f.df += df
	}
	// A document may contain a prefix several times.
	f.df = min(f.df, v.docs)
	f.idf = float32(math.Log(1 + (v.docs-f.df+0.5)/(f.df+0.5)))
	for i, norm := range norms {
		f.once[i] = f.score(1, norm)
	}
	return f, nil
}

// find looks up a token, and returns the sum of its terms' document counts.
func (l *lister) find(q queryToken, to *place) (df float64) {
	if q.prefix {
		if df, known := l.findStart(q.text, to); known || l.err != nil {
			return df
		}
	}
	l.seek(q.text)
	for l.next() {
		if string(l.name) < q.text {
			continue
		}
		if !q.is(l.name) {
			break
		}
		if n := len(to.spans); n > 0 && to.spans[n-1].at+int64(to.spans[n-1].size) == l.at {
			last := &to.spans[n-1]
			last.size += l.size
			last.terms = append(last.terms, extent{l.df, uint32(l.size)})
		} else {
			to.spans = append(to.spans, span{l.at, l.size, []extent{{l.df, uint32(l.size)}}})
		}
		df += float64(l.df)
		if !q.prefix {
			break
		}
	}
	return df
}

// findStart looks up the stored data of a prefix. It is unknown if it may not
// have been worth storing.
func (l *lister) findStart(start string, to *place) (df float64, known bool) {
	name := startTerm(start)
	if name == "" {
		return 0, false
	}
	l.seek(name)
	for l.next() {
		if string(l.name) < name {
			continue
		}
		if string(l.name) > name {
			break
		}
		head, err := l.s.read(l.at, min(l.size, startHeader))
		if err != nil {
			l.err = err
			return 0, false
		}
		sum, n := uint64(0), 0
		if len(head) > 0 {
			sum, n = binary.Uvarint(head[1:])
		}
		if n <= 0 || head[0] > startBits || sum < uint64(l.df) {
			l.err = ErrDamaged
			return 0, false
		}
		size := l.size - 1 - n
		to.spans = []span{{l.at + int64(1+n), size, []extent{{l.df, uint32(size)}}}}
		to.bits = head[0] == startBits
		return float64(sum), true
	}
	return 0, alwaysKept(start)
}
