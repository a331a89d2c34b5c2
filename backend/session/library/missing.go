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
	// missedBack is how many messages of a conversation are checked for missing ones.
	missedBack = 2000
	// maxTails bounds the sessions whose end is cached.
	maxTails = 32
)

// tail is the end of a conversation's file.
type tail struct {
	cli, path string
	size      int64
	messages  []seenMessage
	ids       map[string]bool
	// whole means that it is the entire conversation.
	whole bool
}

type seenMessage struct {
	id string
	at int64
}

// complete adds to a stretch of a conversation what its file is missing. newest means
// that it is the end.
func (l *Library) complete(ctx context.Context, id string, s *stretch, newest bool) {
	kept, err := l.cfg.Records.Unsaved(id)
	if err != nil {
		l.cfg.Logger.Warn("Couldn't read messages missing from the transcript", "session", id, "err", err)
	}
	l.mu.RLock()
	for _, u := range l.unsaved { // those not written yet
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
	last := map[string]string{} // what was put after a message
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

// missed records that a conversation lacks what its file had: from then on it is
// shown however long the conversation gets.
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

// tail reads the end of a session's current conversation, once per state of its file. It
// returns nil if that can't be read.
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
		l.cfg.Logger.Warn("Couldn't check a transcript for missing messages", "session", id, "err", err)
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

// lacks reports whether a message isn't in the conversation although its file had
// it.
func (t *tail) lacks(u *model.Unsaved, m *event.Message) bool {
	return !t.ids[u.In] && !t.ids[m.ID] && (t.whole || m.At >= t.messages[0].at)
}

// before returns the message of the conversation that precedes a missing one: "" for none,
// or another missing one.
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

// behind returns where a message goes in a stretch that follows another one, -1 for nowhere.
// last is what was already put after each.
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

// placeOf returns where a message that the file doesn't contain belongs in a stretch, -1
// for nowhere: after its predecessor, at the beginning, or by its time.
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
