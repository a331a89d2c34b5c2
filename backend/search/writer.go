package search

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/s2"
)

// A segment is a file that is written once, sequentially:
//
//	blocks    texts of neighbouring documents, compressed:
//	          crc-32c of the rest, and for every document its offset in the
//	          transcript, the message's id, the tool, the text (each with its length)
//	groups    of at most 128 terms in order: their postings one after the other,
//	          then the list of the terms: how many, and for each how many bytes it
//	          shares with the one before, the rest of it, in how many documents it
//	          is, how long its postings are; crc-32c of the list. After the terms
//	          come beginnings of terms, see startMark
//	columns   16 bytes for every document, see column
//	offsets   12 bytes for every block: where it begins, its first document
//	sparse    24 bytes for every group: where its postings and its list begin, the
//	          end of its first term in names; one more at the end
//	names     the first terms
//	table     JSON: transcripts and models
//	footer    place, length and crc-32c of the last five; documents and tokens
const (
	magic      = "parleysearch1\n"
	groupSize  = 128
	blockSize  = 8 << 10
	columnSize = 16
	offsetSize = 12
	sparseSize = 24
	sections   = 5
	// syncEvery bounds how long finish waits for the disk, because that can't be
	// interrupted.
	syncEvery  = 32 << 20
	footerSize = sections*20 + 4 + 8 + 4 + len(magic)
)

// column is a document's data kept in memory.
//
//	0  at      int64
//	8  source  uint32, number in the table's transcripts
//	12 model   uint16, number in the table's models
//	14 length  uint8, of the text in tokens, see lengthByte
//	15 kind    uint8, plus isError
type column []byte

const isError = 0x80

func (c column) at() int64      { return int64(binary.LittleEndian.Uint64(c)) }
func (c column) source() uint32 { return binary.LittleEndian.Uint32(c[8:]) }
func (c column) model() uint16  { return binary.LittleEndian.Uint16(c[12:]) }
func (c column) length() uint8  { return c[14] }
func (c column) kind() Kind     { return Kind(c[15] &^ isError) }
func (c column) failed() bool   { return c[15]&isError != 0 }

// lengthByte encodes a length with a precision of about 4 %.
func lengthByte(tokens int) uint8 {
	return uint8(min(255, math.Round(16*math.Log2(1+float64(tokens)))))
}

func lengthOf(b uint8) float64 { return math.Exp2(float64(b)/16) - 1 }

// source is one transcript, or a part of one, in a segment.
type source struct {
	File
	// Life increases when a transcript is reindexed from the start; data of an
	// earlier life is dead. Rev orders the data of one life.
	Life    uint64 `json:"life"`
	Rev     uint64 `json:"rev"`
	Through int64  `json:"through"`
	Docs    uint32 `json:"docs"`
}

type table struct {
	Sources []source `json:"sources"`
	Models  []string `json:"models"`
}

// checksum returns a CRC-32C, which processors support.
func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// writer writes a segment: documents first, then terms, then the end. Errors are
// kept until finish.
type writer struct {
	path   string
	f      *os.File
	w      *bufio.Writer
	off    int64
	synced int64 // up to which position it is on disk
	err    error

	table  table
	models map[string]uint16

	columns, offsets, sparse, names []byte
	tokens                          uint64

	block, packed []byte
	first         uint32 // first document of the block

	worth   int // see worthKeeping
	starts  [longestStart]starts
	decoded postings

	group     []byte // the list of terms
	inGroup   int
	groupAt   int64 // where its postings start
	groupName int   // length of names, including its first term
	last      []byte
}

func newWriter(path string, worth int) (*writer, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("begin a segment: %w", err)
	}
	return &writer{path: path, f: f, w: bufio.NewWriterSize(f, 128<<10), models: map[string]uint16{}, worth: worth}, nil
}

// discard removes what was written.
func (w *writer) discard() {
	w.f.Close()
	os.Remove(w.path)
}

func (w *writer) docs() uint32 { return uint32(len(w.columns) / columnSize) }

func (w *writer) write(b []byte) {
	if w.err != nil {
		return
	}
	_, w.err = w.w.Write(b)
	w.off += int64(len(b))
	if w.off-w.synced >= syncEvery {
		w.sync()
	}
}

// sync waits for the disk.
func (w *writer) sync() {
	if w.err == nil {
		w.err = w.w.Flush()
	}
	if w.err == nil {
		w.err = w.f.Sync()
	}
	w.synced = w.off
}

// model returns a number for a model. More than 65,535 models share the last
// one.
func (w *writer) model(name string) uint16 {
	n, ok := w.models[name]
	if !ok {
		n = uint16(min(len(w.table.Models), math.MaxUint16))
		if len(w.table.Models) <= math.MaxUint16 {
			w.models[name] = n
			w.table.Models = append(w.table.Models, name)
		}
	}
	return n
}

// add adds a document with its truncated text to a source.
func (w *writer) add(src int, d *Document, tokens uint8) {
	kind := uint8(d.Kind)
	if d.IsError {
		kind |= isError
	}
	w.table.Sources[src].Docs++
	w.tokens += uint64(lengthOf(tokens))
	var c [columnSize]byte
	binary.LittleEndian.PutUint64(c[:], uint64(d.At))
	binary.LittleEndian.PutUint32(c[8:], uint32(src))
	binary.LittleEndian.PutUint16(c[12:], w.model(d.Model))
	c[14], c[15] = tokens, kind
	w.columns = append(w.columns, c[:]...)
	w.block = binary.AppendVarint(w.block, d.Offset)
	for _, s := range [...]string{d.MessageID, d.Tool, d.Text} {
		w.block = binary.AppendUvarint(w.block, uint64(len(s)))
		w.block = append(w.block, s...)
	}
	if len(w.block) >= blockSize {
		w.endBlock()
	}
}

func (w *writer) endBlock() {
	if len(w.block) == 0 {
		return
	}
	w.offsets = binary.LittleEndian.AppendUint64(w.offsets, uint64(w.off))
	w.offsets = binary.LittleEndian.AppendUint32(w.offsets, w.first)
	if n := s2.MaxEncodedLen(len(w.block)); cap(w.packed) < n {
		w.packed = make([]byte, n)
	}
	packed := s2.Encode(w.packed[:cap(w.packed)], w.block)
	w.write(binary.LittleEndian.AppendUint32(nil, checksum(packed)))
	w.write(packed)
	w.block, w.first = w.block[:0], w.docs()
}

// beginTerms ends the documents.
func (w *writer) beginTerms() {
	w.endBlock()
	for i := range w.starts {
		w.starts[i] = starts{length: i + 1, worth: w.worth, total: w.docs()}
	}
}

// term adds a term, greater than the previous one, and its postings.
func (w *writer) term(name []byte, df uint32, postings []byte) {
	w.decoded.reset()
	if err := w.decoded.decode(postings, df, uint64(w.docs())); err != nil {
		if w.err == nil {
			w.err = err
		}
		return
	}
	for i := range w.starts {
		w.starts[i].add(name, &w.decoded, len(postings))
	}
	w.put(name, df, postings)
}

// endTerms adds the prefixes, after the last term.
func (w *writer) endTerms() {
	var all []finished
	for i := range w.starts {
		w.starts[i].end()
		all = append(all, w.starts[i].done...)
	}
	slices.SortFunc(all, func(x, y finished) int { return strings.Compare(x.name, y.name) })
	for _, f := range all {
		w.put([]byte(f.name), f.df, f.kept)
	}
	w.endGroup()
}

func (w *writer) put(name []byte, df uint32, postings []byte) {
	if w.inGroup == 0 {
		w.groupAt = w.off
		w.names = append(w.names, name...)
		w.groupName = len(w.names)
		w.last = w.last[:0]
	}
	w.write(postings)
	shared := 0
	for shared < len(name) && shared < len(w.last) && name[shared] == w.last[shared] {
		shared++
	}
	w.group = binary.AppendUvarint(w.group, uint64(shared))
	w.group = binary.AppendUvarint(w.group, uint64(len(name)-shared))
	w.group = append(w.group, name[shared:]...)
	w.group = binary.AppendUvarint(w.group, uint64(df))
	w.group = binary.AppendUvarint(w.group, uint64(len(postings)))
	w.last = append(w.last[:0], name...)
	if w.inGroup++; w.inGroup == groupSize {
		w.endGroup()
	}
}

func (w *writer) endGroup() {
	if w.inGroup == 0 {
		return
	}
	w.appendSparse(w.groupAt, w.off, w.groupName)
	w.write(w.group)
	w.write(binary.LittleEndian.AppendUint32(nil, checksum(w.group)))
	w.group, w.inGroup = w.group[:0], 0
}

func (w *writer) appendSparse(postings, list int64, names int) {
	w.sparse = binary.LittleEndian.AppendUint64(w.sparse, uint64(postings))
	w.sparse = binary.LittleEndian.AppendUint64(w.sparse, uint64(list))
	w.sparse = binary.LittleEndian.AppendUint64(w.sparse, uint64(names))
}

// finish writes the end and waits for the disk.
func (w *writer) finish() error {
	w.endTerms()
	w.appendSparse(w.off, w.off, len(w.names))
	names, err := json.Marshal(w.table)
	if err != nil {
		return err
	}
	var footer []byte
	for _, section := range [sections][]byte{w.columns, w.offsets, w.sparse, w.names, names} {
		footer = binary.LittleEndian.AppendUint64(footer, uint64(w.off))
		footer = binary.LittleEndian.AppendUint64(footer, uint64(len(section)))
		footer = binary.LittleEndian.AppendUint32(footer, checksum(section))
		w.write(section)
	}
	footer = binary.LittleEndian.AppendUint32(footer, w.docs())
	footer = binary.LittleEndian.AppendUint64(footer, w.tokens)
	footer = binary.LittleEndian.AppendUint32(footer, checksum(footer))
	w.write(append(footer, magic...))
	w.sync()
	if err := w.f.Close(); w.err == nil {
		w.err = err
	}
	if w.err != nil {
		os.Remove(w.path)
		return fmt.Errorf("write a segment: %w", w.err)
	}
	return nil
}
