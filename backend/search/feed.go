package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"sync"

	"parley/backend/owner"
)

// Index adds what is new in a transcript. Updates of one transcript are sequential;
// those of different ones may be concurrent. They are found, and survive a crash,
// after the next Commit, or automatically after a large amount. After [ErrGap] and
// after the end of the context nothing has changed; after any other error
// everything since the last Commit is lost, and State returns where to continue.
func (x *Index) Index(ctx context.Context, u Update) error {
	full, err := x.add(ctx, u)
	if err != nil {
		return err
	}
	if full {
		return x.commit(true)
	}
	return nil
}

func (x *Index) add(ctx context.Context, u Update) (full bool, err error) {
	x.feed.RLock()
	var b *builder
	select {
	case <-ctx.Done():
		x.feed.RUnlock()
		return false, ctx.Err()
	case b = <-x.builders:
	}
	lost := false
	defer func() {
		x.builders <- b
		x.feed.RUnlock()
		if lost {
			x.feed.Lock()
			defer x.feed.Unlock()
			x.discard()
		}
	}()
	s, name, err := x.admit(u)
	if err != nil {
		return false, err
	}
	if b == nil {
		if b, err = newBuilder(filepath.Join(x.dir, name), x.worth); err != nil {
			lost = true
			return false, err
		}
		select {
		case old := <-x.spare:
			b.reuse(old)
		default:
		}
	}
	if err := b.add(s, u.Documents); err != nil {
		lost = true
		return false, fmt.Errorf("add to the search index: %w", err)
	}
	return b.memory() > x.max, nil
}

// admit validates an update, records it, and returns a name for a segment.
func (x *Index) admit(u Update) (source, string, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return source{}, "", ErrClosed
	}
	old, known := x.state(u.File.ID)
	if u.From != 0 && (!known || old.Through != u.From) || u.Through < u.From {
		return source{}, "", fmt.Errorf("%w: transcript %s from %d through %d, known through %d", ErrGap, u.File.ID, u.From, u.Through, old.Through)
	}
	x.man.Rev++
	s := source{File: u.File, Life: old.Life, Rev: x.man.Rev, Through: u.Through}
	if u.From == 0 {
		s.Life = x.man.Rev
	}
	x.pending[s.ID] = s
	return s, x.segmentName(), nil
}

// segmentName must be called with mu.
func (x *Index) segmentName() string {
	x.man.Next++
	return strconv.FormatUint(x.man.Next, 10) + ".seg"
}

// Commit makes everything added findable and durable.
func (x *Index) Commit() error { return x.commit(false) }

func (x *Index) commit(more bool) error {
	x.feed.Lock()
	defer x.feed.Unlock()
	if x.isClosed() {
		return ErrClosed
	}
	return x.flush(more)
}

// take takes the non-empty builders. It and the following are called with feed.
func (x *Index) take() []*builder {
	var all []*builder
	for range cap(x.builders) {
		if b := <-x.builders; b != nil {
			all = append(all, b)
		}
	}
	return all
}

func (x *Index) giveBack() {
	for range cap(x.builders) {
		x.builders <- nil
	}
}

// flush writes the segments and adds them to the index in one step: if a
// transcript's updates are in several builders, none may be missing. With more,
// memory is kept for later updates.
func (x *Index) flush(more bool) error {
	all := x.take()
	defer x.giveBack()
	if len(all) == 0 {
		return nil
	}
	errs := make([]error, len(all))
	var wg sync.WaitGroup
	for i, b := range all {
		wg.Go(func() { errs[i] = b.finish() })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		x.drop(all)
		return err
	}
	if err := x.join(all); err != nil {
		x.drop(all)
		return err
	}
	for _, b := range all {
		b.w = nil
		if more {
			x.spare <- b
		}
	}
	for !more && len(x.spare) > 0 {
		<-x.spare
	}
	owner.Wake(x.wake)
	return nil
}

// join adds finished segments to the index.
func (x *Index) join(all []*builder) error {
	var fresh []*segment
	var err error
	for _, b := range all {
		var s *segment
		if s, err = openSegment(x.dir, filepath.Base(b.w.path)); err != nil {
			break
		}
		fresh = append(fresh, s)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err == nil {
		known := maps.Clone(x.committed)
		maps.Copy(known, x.pending)
		err = x.publish(append(x.segments[:len(x.segments):len(x.segments)], fresh...), known)
	}
	if err != nil {
		for _, s := range fresh {
			s.f.Close()
		}
	}
	return err
}

// discard discards uncommitted data.
func (x *Index) discard() {
	x.drop(x.take())
	x.giveBack()
}

func (x *Index) drop(all []*builder) {
	for _, b := range all {
		b.w.discard()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	clear(x.pending)
}

// Forget removes transcripts from the index. They are no longer found when it
// returns; their text leaves the disk soon after.
func (x *Index) Forget(ids ...string) error {
	x.feed.Lock()
	defer x.feed.Unlock()
	if x.isClosed() {
		return ErrClosed
	}
	if err := x.flush(true); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	known, forgotten := maps.Clone(x.committed), maps.Clone(x.man.Forgotten)
	if forgotten == nil {
		forgotten = map[string]uint64{}
	}
	for _, id := range ids {
		if s, ok := known[id]; ok {
			forgotten[id] = s.Life
			delete(known, id)
		}
	}
	if len(known) == len(x.committed) {
		return nil
	}
	before := x.man.Forgotten
	x.man.Forgotten = forgotten
	if err := x.publish(x.segments, known); err != nil {
		x.man.Forgotten = before
		return err
	}
	owner.Wake(x.wake)
	return nil
}
