package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
)

// walk follows the whole tree and calls visit for every value. It returns the
// first damage: anything that bbolt could fail on, and what visit found. It
// continues after that, because it must learn which pages are in use; only
// another error ends it.
func (im *image) walk(visit func(entry) error) error {
	var first error
	note := func(err error) error {
		if !isDamage(err) {
			return err
		}
		if first == nil {
			first = err
		}
		return nil
	}
	if int64(im.pages) < 0 || int64(im.pages) > im.size/im.pageSize {
		first = damaged("%d pages do not fit into %d bytes", im.pages, im.size)
	}
	if im.badHead {
		first = damaged("the head of a meta page is wrong")
	}
	if err := note(im.loadFree()); err != nil {
		return err
	}
	before := first
	first = nil
	w := walker{im, note, visit}
	if err := note(w.tree(im.root, "", nil, nil, 0)); err != nil {
		return err
	}
	im.treeWhole = first == nil
	return cmp.Or(before, first)
}

// walker is one walk through a tree.
type walker struct {
	*image
	// note records damage and returns every other error.
	note  func(error) error
	visit func(entry) error
}

// loadFree reads the list of free pages. A wrong one would make bbolt overwrite
// pages in use.
func (im *image) loadFree() error {
	im.seen, im.free = map[uint64]bool{}, nil
	p, err := im.page(im.freelist)
	if err != nil {
		return err
	}
	if p.flags != freelistFlag {
		return damaged("page %d is no list of free pages", p.id)
	}
	at, count := pageHead, uint64(p.count)
	if count == 0xFFFF { // the count is then in front of the list
		count, at = binary.NativeEndian.Uint64(p.data[at:]), at+8
	}
	if count > uint64(len(p.data)-at)/8 {
		return damaged("the list of free pages is too long")
	}
	free := make(map[uint64]bool, count)
	for i := range int(count) {
		id := binary.NativeEndian.Uint64(p.data[at+8*i:])
		if id < 2 || id >= im.pages || free[id] {
			return damaged("page %d cannot be free", id)
		}
		free[id] = true
	}
	im.free = free
	return im.claim(p)
}

// claim records that a page is used, once.
func (im *image) claim(p *page) error {
	for id := p.id; id <= p.id+p.overflow; id++ {
		if im.seen[id] {
			return damaged("page %d is used twice", id)
		}
		if im.free[id] {
			return damaged("page %d is in use and free", id)
		}
		im.seen[id] = true
	}
	return nil
}

// tree checks a page and everything below it. Its keys are at least low and
// below high, unless those are nil.
func (w walker) tree(id uint64, path string, low, high []byte, depth int) error {
	if depth > maxDepth {
		return damaged("the tree is too deep")
	}
	p, err := w.page(id)
	if err != nil {
		return err
	}
	if err := w.claim(p); err != nil {
		return err
	}
	switch p.flags {
	case leafFlag:
		return w.leaf(p, path, low, high, depth)
	case branchFlag:
		return w.branch(p, path, low, high, depth)
	default:
		return damaged("page %d is of the wrong kind", id)
	}
}

func (w walker) branch(p *page, path string, low, high []byte, depth int) error {
	all, err := p.elements()
	if err != nil || len(all) == 0 {
		return cmp.Or(err, damaged("page %d is empty", p.id))
	}
	for i, e := range all {
		if err := between(e.key, low, high, i > 0, p.id); err != nil {
			return err
		}
		end := high
		if i+1 < len(all) {
			end = all[i+1].key
		}
		if err := w.note(w.tree(e.child, path, e.key, end, depth+1)); err != nil {
			return err
		}
		low = e.key
	}
	return nil
}

func (w walker) leaf(p *page, path string, low, high []byte, depth int) error {
	all, err := p.elements()
	if err != nil {
		return err
	}
	for i, e := range all {
		if err := between(e.key, low, high, i > 0, p.id); err != nil {
			return err
		}
		low = e.key
		if e.bucket {
			err = w.bucket(p, e, join(path, e.key), depth)
		} else {
			err = w.visit(entry{path, e.key, e.value})
		}
		if err := w.note(err); err != nil {
			return err
		}
	}
	return nil
}

func (w walker) bucket(p *page, e element, path string, depth int) error {
	if len(e.value) < bucketLen {
		return damaged("a bucket in page %d is too short", p.id)
	}
	if root := binary.NativeEndian.Uint64(e.value); root != 0 {
		return w.tree(root, path, nil, nil, depth+1)
	}
	inner, err := inlinePage(p.id, e.value)
	if err != nil {
		return err
	}
	if depth > maxDepth {
		return damaged("the tree is too deep")
	}
	return w.leaf(inner, path, nil, nil, depth+1)
}

// between checks a key's order. The first one on a page may equal the lower
// bound, later ones must be above the previous one.
func between(key, low, high []byte, above bool, id uint64) error {
	c := 1
	if low != nil {
		c = bytes.Compare(key, low)
	}
	if c < 0 || above && c == 0 || high != nil && bytes.Compare(key, high) >= 0 {
		return damaged("the keys of page %d are out of order", id)
	}
	return nil
}

// scan reads every page, whether or not the tree leads to it, and calls visit for
// all recoverable values. They are those of the last transaction if the tree is
// intact or the free list tells which pages count. If both are lost, they include
// older copies, and recently deleted values, which is better than nothing.
func (im *image) scan(visit func(key, value []byte) error) error {
	last := min(im.pages, uint64(im.size/im.pageSize))
	for id := uint64(2); id < last; id++ {
		if im.treeWhole && !im.seen[id] || !im.treeWhole && im.free[id] {
			continue
		}
		p, err := im.page(id)
		if err != nil {
			if isDamage(err) {
				continue
			}
			return err
		}
		if p.flags != leafFlag {
			continue
		}
		if err := scanLeaf(p, visit); err != nil {
			return err
		}
		id += p.overflow
	}
	return nil
}

func scanLeaf(p *page, visit func(key, value []byte) error) error {
	for i := range min(p.count, (len(p.data)-pageHead)/elemSize) {
		e, _, err := p.element(i)
		if err != nil {
			continue // the next one may be intact
		}
		if e.bucket {
			if inner, err := inlinePage(p.id, e.value); err == nil {
				if err := scanLeaf(inner, visit); err != nil {
					return err
				}
			}
			continue
		}
		if err := visit(e.key, e.value); err != nil {
			return err
		}
	}
	return nil
}
