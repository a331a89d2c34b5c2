package search

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"runtime"
	"slices"
	"unicode/utf8"

	"parley/backend/truncate"
)

// builder collects the terms of new documents in memory, while their texts
// are written to a segment's file.
//
// Terms are in an open hash table. A term's postings are a chain of pieces in
// one large slice, starting small, because most terms are rare. A term's last
// posting is only written with the next document that has the term, so a term in
// a single document needs no piece.
type builder struct {
	w      *writer
	slots  []uint32 // number of a term plus 1
	terms  []term
	names  []byte
	pieces []byte
	byID   map[string]int // index of a transcript in the writer's table
	tmp    []byte
}

type term struct {
	hash       uint32
	name       uint32 // where it starts in names
	doc        uint32 // the last one that has it
	delta, tf  uint32 // of that one
	df         uint32
	head, tail uint32 // in pieces: the first piece, the end of the data
	end        uint32 // of the last piece, without its link
	size       uint8  // of the name
	level      uint8  // size of the last piece
}

// yieldEvery is the amount of text after which it yields the processor: a waiting
// query would otherwise wait ten milliseconds.
const yieldEvery = 64 << 10

const (
	link      = 4 // bytes at the end of a piece with the position of the next
	lastLevel = 7
)

func pieceSize(level uint8) int { return link + 8<<level }

func newBuilder(path string, worth int) (*builder, error) {
	w, err := newWriter(path, worth)
	if err != nil {
		return nil, err
	}
	return &builder{w: w, slots: make([]uint32, 1<<12), byID: map[string]int{}}, nil
}

// reuse takes over the memory of a finished builder.
func (b *builder) reuse(old *builder) {
	clear(old.slots)
	b.slots, b.terms, b.names, b.pieces, b.tmp = old.slots, old.terms[:0], old.names[:0], old.pieces[:0], old.tmp[:0]
}

// memory returns the size in bytes, without the writer's.
func (b *builder) memory() int {
	return len(b.slots)*4 + len(b.terms)*40 + len(b.names) + len(b.pieces) + len(b.w.columns)
}

// add adds documents of one transcript, and its metadata.
func (b *builder) add(s source, docs []Document) error {
	n, ok := b.byID[s.ID]
	if ok && b.w.table.Sources[n].Life == s.Life {
		s.Docs = b.w.table.Sources[n].Docs
		b.w.table.Sources[n] = s
	} else {
		n = len(b.w.table.Sources)
		b.byID[s.ID] = n
		b.w.table.Sources = append(b.w.table.Sources, s)
	}
	var scan scanner
	since := 0
	for i := range docs {
		d := docs[i]
		d.Text = truncate.Prefix(d.Text, Limit(d.Kind))
		if !utf8.ValidString(d.Text) {
			d.Text = string(bytes.ToValidUTF8([]byte(d.Text), []byte("\uFFFD")))
		}
		tokens, doc := 0, b.w.docs()
		scan.reset(d.Text)
		for scan.next() {
			tokens++
			b.count(doc, scan.tok.folded)
		}
		b.w.add(n, &d, lengthByte(tokens))
		if since += len(d.Text); since >= yieldEvery {
			since = 0
			runtime.Gosched()
		}
	}
	return b.w.err
}

// count counts one occurrence of a term.
func (b *builder) count(doc uint32, name []byte) {
	h := hash(name)
	mask := uint32(len(b.slots) - 1)
	at := h & mask
	for ; b.slots[at] != 0; at = (at + 1) & mask {
		t := &b.terms[b.slots[at]-1]
		if t.hash == h && string(b.names[t.name:t.name+uint32(t.size)]) == string(name) {
			if t.doc == doc {
				t.tf++
				return
			}
			b.post(t)
			t.delta, t.doc, t.tf = doc-t.doc, doc, 1
			t.df++
			return
		}
	}
	b.terms = append(b.terms, term{hash: h, name: uint32(len(b.names)), size: uint8(len(name)), doc: doc, delta: doc, tf: 1, df: 1})
	b.names = append(b.names, name...)
	b.slots[at] = uint32(len(b.terms))
	if len(b.terms)*2 > len(b.slots) {
		b.grow()
	}
}

func (b *builder) grow() {
	b.slots = make([]uint32, 2*len(b.slots))
	mask := uint32(len(b.slots) - 1)
	for i := range b.terms {
		at := b.terms[i].hash & mask
		for b.slots[at] != 0 {
			at = (at + 1) & mask
		}
		b.slots[at] = uint32(i + 1)
	}
}

// post writes a term's last posting to its pieces.
func (b *builder) post(t *term) {
	var raw [20]byte
	for _, c := range appendPosting(raw[:0], t.delta, t.tf) {
		if t.tail == t.end {
			b.piece(t)
		}
		b.pieces[t.tail] = c
		t.tail++
	}
}

// piece gives a term a new piece.
func (b *builder) piece(t *term) {
	start := len(b.pieces)
	size := pieceSize(t.level)
	b.pieces = slices.Grow(b.pieces, size)[:start+size]
	if t.end == 0 {
		t.head = uint32(start)
	} else {
		binary.LittleEndian.PutUint32(b.pieces[t.end:], uint32(start))
	}
	t.level = min(t.level+1, lastLevel)
	t.tail, t.end = uint32(start), uint32(start+size-link)
}

// finish writes the segment.
func (b *builder) finish() error {
	b.w.beginTerms()
	type key struct {
		start uint64 // of the name, so that few names must be compared
		n     uint32
	}
	order := make([]key, len(b.terms))
	for i := range b.terms {
		t := &b.terms[i]
		var start [8]byte
		copy(start[:], b.names[t.name:t.name+uint32(t.size)])
		order[i] = key{binary.BigEndian.Uint64(start[:]), uint32(i)}
	}
	name := func(n uint32) []byte { t := &b.terms[n]; return b.names[t.name : t.name+uint32(t.size)] }
	slices.SortFunc(order, func(x, y key) int {
		if x.start != y.start {
			return cmp.Compare(x.start, y.start)
		}
		return bytes.Compare(name(x.n), name(y.n))
	})
	for _, k := range order {
		t := &b.terms[k.n]
		b.tmp = b.chain(b.tmp[:0], t)
		b.tmp = appendPosting(b.tmp, t.delta, t.tf)
		b.w.term(name(k.n), t.df, b.tmp)
	}
	return b.w.finish()
}

// chain appends the contents of a term's pieces.
func (b *builder) chain(to []byte, t *term) []byte {
	if t.end == 0 {
		return to
	}
	at := t.head
	for level := uint8(0); ; level = min(level+1, lastLevel) {
		end := at + uint32(pieceSize(level)-link)
		if end == t.end {
			return append(to, b.pieces[at:t.tail]...)
		}
		to = append(to, b.pieces[at:end]...)
		at = binary.LittleEndian.Uint32(b.pieces[end:])
	}
}
