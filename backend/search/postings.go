package search

import (
	"encoding/binary"
	"slices"
)

// The postings of a term are its documents in ascending order, each as one
// number: the distance to the previous one, doubled, plus 1 if a second number
// follows, which is the document's count of the term, minus 2.

func appendPosting(b []byte, delta, tf uint32) []byte {
	if tf == 1 {
		return binary.AppendUvarint(b, uint64(delta)<<1)
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(delta)<<1|1), uint64(tf-2))
}

// postings are decoded postings.
type postings struct {
	docs, tfs []uint32
}

func (p *postings) reset() { p.docs, p.tfs = p.docs[:0], p.tfs[:0] }

// decode appends the df documents in b that are below the limit.
func (p *postings) decode(b []byte, df uint32, limit uint64) error {
	if uint64(df) > uint64(len(b)) {
		return ErrDamaged
	}
	n := len(p.docs)
	p.docs, p.tfs = slices.Grow(p.docs, int(df))[:n+int(df)], slices.Grow(p.tfs, int(df))[:n+int(df)]
	docs, tfs := p.docs[n:], p.tfs[n:]
	tfs = tfs[:len(docs)]
	doc, i := uint64(0), 0
	for n := range docs {
		if i >= len(b) {
			return ErrDamaged
		}
		v := uint64(b[i])
		i++
		if v >= 0x80 {
			if i < len(b) && b[i] < 0x80 { // most aren't longer
				v = v&0x7f | uint64(b[i])<<7
				i++
			} else {
				var size int
				if v, size = binary.Uvarint(b[i-1:]); size <= 0 {
					return ErrDamaged
				}
				i += size - 1
			}
		}
		tf := uint64(1)
		if v&1 != 0 {
			if i < len(b) && b[i] < 0x80 {
				tf = uint64(b[i]) + 2
				i++
			} else {
				more, size := binary.Uvarint(b[i:])
				if size <= 0 {
					return ErrDamaged
				}
				tf, i = more+2, i+size
			}
		}
		if doc += v >> 1; doc >= limit {
			return ErrDamaged
		}
		docs[n], tfs[n] = uint32(doc), uint32(tf)
	}
	if i != len(b) {
		return ErrDamaged
	}
	return nil
}
