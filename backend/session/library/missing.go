package library

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"

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
	// joined has the prompts that were looked for: true if they may have been joined with
	// others into one line.
	joined map[string]bool
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
	var prompts []event.Message // that the file didn't have
	for _, u := range kept {
		var m event.Message
		if u.In == "" && json.Unmarshal(u.Message, &m) == nil && m.Role == "user" {
			prompts = append(prompts, m)
		}
	}
	end := l.tail(ctx, id, prompts)
	late := l.joinedLate(ctx, id, end, prompts)
	kept = slices.DeleteFunc(slices.Clone(kept), func(u model.Unsaved) bool { return late[u.MessageID] })
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
		if u.In != "" && (!known || !end.lacks(&u, &m)) || known && end.ids[m.ID] {
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

// joinedLate returns which prompts the file has after all: the CLI joined them with others
// when it started them, and Parley ended before it looked again. They needn't be stored.
func (l *Library) joinedLate(ctx context.Context, id string, end *tail, prompts []event.Message) map[string]bool {
	var handed []history.Handed
	for i := range prompts {
		if m := &prompts[i]; end != nil && end.joined[m.ID] {
			handed = append(handed, history.Handed{ID: m.ID, Text: wordsOf(m), At: m.At})
		}
	}
	if len(handed) == 0 {
		return nil
	}
	late := l.takenIn(ctx, id, []link{{cli: end.cli, path: end.path}}, handed)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range handed {
		if late[h.ID] && !l.closed {
			l.saved = append(l.saved, h.ID)
			l.writer.soon()
		}
	}
	return late
}

// joins reports whether a message may be several prompts that were joined, one of them p.
func joins(m, p *event.Message) bool {
	all, one := wordsOf(m), wordsOf(p)
	return m.Role == "user" && m.At >= p.At && one != "" && all != one && strings.Contains("\n"+all+"\n", "\n"+one+"\n")
}

// tail reads the end of a session's current conversation, once per state of its file, and
// looks for prompts that may have been joined with others. It returns nil if the
// conversation can't be read.
func (l *Library) tail(ctx context.Context, id string, prompts []event.Message) *tail {
	l.mu.RLock()
	r, known := l.rows[id], l.tails[id]
	if r == nil || r.rec == nil {
		l.mu.RUnlock()
		return nil
	}
	links := l.links(r)
	l.mu.RUnlock()
	k := l.locate(links)[0]
	t := &tail{cli: k.cli, path: k.path, size: sizeOf(k.path), ids: map[string]bool{}, whole: true, joined: map[string]bool{}}
	for i := range prompts {
		t.joined[prompts[i].ID] = false
	}
	if known != nil && known.cli == t.cli && known.path == t.path && known.size == t.size && known.lookedFor(t.joined) {
		return known
	}
	_, err := walk(ctx, k.path, "", missedBack, func(p *history.Page, _ string) bool {
		var page []seenMessage
		for i := range p.Messages {
			t.ids[p.Messages[i].ID] = true
			page = append(page, seenMessage{p.Messages[i].ID, p.Messages[i].At})
			for at := range prompts {
				if joins(&p.Messages[i], &prompts[at]) {
					t.joined[prompts[at].ID] = true
				}
			}
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

// lookedFor reports whether all of the prompts were looked for.
func (t *tail) lookedFor(prompts map[string]bool) bool {
	for id := range prompts {
		if _, looked := t.joined[id]; !looked {
			return false
		}
	}
	return true
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
