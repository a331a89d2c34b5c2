package library

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/store/model"
)

const (
	// missedBack is how many messages of a conversation are gone through for those that it
	// may lack.
	missedBack = 2000
	// maxTails bounds the sessions whose end is remembered.
	maxTails = 32
)

// tail is the end of a conversation as its file had it.
type tail struct {
	cli, path string
	size      int64
	messages  []seenMessage
	ids       map[string]bool
	// whole says that it is all of the conversation.
	whole bool
}

type seenMessage struct {
	id string
	at int64
}

// complete puts into a stretch of a conversation what its file does not have. newest says
// that it is the end.
func (l *Library) complete(ctx context.Context, id string, s *stretch, newest bool) {
	kept, err := l.cfg.Records.Unsaved(id)
	if err != nil {
		l.cfg.Logger.Warn("Cannot read what the CLI did not write down", "session", id, "err", err)
	}
	l.mu.RLock()
	for _, u := range l.unsaved { // those that are not written yet
		if u.SessionID == id {
			kept = slices.DeleteFunc(slices.Clone(kept), func(k model.Unsaved) bool { return k.MessageID == u.MessageID })
			kept = append(kept, u)
		}
	}
	l.mu.RUnlock()
	if len(kept) == 0 {
		return
	}
	slices.SortStableFunc(kept, func(a, b model.Unsaved) int { return cmp.Compare(a.Order, b.Order) })
	end := l.tail(ctx, id)
	last := map[string]string{} // what was put behind a message
	for _, u := range kept {
		var m event.Message
		if json.Unmarshal(u.Message, &m) != nil || m.ID == "" {
			continue
		}
		m.Unsaved = true
		if i := indexOf(s.messages, m.ID); i >= 0 {
			if lacks(&s.messages[i], &m) {
				s.messages[i] = m
			}
			continue
		}
		known := end != nil && end.cli == u.CLISessionID
		if u.In != "" && (!known || !end.lacks(&u, &m)) {
			continue
		}
		var at int
		if after, found := end.before(&u, &m, kept); known && found {
			at = behind(s, after, last)
			last[after] = m.ID
			l.missed(u, after)
		} else {
			at = placeOf(s, &u, &m, newest)
		}
		if at >= 0 {
			s.messages = slices.Insert(s.messages, at, m)
		}
	}
}

// missed notes that a conversation lacks what its file had: from now on it is shown
// however long the conversation gets.
func (l *Library) missed(u model.Unsaved, after string) {
	if u.In == "" {
		return
	}
	u.In, u.After = "", after
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed && len(l.unsaved) < maxUnsaved {
		l.unsaved = append(l.unsaved, u)
		l.writer.soon()
	}
}

// tail reads the end of a session's present conversation, once for each state of its file.
// It returns nil when that cannot be read.
func (l *Library) tail(ctx context.Context, id string) *tail {
	l.mu.RLock()
	r, known := l.rows[id], l.tails[id]
	if r == nil || r.rec == nil {
		l.mu.RUnlock()
		return nil
	}
	links := l.links(r)
	l.mu.RUnlock()
	k := l.locate(links)[0]
	t := &tail{cli: k.cli, path: k.path, size: sizeOf(k.path), ids: map[string]bool{}, whole: true}
	if known != nil && known.cli == t.cli && known.path == t.path && known.size == t.size {
		return known
	}
	_, err := walk(ctx, k.path, "", missedBack, func(p *history.Page, _ string) bool {
		var page []seenMessage
		for i := range p.Messages {
			t.ids[p.Messages[i].ID] = true
			page = append(page, seenMessage{p.Messages[i].ID, p.Messages[i].At})
		}
		t.messages, t.whole = append(page, t.messages...), !p.HasMore
		return true
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.cfg.Logger.Warn("Whether a conversation has all that was said is not known", "session", id, "err", err)
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.tails) >= maxTails {
		clear(l.tails)
	}
	l.tails[id] = t
	return t
}

// lacks says whether a message is not in the conversation, although its file had it.
func (t *tail) lacks(u *model.Unsaved, m *event.Message) bool {
	return !t.ids[u.In] && !t.ids[m.ID] && (t.whole || m.At >= t.messages[0].at)
}

// before returns the message of the conversation that one follows that it does not have, ""
// for none, or another one that it does not have either.
func (t *tail) before(u *model.Unsaved, m *event.Message, kept []model.Unsaved) (after string, found bool) {
	if t == nil {
		return "", false
	}
	i := slices.IndexFunc(kept, func(k model.Unsaved) bool { return k.MessageID == u.After })
	switch {
	case t.ids[u.After]:
		return u.After, true
	case i >= 0 && t.ids[kept[i].In]: // it was joined with others
		return kept[i].In, true
	case i >= 0:
		return u.After, true
	}
	at := slices.IndexFunc(t.messages, func(o seenMessage) bool { return o.at > m.At })
	if at < 0 {
		at = len(t.messages)
	}
	if at > 0 {
		return t.messages[at-1].id, true
	}
	return "", t.whole
}

// behind is where in a stretch a message goes that follows another one, -1 for nowhere. last
// is what was put behind each already.
func behind(s *stretch, after string, last map[string]string) int {
	if i := indexOf(s.messages, last[after]); last[after] != "" && i >= 0 {
		return i + 1
	}
	if i := indexOf(s.messages, after); i >= 0 {
		return i + 1
	}
	if after == "" && !s.more {
		return 0
	}
	return -1
}

// placeOf is where in a stretch a message belongs of which the conversation's file says
// nothing, -1 for nowhere: behind the one that it followed, at the beginning, or where its
// time is.
func placeOf(s *stretch, u *model.Unsaved, m *event.Message, newest bool) int {
	if i := indexOf(s.messages, u.After); i >= 0 {
		return i + 1
	}
	if u.After == "" && !s.more {
		return 0
	}
	if !newest || s.more && (len(s.messages) == 0 || m.At < s.messages[0].At) {
		return -1
	}
	i := slices.IndexFunc(s.messages, func(o event.Message) bool { return o.At > m.At })
	if i < 0 {
		return len(s.messages)
	}
	return i
}
