package post

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/backend/chat"
)

// The last turn in the thread, and its last message, are stored among the posts under
// these names.
const (
	settledPart    = "settled"
	settledMessage = "settled-message"
	// fixedPart is the name suffix for the state of a post that can't be edited.
	fixedPart = "+"
)

// slots are the posts of a turn.
type slots struct {
	of []*slot
	// uploaded are the turn's files by content hash, and in order in files.
	uploaded map[string]bool
	files    []chat.File
	// looked is true once the images named by the answer were searched.
	looked bool
}

// slot is one post.
type slot struct {
	part, id string
	// text is its text; known is false if an earlier Parley created it.
	text  string
	known bool
	// gone counts its deletions. dead: nothing more is tried.
	gone int
	dead bool
	// made is when this Parley created it. fixed: it can't be edited, and continues in that
	// many posts, which together contain the first done bytes of the draft.
	made        time.Time
	fixed       bool
	posts, done int
	// was is what an earlier Parley had posted: none of that is removed. looked is true once
	// that was read.
	was    string
	looked bool
}

func (s *slots) find(part string) *slot {
	for _, slot := range s.of {
		if slot.part == part {
			return slot
		}
	}
	return nil
}

// restore loads the posts of an earlier stream.
func (s *Stream) restore(posts map[string]string) {
	for name, id := range posts {
		turn, part, ok := strings.Cut(name, "/")
		if !ok {
			continue
		}
		part, state := strings.CutSuffix(part, fixedPart)
		of := s.slotsOf(turn)
		at := of.find(part)
		if at == nil {
			at = &slot{part: part}
			of.of = append(of.of, at)
		}
		if state {
			at.resume(id)
		} else {
			at.id = id
		}
	}
}

func (s *Stream) slotsOf(turn string) *slots {
	if s.slots[turn] == nil {
		s.slots[turn] = &slots{uploaded: map[string]bool{}}
	}
	return s.slots[turn]
}

// forget drops the posts of turns that are no longer held. Until Set is called, a stream
// doesn't know which those are.
func (s *Stream) forget() {
	if s.seq == 0 {
		return
	}
	for turn := range s.slots {
		if s.in.find(turn) == nil {
			delete(s.slots, turn)
		}
	}
}

// run is the stream's goroutine: it makes one call after the other.
func (s *Stream) run() {
	defer close(s.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		s.mu.Lock()
		do, wait := s.next(time.Now())
		s.mu.Unlock()
		if do != nil {
			s.passed(do())
			if s.ctx.Err() != nil {
				return
			}
			continue
		}
		timer.Reset(wait)
		select {
		case <-s.ctx.Done():
			return
		case <-s.wake:
		case <-timer.C:
		}
	}
}

// next returns the next call, or how long there is none. The caller holds
// s.mu.
func (s *Stream) next(now time.Time) (do func() bool, wait time.Duration) {
	s.settle()
	if s.unkept {
		return s.keep, 0
	}
	if s.pace.notBefore.After(now) {
		return nil, s.pace.notBefore.Sub(now)
	}
	if len(s.in.files) > 0 {
		f := s.in.files[0]
		return func() bool { return s.upload(f) }, 0
	}
	s.release()
	wait = time.Hour
	if due, ok := s.pace.due(s.posted()); ok || len(s.waiters) > 0 {
		if len(s.waiters) == 0 && due.After(now) {
			wait = due.Sub(now)
		} else {
			do, more := s.step(now)
			if s.pace.shown(more); !more {
				seq := s.seq
				s.pass = &seq
			}
			if do == nil {
				do = func() bool { return true }
			}
			return do, 0
		}
	}
	if s.in.current() != nil && s.in.asking == 0 && !s.closed {
		if at, ok := s.pace.typing(); ok {
			if !at.After(now) {
				return s.typing, 0
			}
			wait = min(wait, at.Sub(now))
		}
	}
	return nil, wait
}

// passed is called after each call. After the last of those that update all posts, the
// effects of all earlier events are in the thread.
func (s *Stream) passed(ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok && s.pass != nil {
		s.shown, s.whole = *s.pass, s.whole+1
	}
	s.pass = nil
}

// release wakes the waiters for what is now in the thread.
func (s *Stream) release() {
	s.waiters = slices.DeleteFunc(s.waiters, func(w waiter) bool {
		if w.seq > s.shown || w.whole >= s.whole {
			return false
		}
		close(w.done)
		return true
	})
}

// settle drops the turns that are over and in the thread.
func (s *Stream) settle() {
	for len(s.in.turns) > 0 && s.in.turns[0].settled {
		id := s.in.turns[0].id
		if own := strings.HasPrefix(id, "seq-") || strings.HasPrefix(id, missedTurn) || strings.HasPrefix(id, "shell-"); !own {
			s.settled = settled{id, s.in.turns[0].last}
		}
		delete(s.slots, id)
		s.in.turns[0] = nil
		s.in.turns = s.in.turns[1:]
		s.pace.begun()
		s.unkept = true
	}
	if len(s.in.turns) == 0 {
		s.in.turns = nil
	}
}

// posted reports whether the newest turn has a post.
func (s *Stream) posted() bool {
	if n := len(s.in.turns); n > 0 {
		if of := s.slots[s.in.turns[n-1].id]; of != nil {
			return len(of.of) > 0
		}
	}
	return false
}

// step finds the first post that needs an update, and returns the call. more means
// that further ones do.
func (s *Stream) step(now time.Time) (do func() bool, more bool) {
	limit := s.cfg.Chat.Limits().Text
	for i, t := range s.in.turns {
		of := s.slotsOf(t.id)
		last := i == len(s.in.turns)-1
		drafts := t.posts(limit)
		if t.over {
			drafts = append(drafts, of.lost(drafts)...)
		}
		for n, d := range drafts {
			at := of.find(d.part)
			if at == nil {
				at = &slot{part: d.part}
				of.of = append(of.of, at)
			}
			if at.known && !at.fixed {
				d.text = atLeast(at.was, d.text)
			}
			switch {
			case at.dead || at.known && at.id != "" && at.text == d.text:
			case do != nil:
				return do, true
			case s.fixed(at, now) && (at.known || at.fixed || at.id == ""):
				whole := t.over || !last || n < len(drafts)-1 || strings.HasSuffix(d.part, "x")
				var again bool
				if do, again = s.extend(t.id, at, d.text, whole, limit); again {
					return do, true
				}
			case at.id != "" && !at.known && !at.looked:
				do = func() bool { return s.look(at, last) }
			case at.id != "":
				do = func() bool { return s.edit(at, d.text, last) }
			default:
				do = func() bool { return s.send(t.id, at, d.text, nil) }
			}
		}
		if do != nil && (t.over || !last) {
			return do, true
		}
		if do != nil || !t.over {
			continue
		}
		if do := s.files(t, of); do != nil {
			return do, true
		}
		t.settled = true
	}
	return do, false
}

// files uploads and posts the files of a finished turn.
func (s *Stream) files(t *turn, of *slots) func() bool {
	if !of.looked {
		of.looked = true
		if s.cfg.Folder != "" {
			for _, path := range t.named() {
				s.in.pend(t, pendingFile{turn: t.id, name: filepath.Base(path), path: path})
			}
		}
		if len(s.in.files) > 0 {
			f := s.in.files[0]
			return func() bool { return s.upload(f) }
		}
	}
	return s.attach(t.id, of)
}

// attach posts the files of a finished turn, as many per post as the chat allows.
func (s *Stream) attach(turn string, of *slots) func() bool {
	most := max(s.cfg.Chat.Limits().Files, 1)
	for n := 0; n*most < len(of.files); n++ {
		files := of.files[n*most : min((n+1)*most, len(of.files))]
		part := "files-" + strconv.Itoa(n)
		at := of.find(part)
		if at == nil {
			at = &slot{part: part}
			of.of = append(of.of, at)
		}
		if at.id != "" || at.dead {
			continue
		}
		names := make([]string, len(files))
		ids := make([]string, len(files))
		for i, f := range files {
			names[i], ids[i] = Code(f.Name), f.ID
		}
		return func() bool { return s.send(turn, at, "📎 "+strings.Join(names, " · "), ids) }
	}
	return nil
}

// keep stores what must survive the end of the process.
func (s *Stream) keep() bool {
	s.mu.Lock()
	s.unkept = false
	posts := map[string]string{}
	if s.settled.turn != "" {
		posts[settledPart] = s.settled.turn
	}
	if s.settled.message != "" {
		posts[settledMessage] = s.settled.message
	}
	for turn, of := range s.slots {
		for _, at := range of.of {
			if at.id != "" {
				posts[turn+"/"+at.part] = at.id
				if at.fixed {
					posts[turn+"/"+at.part+fixedPart] = at.state()
				}
			}
		}
	}
	shown := s.shown
	s.mu.Unlock()
	if s.cfg.Keep != nil {
		s.cfg.Keep(posts, shown)
	}
	return true
}
