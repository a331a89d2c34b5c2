package relay

import (
	"context"
	"slices"
	"time"

	"parley/backend/chat/relay/port"
	"parley/backend/chat/relay/post"
	"parley/backend/event"
	"parley/backend/fault"
)

// observe handles session events. It doesn't block.
func (r *Relay) observe(e event.Event) {
	if changed, ok := e.(*event.SessionsChanged); ok {
		for i := range changed.Changed {
			if t := r.showing(changed.Changed[i].ID); t != nil {
				t.shelved(&changed.Changed[i])
			}
		}
		for _, id := range changed.Removed {
			if t := r.showing(id); t != nil {
				t.endedAs("removed")
			}
		}
		return
	}
	head := e.Header()
	if head.SessionID == "" {
		return
	}
	if s, ok := e.(*event.State); ok {
		r.forked(&s.Session)
	}
	if t := r.showing(head.SessionID); t != nil {
		t.observe(e)
	} else if _, ok := e.(*event.UserMessage); ok && head.ParentToolUseID == "" {
		r.begins(head.SessionID, head.At)
	}
}

func (t *thread) observe(e event.Event) {
	head := e.Header()
	switch e := e.(type) {
	case *event.Done:
		t.completed(e)
		if e.Waits {
			t.done("") // it waits for a user
		} else {
			t.done(e.PromptID)
		}
	case *event.State:
		t.shelved(&e.Session)
		t.moved(&e.Session, head.At)
	case *event.PermissionRequest:
		t.r.asks.Opened(t.r.ctx, t.record(), port.Request{SessionID: head.SessionID, TurnID: head.TurnID, Question: e.Question})
	case *event.PermissionResolved:
		t.r.asks.Resolved(t.r.ctx, e.RequestID, *e)
	case *event.Status:
		if e.Status == "cleared" {
			t.note(note{key: short("clear", t.id, head.SessionID, number(head.Seq)), text: clearedSaid})
		}
	case *event.Error:
		if e.Code == "conversation_gone" {
			t.note(note{key: short("fresh", t.id, head.SessionID, number(head.Seq)), text: goneSaid, offers: seedling})
		}
	}
	t.feed(e)
}

// done records that a prompt has ended.
func (t *thread) done(promptID string) {
	t.mu.Lock()
	t.steered = false
	if promptID != "" {
		t.over = append(t.over, promptID)
		t.over = t.over[max(0, len(t.over)-maxOver):]
	}
	t.mu.Unlock()
	t.posts.stir()
}

// moved follows the session's state: when it is idle, waiting messages may be
// sent.
func (t *thread) moved(s *event.Session, at int64) {
	if busy(s) {
		return
	}
	t.atRest(s, at)
	t.mu.Lock()
	t.steered = false
	waiting, sent := len(t.rec.Waiting) > 0, t.rec.Sent
	t.mu.Unlock()
	if waiting || len(sent) > 0 {
		t.posts.stir()
	}
	if waiting {
		return
	}
	if s.Error != nil && s.Error.Code == "conversation_gone" {
		return
	}
	for _, q := range asideOf(s, sent) {
		switch q.State {
		case "held":
			t.offerHeld(q.PromptID)
			return // they are sent together
		case "failed":
			t.note(note{key: short("failed", t.id, q.TurnID), text: didNotRunSaid, offers: forward})
		case "unknown":
			t.note(note{key: short("unknown", t.id, q.TurnID), text: mayHaveRunSaid, offers: forward})
		}
	}
}

// offerHeld posts that a message is held, once per message.
func (t *thread) offerHeld(promptID string) {
	t.note(note{key: short("held", t.id, promptID), text: heldSaid, offers: forward})
}

// feed passes an event to the stream, or buffers it while missed ones are
// recovered.
func (t *thread) feed(e event.Event) {
	t.feeding.Lock()
	defer t.feeding.Unlock()
	if !t.missed {
		if s := t.streaming(); s != nil {
			s.Take(e)
		}
		return
	}
	if len(t.events) >= maxEvents {
		t.events, t.again = nil, true
	}
	t.events = append(t.events, e)
}

// streaming returns the stream, started on demand; nil if nothing is to be shown.
// The caller holds feeding.
func (t *thread) streaming() Stream {
	t.used = time.Now()
	if t.stream != nil {
		return t.stream
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone || t.rec.SessionID == "" || t.rec.Paused {
		return nil
	}
	posts := map[string]string{}
	for name, id := range t.rec.Posts {
		if !theirs(name) {
			posts[name] = id
		}
	}
	if t.kept != nil {
		posts = t.kept.posts
	}
	t.stream = t.r.cfg.Streams(post.Config{
		Chat: t.r.cfg.Chat, ChannelID: t.channel, RootID: t.id, Root: t.root, Key: t.rec.SessionID, Folder: t.folder, Who: who,
		NoTools: t.r.cfg.Config().DisplayTools == "none", Posts: posts, Since: t.rec.Since,
		Keep: t.keep, Problem: t.troubled, Logger: t.r.cfg.Logger,
	})
	return t.stream
}

// who returns how a prompt's author is shown: prompts from the chat are already
// there.
func who(a *event.Author) string {
	if a.Own() {
		return "You, in Parley"
	}
	return ""
}

// takeStream removes and returns the stream, nil for none.
func (t *thread) takeStream() Stream {
	t.feeding.Lock()
	defer t.feeding.Unlock()
	s := t.stream
	t.stream = nil
	return s
}

// putStreamAway closes the stream: it has nothing more to show.
func (t *thread) putStreamAway() {
	if s := t.takeStream(); s != nil {
		limited, cancel := context.WithTimeout(t.r.ctx, closeLimit)
		defer cancel()
		_ = s.Close(limited) // nobody needs what is missing
	}
}

// closeIdleStreams closes streams that have been idle for a while.
func (r *Relay) closeIdleStreams() {
	ticker := time.NewTicker(idleEvery)
	defer ticker.Stop()
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-ticker.C:
		}
		r.mu.Lock()
		threads := r.all()
		r.mu.Unlock()
		for _, t := range threads {
			t.feeding.Lock()
			idle := t.stream != nil && !t.missed && time.Since(t.used) >= idleAfter && t.stream.Idle()
			t.feeding.Unlock()
			if idle {
				t.putStreamAway()
			}
			if len(t.record().Waiting) > 0 {
				t.posts.stir() // in case the idle event was missed
			}
		}
	}
}

// Tell posts a text in the threads of running sessions, once per key.
func (r *Relay) Tell(key, text string) {
	r.mu.Lock()
	threads := r.all()
	r.mu.Unlock()
	for _, t := range threads {
		t.feeding.Lock()
		works := t.stream != nil && !t.stream.Idle()
		t.feeding.Unlock()
		if works || len(t.record().Sent) > 0 {
			t.note(note{key: short("told", t.id, key), text: post.Escape(text)})
		}
	}
}

// lagged is called when events were missed.
func (r *Relay) lagged() {
	r.mu.Lock()
	threads := r.all()
	r.mu.Unlock()
	for _, t := range threads {
		t.feeding.Lock()
		t.missed = true
		t.feeding.Unlock()
	}
	r.repair()
}

// repair recovers missed events in one goroutine.
func (r *Relay) repair() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.laps++
	if !r.repairing && !r.closed {
		r.repairing = true
		r.tasks.Go(r.repairAll)
	}
}

func (r *Relay) repairAll() {
	wait := retryFirst
	for {
		r.mu.Lock()
		lap, threads := r.laps, r.all()
		r.mu.Unlock()
		left, failed := 0, false
		for _, t := range threads {
			t.feeding.Lock()
			missed := t.missed
			t.feeding.Unlock()
			if !missed {
				continue
			}
			left++
			if err := t.makeGood(r.ctx); err != nil {
				if r.ctx.Err() == nil {
					r.cfg.Logger.Warn("Couldn't catch up on what a thread missed", "thread", t.id, "err", err)
				}
				failed = true
			}
		}
		r.mu.Lock()
		if r.ctx.Err() != nil || left == 0 && r.laps == lap {
			r.repairing = false
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
		if !failed {
			wait = retryFirst
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			wait = min(2*wait, retryMost)
		case <-r.ctx.Done():
		}
		timer.Stop()
	}
}

// historyPage is how many messages are read to recover missed events.
const historyPage = 200

// makeGood updates a thread from the session's history.
func (t *thread) makeGood(ctx context.Context) error {
	rec := t.record()
	if !t.shows() {
		t.caughtUp()
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	s, err := t.r.cfg.Sessions.Get(limited, rec.SessionID)
	if fault.CodeOf(err) == fault.NotFound {
		t.caughtUp()
		t.endedAs("removed")
		return nil
	}
	if err != nil {
		return err
	}
	t.feeding.Lock()
	needs := t.stream != nil
	t.feeding.Unlock()
	t.mu.Lock()
	t.folder = s.CWD
	seq := t.rec.Seq
	if t.kept != nil {
		seq = max(seq, t.kept.seq)
	}
	t.mu.Unlock()
	if needs || s.LastSeq != seq || busy(&s) {
		h, err := t.r.cfg.Sessions.History(limited, rec.SessionID, historyPage)
		if err != nil {
			return err
		}
		t.feeding.Lock()
		if stream := t.streaming(); stream != nil {
			stream.Set(s, h)
		}
		t.feeding.Unlock()
	}
	t.caughtUp()
	t.r.asks.Restored(ctx, rec)
	t.shelved(&s)
	if !busy(&s) {
		t.atRest(&s, s.LastActivityAt)
		t.posts.stir()
	}
	return nil
}

// caughtUp passes the buffered events to the stream.
func (t *thread) caughtUp() {
	t.feeding.Lock()
	defer t.feeding.Unlock()
	events := t.events
	t.events, t.missed = nil, t.again
	if t.again { // some of them were missed, too
		t.again = false
		return
	}
	for _, e := range events {
		if s := t.streaming(); s != nil {
			s.Take(e)
		}
	}
}

func queued(s *event.Session, promptID string) bool {
	return slices.ContainsFunc(s.Queued, func(q event.QueuedPrompt) bool { return q.PromptID == promptID })
}
