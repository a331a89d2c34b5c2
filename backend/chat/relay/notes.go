package relay

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/event"
)

// takeNotes stores what the stream wants to keep, updates the mirror state in the
// session's record, and posts pending notes.
func (t *thread) takeNotes(ctx context.Context) error {
	if err := t.noteKept(ctx); err != nil {
		return t.failed(ctx, "noting what it shows", err)
	}
	if err := t.noteProblem(ctx); err != nil {
		return t.failed(ctx, "noting how the showing goes", err)
	}
	for {
		t.mu.Lock()
		if len(t.say) == 0 {
			t.mu.Unlock()
			return nil
		}
		n := t.say[0]
		t.mu.Unlock()
		if err := t.sayNote(ctx, n); err != nil {
			return t.failed(ctx, "posting", err)
		}
		t.mu.Lock()
		t.say = slices.DeleteFunc(t.say, func(other note) bool { return other.key == n.key })
		t.said = append(t.said, n.key)
		t.said = t.said[max(0, len(t.said)-maxOver):]
		t.mu.Unlock()
	}
}

func (t *thread) sayNote(ctx context.Context, n note) error {
	id, err := t.post(ctx, n.key, n.text, nil)
	if err != nil || n.offers == "" || id == "" {
		return err
	}
	err = t.change(ctx, func(rec *port.Thread) error { setPost(rec, ownPrefix+n.offers, id); return nil })
	if err != nil {
		return err
	}
	// Only a convenience.
	_ = t.r.cfg.Chat.React(ctx, id, n.offers)
	return nil
}

// note queues a post, once per key.
func (t *thread) note(n note) {
	t.mu.Lock()
	same := func(other note) bool { return other.key == n.key }
	if slices.Contains(t.said, n.key) || slices.ContainsFunc(t.say, same) {
		t.mu.Unlock()
		return
	}
	t.say = append(t.say, n)
	t.say = t.say[max(0, len(t.say)-maxNotes):]
	t.mu.Unlock()
	t.notes.stir()
}

// noteKept stores what the stream wants to keep.
func (t *thread) noteKept(ctx context.Context) error {
	t.mu.Lock()
	k := t.kept
	t.mu.Unlock()
	if k == nil {
		return nil
	}
	err := t.change(ctx, func(rec *port.Thread) error {
		rec.Seq = k.seq // a Parley that crashed may renumber
		maps.DeleteFunc(rec.Posts, func(name, _ string) bool { return !theirs(name) })
		for name, id := range k.posts {
			setPost(rec, name, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.mu.Lock()
	if t.kept == k {
		t.kept = nil
	}
	t.mu.Unlock()
	return nil
}

// noteProblem updates the mirror state in the session's record.
func (t *thread) noteProblem(ctx context.Context) error {
	t.mu.Lock()
	problem, gone := t.problem, t.rootGone
	t.mu.Unlock()
	if problem == nil {
		return nil
	}
	if gone {
		err := t.change(ctx, func(rec *port.Thread) error {
			rec.Paused = true
			setPost(rec, rootGone, "1")
			return nil
		})
		if err != nil {
			return err
		}
		t.putStreamAway()
		t.r.show(t)
		t.r.asks.Forget(ctx, t.id)
	}
	rec := t.record()
	if rec.SessionID != "" {
		limited, cancel := context.WithTimeout(ctx, callLimit)
		defer cancel()
		m := t.mirror(limited, !rec.Mirror && !rec.Run, rec.Paused, *problem)
		if err := t.r.cfg.Sessions.SetMirror(limited, rec.SessionID, m); temporary(err) {
			return err
		}
		if *problem != "" {
			t.r.happened("problem", *problem, chat.Person{}, rec.SessionID)
			t.r.cfg.Logger.Warn("Couldn't mirror a session in its thread", "thread", t.id, "session", rec.SessionID, "problem", *problem)
		}
	}
	t.mu.Lock()
	if t.problem == problem {
		t.problem = nil
	}
	t.mu.Unlock()
	return nil
}

// rootGone is in a record's Posts if the thread no longer exists.
const rootGone = ownPrefix + "gone"

// lost records that the thread no longer exists.
func (t *thread) lost(sentence string) {
	t.mu.Lock()
	t.rootGone = true
	t.mu.Unlock()
	t.troubled(sentence)
}

// troubled sets the mirroring problem in the session's record, or clears it with "".
func (t *thread) troubled(sentence string) {
	t.mu.Lock()
	t.problem = &sentence
	t.mu.Unlock()
	t.notes.stir()
}

// keep stores what the stream wants to keep.
func (t *thread) keep(posts map[string]string, seq uint64) {
	t.mu.Lock()
	t.kept = &kept{posts, seq}
	waiting := len(t.rec.Waiting) > 0
	t.mu.Unlock()
	t.notes.stir()
	if waiting {
		t.posts.stir() // it may have waited for that
	}
}

// shelved tracks whether the session is on the list.
func (t *thread) shelved(s *event.Session) {
	switch {
	case s.DeletedAt != 0:
		t.endedAs("deleted")
	case s.State == "closed":
		t.endedAs("closed")
	case s.ArchivedAt != 0:
		t.endedAs("archived")
	default:
		t.endedAs("")
	}
}

// unheard means that it is unknown whether the session is on the list.
const unheard = "?"

// endedAs posts in the thread that its session left the list.
func (t *thread) endedAs(how string) {
	t.mu.Lock()
	same, quiet, mirror, session := t.ended == how, t.quiet || t.ended == unheard, t.rec.Mirror, t.rec.SessionID
	t.ended = how
	t.mu.Unlock()
	if same || quiet || how == "" {
		return
	}
	text := map[string]string{"deleted": deletedSaid, "closed": closedSaid, "archived": archivedSaid, "removed": removedSaid}[how]
	if mirror && (how == "deleted" || how == "removed") {
		text = mirrorGoneSaid
	}
	t.mu.Lock()
	t.ends++
	n := t.ends
	t.mu.Unlock()
	t.note(note{key: short("end", t.id, session, how, strconv.FormatInt(t.began, 10), strconv.Itoa(n)), text: text})
}

func (t *thread) setQuiet(quiet bool) {
	t.mu.Lock()
	t.quiet = quiet
	t.mu.Unlock()
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }
