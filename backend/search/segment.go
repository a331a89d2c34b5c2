package search

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sort"
	"sync/atomic"

	"github.com/klauspost/compress/s2"

	"parley/backend/platform/safeopen"
)

// segment is an open segment. It is read with ReadAt and never memory-mapped, so
// that a truncated file causes errors instead of signals.
type segment struct {
	name string
	f    *os.File
	size int64
	// refs counts the views that hold it, and the index. The last release closes
	// the file.
	refs    atomic.Int32
	removed atomic.Bool

	docs, tokens uint64
	columns      []byte
	offsets      []byte
	sparse       []byte
	names        []byte
	table        table
}

// openSegment opens one, with one reference.
func openSegment(dir, name string) (*segment, error) {
	f, err := safeopen.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, fmt.Errorf("open a segment: %w", err)
	}
	s := &segment{name: name, f: f}
	s.refs.Store(1)
	if err := s.load(); err != nil {
		f.Close()
		return nil, fmt.Errorf("segment %s: %w", name, err)
	}
	return s, nil
}

func (s *segment) load() error {
	info, err := s.f.Stat()
	if err != nil {
		return err
	}
	s.size = info.Size()
	end := s.size - int64(footerSize)
	if end < 0 {
		return ErrDamaged
	}
	foot, err := s.read(end, footerSize)
	if err != nil {
		return err
	}
	sum := footerSize - len(magic) - 4
	if string(foot[sum+4:]) != magic || checksum(foot[:sum]) != binary.LittleEndian.Uint32(foot[sum:]) {
		return ErrDamaged
	}
	var parts [sections][]byte
	for i := range parts {
		e := foot[20*i:]
		at, size := int64(binary.LittleEndian.Uint64(e)), int64(binary.LittleEndian.Uint64(e[8:]))
		if at < 0 || size < 0 || at > end || size > end-at {
			return ErrDamaged
		}
		if parts[i], err = s.read(at, int(size)); err != nil {
			return err
		}
		if checksum(parts[i]) != binary.LittleEndian.Uint32(e[16:]) {
			return ErrDamaged
		}
	}
	s.columns, s.offsets, s.sparse, s.names = parts[0], parts[1], parts[2], parts[3]
	s.docs, s.tokens = uint64(binary.LittleEndian.Uint32(foot[20*sections:])), binary.LittleEndian.Uint64(foot[20*sections+4:])
	if err := json.Unmarshal(parts[4], &s.table); err != nil {
		return ErrDamaged
	}
	if len(s.columns) != int(s.docs)*columnSize || len(s.offsets)%offsetSize != 0 || len(s.sparse)%sparseSize != 0 || len(s.sparse) == 0 ||
		(len(s.offsets) == 0) != (s.docs == 0) {
		return ErrDamaged
	}
	for d := range uint32(s.docs) {
		c := s.column(d)
		if int(c.source()) >= len(s.table.Sources) || int(c.model()) >= len(s.table.Models) || c.kind() >= kinds {
			return ErrDamaged
		}
	}
	return nil
}

func (s *segment) read(at int64, n int) ([]byte, error) { return s.readTo(nil, at, n) }

func (s *segment) readTo(buf []byte, at int64, n int) ([]byte, error) {
	if n < 0 || at < 0 || int64(n) > s.size-at {
		return nil, ErrDamaged
	}
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	if _, err := s.f.ReadAt(buf, at); err != nil {
		if err == io.EOF {
			return nil, ErrDamaged
		}
		return nil, fmt.Errorf("read the search index: %w", err)
	}
	return buf, nil
}

func (s *segment) column(doc uint32) column {
	return column(s.columns[int(doc)*columnSize : (int(doc)+1)*columnSize])
}

// groups returns the number of groups of terms.
func (s *segment) groups() int { return len(s.sparse)/sparseSize - 1 }

// group returns where a group's postings start, where its list starts, and
// where it ends.
func (s *segment) group(n int) (postings, list, end int64) {
	e := s.sparse[n*sparseSize:]
	return int64(binary.LittleEndian.Uint64(e)), int64(binary.LittleEndian.Uint64(e[8:])), int64(binary.LittleEndian.Uint64(e[sparseSize:]))
}

// firstTerm returns the first term of a group.
func (s *segment) firstTerm(n int) []byte {
	begin := uint64(0)
	if n > 0 {
		begin = binary.LittleEndian.Uint64(s.sparse[(n-1)*sparseSize+16:])
	}
	end := binary.LittleEndian.Uint64(s.sparse[n*sparseSize+16:])
	if begin > end || end > uint64(len(s.names)) {
		return nil
	}
	return s.names[begin:end]
}

// entry is one term of a group's list.
type entry struct {
	name []byte
	df   uint32
	at   int64 // of its postings
	size int
}

// lister iterates over the terms of a segment in order.
type lister struct {
	s     *segment
	n     int // the next group
	buf   []byte
	list  []byte
	limit int64
	entry
	err error
}

// seek moves to the group that may contain the term.
func (l *lister) seek(name string) {
	l.n = max(0, sort.Search(l.s.groups(), func(i int) bool { return string(l.s.firstTerm(i)) > name })-1)
	l.list = nil
}

func (l *lister) next() bool {
	if l.err != nil {
		return false
	}
	if len(l.list) == 0 {
		if l.n >= l.s.groups() {
			return false
		}
		at, list, end := l.s.group(l.n)
		if l.buf, l.err = l.s.readTo(l.buf, list, int(end-list)); l.err != nil {
			return false
		}
		if len(l.buf) < 4 || checksum(l.buf[:len(l.buf)-4]) != binary.LittleEndian.Uint32(l.buf[len(l.buf)-4:]) {
			l.err = ErrDamaged
			return false
		}
		l.list = l.buf[:len(l.buf)-4]
		l.at, l.size, l.limit = at, 0, list
		l.name = l.name[:0]
		l.n++
	}
	l.at += int64(l.size)
	shared, rest := l.number(), l.number()
	if shared > uint64(len(l.name)) || rest > uint64(len(l.list)) {
		l.err = ErrDamaged
		return false
	}
	l.name = append(l.name[:shared], l.list[:rest]...)
	l.list = l.list[rest:]
	df, size := l.number(), l.number()
	if l.err != nil || df > l.s.docs || size > uint64(l.limit-l.at) || len(l.name) == 0 {
		l.err = ErrDamaged
		return false
	}
	l.df, l.size = uint32(df), int(size)
	return true
}

func (l *lister) number() uint64 {
	if len(l.list) > 0 && l.list[0] < 0x80 {
		v := l.list[0]
		l.list = l.list[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(l.list)
	if n <= 0 || v > math.MaxUint32 {
		l.err = ErrDamaged
		return 0
	}
	l.list = l.list[n:]
	return v
}

// stored is a document's data in a block.
type stored struct {
	offset  int64
	message string
	tool    string
	text    string
}

func (s *segment) blocks() int { return len(s.offsets) / offsetSize }

// blockAt returns where a block starts and its first document.
func (s *segment) blockAt(n int) (int64, uint32) {
	if n == s.blocks() {
		return s.textEnd(), uint32(s.docs)
	}
	e := s.offsets[n*offsetSize:]
	return int64(binary.LittleEndian.Uint64(e)), binary.LittleEndian.Uint32(e[8:])
}

// textEnd returns where the blocks end and the groups start.
func (s *segment) textEnd() int64 { return int64(binary.LittleEndian.Uint64(s.sparse)) }

// unpacked is an uncompressed block of a segment, cached for its next
// document.
type unpacked struct {
	s      *segment
	n      int
	packed []byte
	data   []byte
}

// document reads a document's stored data.
func (u *unpacked) document(s *segment, doc uint32) (stored, error) {
	n := sort.Search(s.blocks(), func(i int) bool { _, first := s.blockAt(i); return first > doc }) - 1
	if n < 0 {
		return stored{}, ErrDamaged
	}
	if u.s != s || u.n != n {
		if err := u.load(s, n); err != nil {
			return stored{}, err
		}
	}
	_, first := s.blockAt(n)
	r := blockReader{b: u.data}
	for range doc - first {
		r.skip()
	}
	d := r.next()
	if r.bad {
		return stored{}, ErrDamaged
	}
	return d, nil
}

func (u *unpacked) load(s *segment, n int) error {
	u.s = nil
	at, _ := s.blockAt(n)
	end, _ := s.blockAt(n + 1)
	var err error
	if u.packed, err = s.readTo(u.packed, at, int(end-at)); err != nil {
		return err
	}
	if len(u.packed) < 4 || checksum(u.packed[4:]) != binary.LittleEndian.Uint32(u.packed) {
		return ErrDamaged
	}
	if u.data, err = s2.Decode(u.data[:cap(u.data)], u.packed[4:]); err != nil {
		return ErrDamaged
	}
	u.s, u.n = s, n
	return nil
}

// blockReader iterates over the documents of a block.
type blockReader struct {
	b   []byte
	bad bool
}

func (r *blockReader) next() stored {
	offset := r.varint()
	return stored{offset: offset, message: string(r.bytes()), tool: string(r.bytes()), text: string(r.bytes())}
}

func (r *blockReader) skip() {
	r.varint()
	r.bytes()
	r.bytes()
	r.bytes()
}

func (r *blockReader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *blockReader) bytes() []byte {
	size, n := binary.Uvarint(r.b)
	if n <= 0 || size > uint64(len(r.b)-n) {
		r.bad, r.b = true, nil
		return nil
	}
	s := r.b[n : n+int(size)]
	r.b = r.b[n+int(size):]
	return s
}
