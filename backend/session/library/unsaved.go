package library

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/owner"
	"parley/backend/store/model"
)

// If the CLI can't write its file, it continues silently, and the messages of such a turn
// would be lost with the process. So each turn is looked up in the file afterwards, and what
// is missing is stored here and shown in its place.
//
// An interrupted turn is always stored. The CLI wrote a part of it, and a later one
// continues with what it makes of that: the conversation may then lack what its file had.

const (
	// firstCheck is how long the CLI may take to write a turn before it is checked,
	// lastCheck how long after that the check gives up.
	firstCheck, lastCheck = 300 * time.Millisecond, 3 * time.Second
	// maxSaid bounds the turns waiting for a check, maxUnsaved the messages waiting to be
	// written, maxUnsavedBytes the size of one of them.
	maxSaid, maxUnsaved, maxUnsavedBytes = 64, 2000, 8 << 20
	// checkBack is how many messages beyond a turn's length are searched for it.
	checkBack = 50
)

// spoken is a turn that should be in the CLI's file.
type spoken struct {
	sessionID, cli string
	// after is the message before the turn.
	after    string
	messages []event.Message
	due      time.Time
	// kept is set if the missing messages are already stored.
	kept bool
	// cut is set if the turn was cut off.
	cut bool
}

// Said implements [session.Persister].
func (l *Library) Said(sessionID, cliSessionID, after string, turn []event.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if row := l.rows[sessionID]; l.closed || row == nil || row.rec == nil || row.rec.Hidden {
		return
	}
	l.look(spoken{sessionID: sessionID, cli: cliSessionID, after: after, messages: turn})
}

// Cut implements [session.Persister].
func (l *Library) Cut(ctx context.Context, sessionID, cliSessionID, after string, turn []event.Message) {
	l.checkTurn(ctx, spoken{sessionID: sessionID, cli: cliSessionID, after: after, messages: turn, cut: true}, true)
	if err := l.flush(); err != nil {
		l.writer.soon() // it is retried
	}
}

// look schedules a check for a turn. The caller holds mu.
func (l *Library) look(turn spoken) {
	if len(l.turns) >= maxSaid {
		l.turns = slices.Delete(l.turns, 0, 1) // the disk had enough time
	}
	if turn.due = l.cfg.Now(); !turn.cut {
		turn.due = turn.due.Add(firstCheck)
	}
	l.turns = append(l.turns, turn)
	owner.Wake(l.looking)
}

// check looks for turns in the CLI's files until ctx ends.
func (l *Library) check(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.looking:
		case <-timer.C:
		}
		if wait := l.checkDue(ctx, false); wait > 0 {
			timer.Reset(wait)
		}
	}
}

// checkDue checks the turns that are due, or with all every one, and returns the delay
// until the next, 0 for none.
func (l *Library) checkDue(ctx context.Context, all bool) time.Duration {
	now := l.cfg.Now()
	l.mu.Lock()
	var due []spoken
	l.turns = slices.DeleteFunc(l.turns, func(s spoken) bool {
		is := all || !s.due.After(now)
		if is {
			due = append(due, s)
		}
		return is
	})
	l.mu.Unlock()
	for _, turn := range due {
		l.checkTurn(ctx, turn, all)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var wait time.Duration
	for _, s := range l.turns {
		if left := max(s.due.Sub(now), time.Millisecond); wait == 0 || left < wait {
			wait = left
		}
	}
	return wait
}

func (l *Library) checkTurn(ctx context.Context, turn spoken, last bool) {
	found, err := l.inFile(ctx, turn)
	if err != nil {
		l.cfg.Logger.Debug("Couldn't check whether a turn is in the transcript", "session", turn.sessionID, "err", err)
		if ctx.Err() != nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.turns = append(l.turns, turn) // there is a final check at the end
		}
	}
	if err != nil || found == nil {
		return
	}
	var all, lost []int
	for i := range turn.messages {
		if !inFiles(&turn.messages[i]) {
			continue
		}
		if all = append(all, i); !found.has(&turn.messages[i]) {
			lost = append(lost, i)
		}
	}
	switch {
	case turn.cut:
		l.keep(turn, all, found)
		return
	case len(lost) == 0 && turn.kept:
		l.mu.Lock()
		for _, m := range turn.messages {
			l.saved = append(l.saved, m.ID)
		}
		l.mu.Unlock()
		l.writer.soon()
		fallthrough
	case len(lost) == 0:
		l.unrecorded(0)
		return
	case !turn.kept:
		l.keep(turn, lost, nil)
	}
	if !last && !turn.kept {
		turn.kept, turn.due = true, l.cfg.Now().Add(lastCheck)
		l.mu.Lock()
		l.turns = append(l.turns, turn)
		l.mu.Unlock()
		return
	}
	l.cfg.Logger.Warn("Messages are missing from the transcript; saving them in Parley", "session", turn.sessionID, "messages", len(lost))
	l.unrecorded(len(lost))
}

func (l *Library) unrecorded(n int) {
	if l.cfg.Problems != nil {
		l.cfg.Problems.Unrecorded(n)
	}
}

// inFile reads the end of a turn's conversation, nil if that is no longer the current
// one.
func (l *Library) inFile(ctx context.Context, turn spoken) (ends, error) {
	l.mu.RLock()
	r := l.rows[turn.sessionID]
	if r == nil || r.rec == nil || r.rec.CLISessionID != turn.cli {
		l.mu.RUnlock()
		return nil, nil // it continues elsewhere
	}
	links := l.links(r)
	l.mu.RUnlock()
	links = l.locate(links)
	found := ends{}
	_, err := walk(ctx, links[0].path, "", len(turn.messages)+checkBack, func(p *history.Page, _ string) bool {
		found = slices.Insert(found, 0, p.Messages...)
		return true
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return found, nil
}

// ends is the end of a conversation's file.
type ends []event.Message

// inFiles reports whether the CLI writes a message unchanged.
func inFiles(m *event.Message) bool {
	switch {
	case m.ParentToolUseID != "" || m.Synthetic:
		return false
	case m.Role == "assistant":
		return m.Model != "" && !strings.HasPrefix(m.Model, "<")
	}
	return m.Role == "user" && wordsOf(m) != "" && !strings.HasPrefix(wordsOf(m), "/")
}

func wordsOf(m *event.Message) string {
	for _, b := range m.Blocks {
		if text := strings.TrimSpace(b.Text); text != "" {
			return text
		}
	}
	return ""
}

// has reports whether a message is there, and complete.
func (e ends) has(m *event.Message) bool {
	i := e.find(m)
	return i >= 0 && (e[i].ID != m.ID || !lacks(&e[i], m))
}

// find returns the index of the element that has a message, -1 for none. Prompts
// may have been joined.
func (e ends) find(m *event.Message) int {
	if i := indexOf(e, m.ID); i >= 0 || m.Role != "user" {
		return i
	}
	for i := range slices.Backward(e) {
		if e[i].Role == "user" && strings.Contains(wordsOf(&e[i]), wordsOf(m)) {
			return i
		}
	}
	return -1
}

// lacks reports whether the file's message is missing a tool result.
func lacks(file, m *event.Message) bool {
	for _, b := range m.Blocks {
		if b.Tool == nil || b.Tool.Content == nil || b.Tool.State != event.UseDone && b.Tool.State != event.UseError {
			continue
		}
		is := func(o event.Block) bool { return o.Tool != nil && o.Tool.ToolUseID == b.Tool.ToolUseID }
		if i := slices.IndexFunc(file.Blocks, is); i < 0 || file.Blocks[i].Tool.Content == nil {
			return true
		}
	}
	return false
}

// keep queues messages for the store. found has them already.
func (l *Library) keep(turn spoken, list []int, found ends) {
	var known []model.Unsaved
	if turn.cut { // a Parley that was killed then may have stored it
		var err error
		if known, err = l.cfg.Records.Unsaved(turn.sessionID); err != nil {
			l.cfg.Logger.Warn("Couldn't read messages missing from the transcript", "session", turn.sessionID, "err", err)
		}
	}
	at := l.cfg.Now().UnixNano()
	l.mu.Lock()
	defer l.mu.Unlock()
	for n, i := range list {
		m := turn.messages[i]
		if slices.ContainsFunc(known, func(u model.Unsaved) bool { return u.MessageID == m.ID }) {
			continue
		}
		after, in := turn.after, ""
		if i > 0 {
			after = turn.messages[i-1].ID
		}
		if at := found.find(&m); at >= 0 {
			if in = found[at].ID; after == "" && at > 0 {
				after = found[at-1].ID
			}
		}
		body, err := json.Marshal(m)
		if err == nil && len(body) > maxUnsavedBytes {
			body, err = json.Marshal(withoutResults(m))
		}
		if err != nil || len(body) > maxUnsavedBytes || len(l.unsaved) >= maxUnsaved {
			l.cfg.Logger.Error("Couldn't save a message missing from the transcript; too many, or too large", "session", turn.sessionID, "err", err)
			continue
		}
		l.unsaved = append(l.unsaved, model.Unsaved{
			MessageID: m.ID, SessionID: turn.sessionID, CLISessionID: turn.cli, In: in, After: after, Order: at + int64(n), Message: body,
		})
	}
	l.writer.soon()
}

// withoutResults returns a message without its tool results.
func withoutResults(m event.Message) event.Message {
	m.Blocks = slices.Clone(m.Blocks)
	for i := range m.Blocks {
		if m.Blocks[i].Tool != nil {
			t := *m.Blocks[i].Tool
			t.Content, t.Structured = []event.ResultContent{}, nil
			m.Blocks[i].Tool = &t
		}
	}
	return m
}
