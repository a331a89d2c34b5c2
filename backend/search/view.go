package search

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// view is a snapshot of the index. Its files stay until it is released.
type view struct {
	parts  []part
	all    []*transcript
	memory *sync.Pool // contains *scratch
	docs   float64    // including dead ones
	tokens float64
}

// part is a segment with its live contents.
type part struct {
	*segment
	of      []*transcript // by source; nil for dead ones
	numbers []int32       // their numbers in the view; -1 for dead ones
	dead    uint64        // documents
}

// publish sets the index's segments and the transcripts' metadata, on disk first.
// It must be called with mu. To include pending, pass it as known.
func (x *Index) publish(segments []*segment, known map[string]source) error {
	man := x.man
	man.Segments = make([]string, 0, len(segments))
	held := map[string]bool{}
	for _, s := range segments {
		man.Segments = append(man.Segments, s.name)
		for i := range s.table.Sources {
			held[s.table.Sources[i].ID] = true
		}
	}
	man.Forgotten = maps.Clone(man.Forgotten)
	maps.DeleteFunc(man.Forgotten, func(id string, _ uint64) bool { return !held[id] })
	if err := man.write(x.dir); err != nil {
		return err
	}
	for _, s := range x.segments {
		if !slices.Contains(segments, s) {
			s.removed.Store(true)
			x.release(s)
		}
	}
	x.man, x.segments, x.committed = man, segments, known
	for id, s := range x.pending {
		if known[id].Rev == s.Rev {
			delete(x.pending, id)
		}
	}
	x.refresh()
	return nil
}

// refresh recomputes what depends on segments and committed.
func (x *Index) refresh() {
	all := make(map[string]*transcript, len(x.committed)) // views have the old ones
	list, numbers := make([]*transcript, 0, len(x.committed)), make(map[*transcript]int32, len(x.committed))
	for id, s := range x.committed {
		t := x.all[id]
		if t == nil || t.File != s.File {
			t = newTranscript(s.File)
		}
		all[id], numbers[t] = t, int32(len(list))
		list = append(list, t)
	}
	x.all, x.list = all, list
	x.parts = make([]part, 0, len(x.segments))
	for _, s := range x.segments {
		p := part{segment: s, of: make([]*transcript, len(s.table.Sources)), numbers: make([]int32, len(s.table.Sources))}
		for i := range p.of {
			src := &s.table.Sources[i]
			if x.committed[src.ID].Life == src.Life {
				p.of[i] = all[src.ID]
				p.numbers[i] = numbers[p.of[i]]
			} else {
				p.numbers[i] = -1
				p.dead += uint64(src.Docs)
			}
		}
		x.parts = append(x.parts, p)
	}
}

// view returns a snapshot of the index.
func (x *Index) view() (*view, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil, ErrClosed
	}
	v := &view{parts: x.parts, all: x.list, memory: &x.scratch}
	for _, p := range v.parts {
		p.refs.Add(1)
		v.docs += float64(p.docs)
		v.tokens += float64(p.tokens)
	}
	return v, nil
}

func (x *Index) let(v *view) {
	for _, p := range v.parts {
		x.release(p.segment)
	}
}

// release releases one reference of a segment; the last one closes its file.
func (x *Index) release(s *segment) {
	if s.refs.Add(-1) > 0 {
		return
	}
	s.f.Close()
	if s.removed.Load() {
		if err := os.Remove(filepath.Join(x.dir, s.name)); err != nil {
			x.log.Warn("Couldn't delete an unused segment of the search index", "err", err)
		}
	}
}
