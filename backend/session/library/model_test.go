package library_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/session"
	"parley/backend/session/library"
	"parley/backend/store/model"
)

// expected is the expected list: a few words per session.
type expected struct {
	ones map[string]*modelOne
}

type modelOne struct {
	shelf          model.ListState
	pinned, closed bool
	title          string
	unread, draft  bool
	cli            string // "" until it has a file
	found          bool   // nothing was done with it
	waiting        []string
}

func (m *expected) words() []string {
	out := []string{}
	for id, s := range m.ones {
		out = append(out, fmt.Sprintf("%s %s pinned=%v closed=%v title=%q unread=%v draft=%v waiting=%v", id, s.shelf, s.pinned, s.closed, s.title, s.unread, s.draft, s.waiting))
	}
	slices.Sort(out)
	return out
}

func (r *rig) words() []string {
	out := []string{}
	for _, shelf := range []model.ListState{model.ShelfOpen, model.ShelfArchive, model.ShelfTrash} {
		page, _ := r.l.List(library.Filter{Shelf: shelf})
		last := event.Session{LastActivityAt: 1 << 62}
		for i, s := range page {
			first, was := s.Pinned && shelf == model.ShelfOpen, last.Pinned && shelf == model.ShelfOpen
			if i > 0 && (first && !was || first == was && s.LastActivityAt > last.LastActivityAt) {
				r.t.Errorf("out of order: %s after %s", s.ID, last.ID)
			}
			last = s
			waiting := []string{}
			if r.live.Live(s.ID) {
				continue // its owner knows the queue
			}
			for _, q := range s.Queued {
				waiting = append(waiting, q.PromptID)
			}
			out = append(out, fmt.Sprintf("%s %s pinned=%v closed=%v title=%q unread=%v draft=%v waiting=%v", s.ID, shelf, s.Pinned, s.State == "closed", s.Title, s.Unread, s.HasDraft, waiting))
		}
	}
	slices.Sort(out)
	return out
}

// After any operations, a restart at any point, even without a final save, gives the
// same list.
func TestModel(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			run(t, rand.New(rand.NewPCG(seed, 3)))
		})
	}
}

func run(t *testing.T, rnd *rand.Rand) {
	r := newRig(t)
	m := &expected{ones: map[string]*modelOne{}}
	pick := func() string {
		list := []string{}
		for id := range m.ones {
			list = append(list, id)
		}
		slices.Sort(list)
		if len(list) == 0 {
			return ""
		}
		return list[rnd.IntN(len(list))]
	}
	check := func(what string, err error, ok bool) {
		t.Helper()
		if (err == nil) != ok {
			t.Fatalf("%s: %v", what, err)
		}
	}
	made := 0
	for step := range 120 {
		id := pick()
		s := m.ones[id]
		action := rnd.IntN(16)
		if s == nil {
			action %= 2
		}
		ctx := t.Context()
		switch action {
		case 0:
			r.live.made = made
			id := r.create("/p")
			made++
			m.ones[id] = &modelOne{shelf: model.ShelfOpen, waiting: []string{}}
		case 1:
			cli := fmt.Sprintf("found-%d", step)
			path := r.write(cli, fmt.Sprintf("turn-%d", step))
			r.age(path, time.Now().Add(-time.Duration(rnd.IntN(1000))*time.Minute))
			r.catalog.say(history.Added, r.catalog.entry(path))
			m.ones[cli] = &modelOne{shelf: model.ShelfOpen, title: "found", cli: cli, found: true, waiting: []string{}}
		case 2:
			_, err := r.l.Archive(ctx, id)
			check("archive", err, true)
			if s.shelf == model.ShelfOpen {
				s.shelf = model.ShelfArchive
			}
			if s.shelf == model.ShelfTrash {
				// It is archived again when it comes back.
				_, err := r.l.Unarchive(ctx, id)
				check("unarchive", err, true)
			}
		case 3:
			_, err := r.l.Unarchive(ctx, id)
			check("unarchive", err, true)
			if s.shelf == model.ShelfArchive {
				s.shelf = model.ShelfOpen
			}
		case 4:
			if s.shelf == model.ShelfArchive {
				_, err := r.l.Unarchive(ctx, id)
				check("unarchive", err, true)
			}
			_, err := r.l.Delete(ctx, id)
			check("delete", err, true)
			s.shelf = model.ShelfTrash
		case 5:
			_, err := r.l.Restore(ctx, id)
			check("restore", err, true)
			if s.shelf == model.ShelfTrash {
				s.shelf = model.ShelfOpen
			}
		case 6:
			err := r.l.Purge(id)
			check("purge", err, s.shelf == model.ShelfTrash)
			if err == nil {
				delete(m.ones, id)
			}
		case 7:
			s.pinned = !s.pinned
			_, err := r.l.Pin(ctx, id, s.pinned)
			check("pin", err, true)
		case 8:
			s.title = fmt.Sprint("title ", step)
			_, err := r.l.Rename(ctx, id, s.title)
			check("rename", err, true)
		case 9:
			err := r.l.Wake(ctx, id)
			check("wake", err, s.shelf != model.ShelfTrash && !s.closed)
			if err == nil {
				s.found = false
				if s.shelf == model.ShelfArchive && !r.live.Live(id) {
					t.Fatal("not live")
				}
				s.shelf = model.ShelfOpen
			}
		case 10:
			if r.live.Live(id) {
				done := &event.Done{Reason: "completed"}
				done.SessionID = id
				r.l.Publish(done)
				s.unread = true
			}
		case 11:
			check("seen", r.l.Seen(id), true)
			s.unread = false
		case 12:
			s.draft = !s.draft
			text := ""
			if s.draft {
				text = "typed"
			}
			check("draft", r.l.SetDraft(id, text, nil), true)
		case 13:
			if r.live.Live(id) {
				p := pending(int64(step), fmt.Sprint("p", step))
				check("keep", r.l.Keep(id, p), true)
				s.waiting = append(s.waiting, p.ID)
			}
		case 14:
			if r.live.Live(id) && len(s.waiting) > 0 {
				r.l.Release(id, s.waiting[0])
				s.waiting = s.waiting[1:]
			}
		case 15:
			if rnd.IntN(3) == 0 {
				check("close", r.l.CloseSession(ctx, id), true)
				s.closed, s.found = true, false
			} else {
				_, err := r.l.Reopen(ctx, id)
				check("reopen", err, true)
				s.closed = false
			}
		}
		if r.live.Live(id) {
			r.live.set(id, func(s *session.Snapshot) { s.LastActivityAt = int64(rnd.IntN(100_000)) })
		}
		if rnd.IntN(12) == 0 {
			before, held := r.get0(id)
			r.restart()
			if after, _ := r.get0(id); held && before.ID != after.ID {
				t.Fatalf("%s is gone", id)
			}
			want(t, fmt.Sprint("after step ", step), r.words(), m.words())
		} else if rnd.IntN(12) == 0 {
			r.crash()
			r.start()
			m.excuse(r)
			want(t, fmt.Sprint("after a crash at step ", step), r.words(), m.words())
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	r.restart()
	want(t, "at the end", r.words(), m.words())
}

// excuse accepts what a crash may lose: read marks, and that a prompt is over.
// Prompts themselves aren't lost.
func (m *expected) excuse(r *rig) {
	for id, s := range m.ones {
		real := r.get(id)
		s.unread = real.Unread
		waiting := []string{}
		for _, q := range real.Queued {
			waiting = append(waiting, q.PromptID)
		}
		for _, id := range s.waiting {
			if !slices.Contains(waiting, id) {
				r.t.Errorf("prompt %s is lost", id)
			}
		}
		s.waiting = waiting
	}
}

func (r *rig) get0(id string) (event.Session, bool) {
	s, err := r.l.Get(r.t.Context(), id)
	return s, err == nil
}
