package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"strings"
)

// The parts of bbolt's file format needed to check it (version 2, in the
// machine's byte order). bbolt's own check maps the file and runs on its own
// goroutine, where a missing page crashes the process.
const (
	boltMagic   = 0xED0CDAED
	boltVersion = 2

	pageHead  = 16
	elemSize  = 16
	metaSize  = 64
	bucketLen = 16

	branchFlag   = 0x01
	leafFlag     = 0x02
	metaFlag     = 0x04
	freelistFlag = 0x10
	bucketFlag   = 0x01

	minPageSize = 1 << 10
	maxPageSize = 1 << 16
	// maxDepth bounds the tree; a real one has three or four levels per bucket.
	maxDepth = 64
)

// damage describes what is wrong with a file. Read errors aren't damage.
type damage struct{ what string }

func (d *damage) Error() string { return d.what }

func isDamage(err error) bool {
	var d *damage
	return errors.As(err, &d)
}

func damaged(format string, args ...any) error {
	return &damage{fmt.Sprintf(format, args...)}
}

// image is a bbolt file on disk. It is read with plain reads, so that a bad
// file can cause nothing worse than an error.
type image struct {
	file     io.ReaderAt
	size     int64
	pageSize int64
	root     uint64
	freelist uint64
	pages    uint64 // the number of pages in use or free
	txid     uint64
	// metas counts the valid meta pages; there should be two.
	metas int
	// badHead is set if the head of such a page is wrong.
	badHead bool
	// treeWhole is set by walk if all pages and values of the tree are good.
	treeWhole bool
	free      map[uint64]bool
	seen      map[uint64]bool
}

// entry is a key with its value, and its location.
type entry struct {
	path       string // "records/sessions"
	key, value []byte
}

// openImage finds the newest valid meta page. Validity is defined exactly as in
// bbolt, which would otherwise follow another tree than the one that was checked.
func openImage(file io.ReaderAt, size int64) (*image, error) {
	im := &image{file: file, size: size}
	// The second meta page is one page after the first, and only a meta page
	// contains the page size.
	for at := int64(0); at <= maxPageSize; at = max(at*2, minPageSize) {
		if at+pageHead+metaSize > size {
			break
		}
		if err := im.adoptMeta(at); err != nil {
			return nil, err
		}
	}
	if im.metas == 0 {
		return nil, damaged("no valid meta page")
	}
	return im, nil
}

// adoptMeta uses the meta page at an offset if it is valid and newer.
func (im *image) adoptMeta(at int64) error {
	buf := make([]byte, pageHead+metaSize)
	if err := im.read(buf, at); err != nil {
		return err
	}
	ne := binary.NativeEndian
	m := buf[pageHead:]
	sum := fnv.New64a()
	_, _ = sum.Write(m[:metaSize-8])
	pageSize := int64(ne.Uint32(m[8:]))
	switch {
	case ne.Uint32(m) != boltMagic || ne.Uint32(m[4:]) != boltVersion || ne.Uint64(m[56:]) != sum.Sum64(),
		pageSize < minPageSize || pageSize > maxPageSize || pageSize&(pageSize-1) != 0,
		at != 0 && at != pageSize:
		return nil
	}
	im.metas++
	if head := headOf(buf); head.flags != metaFlag || head.id != uint64(at/pageSize) {
		im.badHead = true
	}
	if im.metas > 1 && im.txid > ne.Uint64(m[48:]) {
		return nil
	}
	im.pageSize = pageSize
	im.root, im.freelist, im.pages, im.txid = ne.Uint64(m[16:]), ne.Uint64(m[32:]), ne.Uint64(m[40:]), ne.Uint64(m[48:])
	return nil
}

func (im *image) read(buf []byte, at int64) error {
	n, err := im.file.ReadAt(buf, at)
	if n == len(buf) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return damaged("the file ends at %d", at+int64(n))
	}
	return fmt.Errorf("read the store: %w", err)
}

// page is one page with its overflow pages.
type page struct {
	id       uint64
	flags    uint16
	count    int
	overflow uint64
	// inline is set for a small bucket within another page.
	inline bool
	data   []byte
}

// page reads one page and checks its head.
func (im *image) page(id uint64) (*page, error) {
	if id < 2 || id >= im.pages {
		return nil, damaged("page %d does not exist", id)
	}
	at := int64(id) * im.pageSize
	if at < 0 || at+im.pageSize > im.size {
		return nil, damaged("page %d is behind the end of the file", id)
	}
	buf := make([]byte, im.pageSize)
	if err := im.read(buf, at); err != nil {
		return nil, err
	}
	p := headOf(buf)
	if p.id != id {
		return nil, damaged("page %d says it is page %d", id, p.id)
	}
	if p.overflow > 0 {
		length := int64(p.overflow+1) * im.pageSize
		if id+p.overflow >= im.pages || at+length > im.size {
			return nil, damaged("page %d is too long", id)
		}
		p.data = make([]byte, length)
		if err := im.read(p.data, at); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func headOf(buf []byte) *page {
	ne := binary.NativeEndian
	return &page{id: ne.Uint64(buf), flags: ne.Uint16(buf[8:]), count: int(ne.Uint16(buf[10:])),
		overflow: uint64(ne.Uint32(buf[12:])), data: buf}
}

// element is one entry of a branch or leaf page.
type element struct {
	bucket     bool
	child      uint64
	key, value []byte
}

// elements parses a page. They are contiguous, as bbolt writes them, which
// reveals a wrong count. What could be parsed before the damage is returned with
// the error.
func (p *page) elements() ([]element, error) {
	end := pageHead + p.count*elemSize
	if end > len(p.data) {
		return nil, damaged("page %d has no room for %d entries", p.id, p.count)
	}
	if rest := bytes.Trim(p.data[pageHead:min(pageHead+elemSize, len(p.data))], "\x00"); p.count == 0 && len(rest) > 0 {
		return nil, damaged("page %d should have entries", p.id)
	}
	all := make([]element, 0, p.count)
	for i := range p.count {
		e, start, err := p.element(i)
		if err != nil {
			return all, err
		}
		if start != end {
			return all, damaged("entry %d of page %d is not where it belongs", i, p.id)
		}
		end = start + len(e.key) + len(e.value)
		all = append(all, e)
	}
	if p.inline && end != len(p.data) {
		return all, damaged("a bucket in page %d should have more entries", p.id)
	}
	return all, nil
}

// element parses the i-th entry of a page and returns where its key starts.
func (p *page) element(i int) (element, int, error) {
	ne := binary.NativeEndian
	head := pageHead + i*elemSize
	raw := p.data[head : head+elemSize]
	var e element
	var pos, keyLen, valueLen uint64
	if p.flags == branchFlag {
		pos, keyLen, e.child = uint64(ne.Uint32(raw)), uint64(ne.Uint32(raw[4:])), ne.Uint64(raw[8:])
	} else {
		e.bucket = ne.Uint32(raw)&bucketFlag != 0
		pos, keyLen, valueLen = uint64(ne.Uint32(raw[4:])), uint64(ne.Uint32(raw[8:])), uint64(ne.Uint32(raw[12:]))
	}
	start := uint64(head) + pos
	if start < uint64(pageHead+p.count*elemSize) || start+keyLen+valueLen > uint64(len(p.data)) || keyLen == 0 {
		return element{}, 0, damaged("entry %d of page %d lies outside of it", i, p.id)
	}
	e.key, e.value = p.data[start:start+keyLen], p.data[start+keyLen:start+keyLen+valueLen]
	return e, int(start), nil
}

// inlinePage is a small bucket in the value of its parent.
func inlinePage(id uint64, value []byte) (*page, error) {
	if len(value) < bucketLen+pageHead {
		return nil, damaged("a bucket in page %d is too short", id)
	}
	p := headOf(value[bucketLen:])
	if p.flags != leafFlag || p.overflow != 0 {
		return nil, damaged("a bucket in page %d is of the wrong kind", id)
	}
	p.id, p.inline = id, true
	return p, nil
}

func join(path string, key []byte) string {
	return strings.TrimPrefix(path+"/"+string(key), "/")
}
