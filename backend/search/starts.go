package search

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Most typed words start as one letter, then two, then three. The documents with a
// word of that prefix are stored beside the terms, under a name that starts with a
// byte that no text contains, so that they come after all terms.
//
// For one or two ASCII letters they are always stored, without counts, because
// nearly every document has them. For up to three other characters they are stored
// if visiting all the terms would take long, with the counts.
const (
	startMark = 0xff
	// longestStart is in characters.
	longestStart = 3
	// worthKeeping is how much longer visiting all terms of a prefix must be than
	// reading its stored form twice for it to be stored: in bytes of postings. Starting
	// another term costs as much as perTerm of them.
	worthKeeping = 8 << 10
	perTerm      = 24
)

// A stored prefix has a byte for its form; the sum of its terms' document counts;
// and the documents, as postings or as one bit per document of the segment.
const (
	startPostings = iota
	startBits
	startHeader = 1 + binary.MaxVarintLen64 // at most
)

// startLength returns the length in bytes of a term's first characters; 0 if
// the term is shorter.
func startLength[T string | []byte](term T, characters int) int {
	n := 0
	for range characters {
		if n >= len(term) {
			return 0
		}
		if term[n] < utf8.RuneSelf {
			n++
			continue
		}
		n++
		for n < len(term) && !utf8.RuneStart(term[n]) {
			n++
		}
	}
	return n
}

// alwaysKept reports whether every segment with a term of the prefix stores it.
func alwaysKept[T string | []byte](start T) bool {
	return len(start) == 1 && start[0] < utf8.RuneSelf || len(start) == 2 && start[0] < utf8.RuneSelf && start[1] < utf8.RuneSelf
}

// startTerm returns the name for a prefix; "" if there is none.
func startTerm(start string) string {
	if n := utf8.RuneCountInString(start); n == 0 || n > longestStart {
		return ""
	}
	return string([]byte{startMark}) + start
}

// finished is a prefix as it is written.
type finished struct {
	name string
	df   uint32
	kept []byte
}

// starts collects the documents of consecutive terms with the same prefix.
type starts struct {
	length int    // of the prefixes, in characters
	worth  int    // see worthKeeping
	total  uint32 // documents of the segment
	done   []finished

	name  []byte // the current one; empty for none
	sum   uint64 // of each term's document count
	size  int    // of the postings of its terms, with perTerm
	docs  []uint64
	tfs   []uint32 // of all documents
	held  postings // not in tfs yet: it may not be worth it
	build []byte
}

// add adds a term's documents.
func (s *starts) add(term []byte, p *postings, size int) {
	name := term[:startLength(term, s.length)]
	if !bytes.Equal(name, s.name) {
		s.end()
		s.name = append(s.name[:0], name...)
	}
	if len(name) == 0 {
		return
	}
	s.sum += uint64(len(p.docs))
	s.size += size + perTerm
	if alwaysKept(name) {
		if s.docs == nil {
			s.docs = make([]uint64, s.total/64+1)
		}
		for _, d := range p.docs {
			s.docs[d/64] |= 1 << (d % 64)
		}
		return
	}
	s.held.docs, s.held.tfs = append(s.held.docs, p.docs...), append(s.held.tfs, p.tfs...)
	if s.size >= s.worth {
		s.pour()
	}
}

// pour adds what is held, by document.
func (s *starts) pour() {
	if s.tfs == nil {
		s.tfs = make([]uint32, s.total)
	}
	for i, d := range s.held.docs {
		s.tfs[d] += s.held.tfs[i]
	}
	s.held.reset()
}

// end finishes the current prefix.
func (s *starts) end() {
	switch {
	case len(s.name) == 0:
	case alwaysKept(s.name):
		s.endBits()
	case s.size >= s.worth:
		s.endPostings()
	}
	s.held.reset()
	s.name, s.sum, s.size = s.name[:0], 0, 0
}

func (s *starts) endBits() {
	df, last := 0, 0
	s.build = s.build[:0]
	for i, w := range s.docs {
		df += bits.OnesCount64(w)
		for ; w != 0; w &= w - 1 {
			d := i*64 + bits.TrailingZeros64(w)
			s.build = appendPosting(s.build, uint32(d-last), 1)
			last = d
		}
	}
	form := byte(startPostings)
	if n := int(s.total+7) / 8; n < len(s.build) {
		form, s.build = startBits, s.build[:0]
		for _, w := range s.docs {
			s.build = binary.LittleEndian.AppendUint64(s.build, w)
		}
		s.build = s.build[:n]
	}
	clear(s.docs)
	s.keep(form, uint32(df), uint64(df))
}

func (s *starts) endPostings() {
	df, last := uint32(0), 0
	s.build = s.build[:0]
	for d, tf := range s.tfs {
		if tf > 0 {
			s.build = appendPosting(s.build, uint32(d-last), tf)
			last = d
			df++
		}
	}
	clear(s.tfs)
	if 2*len(s.build)+s.worth <= s.size {
		s.keep(startPostings, df, s.sum)
	}
}

func (s *starts) keep(form byte, df uint32, sum uint64) {
	kept := binary.AppendUvarint(append(make([]byte, 0, startHeader+len(s.build)), form), sum)
	s.done = append(s.done, finished{string([]byte{startMark}) + string(s.name), df, append(kept, s.build...)})
}
