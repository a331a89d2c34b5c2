package ask

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/permission"
)

const (
	// firstDelay doubles with each failure, up to maxDelay.
	firstDelay, maxDelay = time.Second, time.Minute
	// perCall bounds one call to the chat, which itself retries several times.
	perCall = 2 * time.Minute
	// grace is how long after a question's expiry its end event is awaited.
	grace = 30 * time.Second
	// maxHolders is how many people who may answer a post names.
	maxHolders = 5
)

// Run writes to the chat until ctx ends.
func (a *Manager) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.wake:
		case <-timer.C:
		}
		a.expire()
		a.recall()
		a.pass(ctx)
		timer.Reset(a.rest())
	}
}

// pass does pending work until nothing is left or the chat is unreachable.
func (a *Manager) pass(ctx context.Context) {
	for ctx.Err() == nil {
		n, c := a.take(time.Now())
		var err error
		switch {
		case n != nil:
			if err = a.post(ctx, *n); away(err) {
				a.mu.Lock()
				a.notes = slices.Insert(a.notes, 0, *n)
				a.mu.Unlock()
			} else if err != nil {
				a.config.Logger.Warn("Couldn't post a notice in a thread", "err", err)
			}
		case c != nil:
			err = a.bring(ctx, c)
		default:
			return
		}
		a.mu.Lock()
		if away(err) {
			a.delay = min(max(2*a.delay, firstDelay), maxDelay)
			a.awake = time.Now().Add(a.delay)
			a.mu.Unlock()
			return
		}
		a.delay = 0
		a.mu.Unlock()
	}
}

// away reports whether an error means that nothing else would work either.
func away(err error) bool {
	return errors.Is(err, chat.ErrOffline) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// take returns what is next: sentences first, then the first card that is due.
func (a *Manager) take(now time.Time) (*note, *card) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now.Before(a.awake) {
		return nil, nil
	}
	if len(a.notes) > 0 {
		n := a.notes[0]
		a.notes = a.notes[1:]
		return &n, nil
	}
	for i, c := range a.queue {
		if !now.Before(c.due) {
			a.queue = slices.Delete(a.queue, i, i+1)
			c.queued = false
			return nil, c
		}
	}
	return nil, nil
}

// rest returns how long there is nothing to do.
func (a *Manager) rest() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	at := now.Add(time.Hour)
	sooner := func(t time.Time) {
		if t.Before(at) {
			at = t
		}
	}
	for _, c := range a.queue {
		sooner(c.due)
	}
	if len(a.notes) > 0 {
		sooner(now)
	}
	if at.Before(a.awake) {
		at = a.awake
	}
	for _, it := range a.items {
		if it.expires > 0 {
			sooner(time.UnixMilli(it.expires).Add(grace))
		}
		if at, ok := a.nextCall(it); ok {
			sooner(at)
		}
	}
	return max(at.Sub(now), 10*time.Millisecond)
}

// expire ends questions past their expiry without an end event.
func (a *Manager) expire() {
	now := time.Now()
	a.mu.Lock()
	var late []*item
	for _, it := range a.items {
		if it.expires > 0 && !now.Before(time.UnixMilli(it.expires).Add(grace)) {
			late = append(late, it)
		}
	}
	a.mu.Unlock()
	for _, it := range late {
		open := slices.ContainsFunc(a.config.Desk.Open(it.q.SessionID), func(q port.Request) bool { return q.RequestID == it.q.RequestID })
		a.mu.Lock()
		if open {
			it.expires = now.Add(time.Minute).UnixMilli() // the desk knows better; it is asked again
		} else if it.end == nil {
			a.finish(it, ending{what: permission.OutcomeExpired, at: it.q.ExpiresAt})
		}
		a.mu.Unlock()
	}
}

// bring brings a card to its intended state. Its error is nil, or that the chat is
// unreachable.
func (a *Manager) bring(ctx context.Context, c *card) error {
	for {
		a.mu.Lock()
		todo, postID := c.next(), c.postID
		a.mu.Unlock()
		if todo == opNone || todo == opDone {
			return nil
		}
		err := a.do(ctx, c, todo, postID)
		if err == nil {
			continue
		}
		a.mu.Lock()
		switch {
		case away(err):
			a.push(c)
		case errors.Is(err, chat.ErrGone) && todo != opSend:
			if c.postID == postID { // nobody else noticed
				a.lost(c)
			}
			err = nil
		case c.tries < maxTries && !errors.Is(err, chat.ErrGone) && !errors.Is(err, chat.ErrForbidden) && !errors.Is(err, chat.ErrTooLarge):
			c.tries++
			c.due = time.Now().Add(min(firstDelay<<min(c.tries, 6), maxDelay))
			a.push(c)
		default:
			a.config.Logger.Warn("Couldn't post a request in its thread", "thread", c.threadID, "err", err)
			c.gone = true
			err = nil
		}
		a.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// lost handles a deleted post: it is recreated once while its question is open.
func (a *Manager) lost(c *card) {
	delete(a.posts, c.postID)
	if c.closing != "" || c.again > 0 || c.item == nil {
		c.gone = true
		return
	}
	if c.item.card == c {
		c.item.chosen = map[int]map[string]bool{} // they were deleted with the post
	}
	c.again++
	c.tried, c.sent, c.kept, c.postID, c.at, c.have, c.seeded, c.maybe, c.fileIDs = false, false, false, "", 0, "", 0, false, nil
}

// do takes one step with a card, whose post is postID.
func (a *Manager) do(ctx context.Context, c *card, todo op, postID string) error {
	ctx, cancel := context.WithTimeout(ctx, perCall)
	defer cancel()
	switch todo {
	case opSend:
		return a.send(ctx, c)
	case opRead:
		return a.read(ctx, c, postID)
	case opEdit:
		return a.edit(ctx, c, postID)
	case opKeep, opForget:
		kept := postID
		if todo == opForget {
			kept = ""
		}
		if err := a.config.Keep(ctx, c.threadID, c.name, kept); err != nil {
			// The post exists anyway; after a crash it may say that it is open.
			a.config.Logger.Warn("Couldn't save which post shows a request", "err", err)
		}
		a.mu.Lock()
		c.kept = todo == opKeep && c.postID == postID
		a.mu.Unlock()
		return nil
	case opSeed, opUnseed:
		return a.seed(ctx, c, todo, postID)
	}
	return nil
}

// seed adds one of the offered reactions, or removes one.
func (a *Manager) seed(ctx context.Context, c *card, todo op, postID string) error {
	a.mu.Lock()
	if todo == opUnseed && c.maybe {
		c.seeded, c.maybe = min(c.seeded+1, len(c.seeds)), false
	}
	seeds, at := c.seeds, c.seeded
	c.maybe = todo == opSeed
	a.mu.Unlock()
	var err error
	switch {
	case todo == opSeed && at < len(seeds):
		if err = a.config.Chat.React(ctx, postID, seeds[at]); err != nil && !errors.Is(err, chat.ErrForbidden) {
			return err
		}
	case todo == opUnseed && at > 0:
		if e := a.config.Chat.Unreact(ctx, postID, seeds[at-1]); e != nil && !errors.Is(e, chat.ErrGone) && !errors.Is(e, chat.ErrForbidden) {
			return e
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	c.maybe = false
	switch {
	case c.postID != postID || c.seeded != at:
	case todo == opUnseed:
		c.seeded = max(0, at-1)
	case err != nil:
		c.seeds = seeds[:at] // it may not react; others may
	default:
		c.seeded++
	}
	return nil
}

// send creates the post.
func (a *Manager) send(ctx context.Context, c *card) error {
	p := a.paint(ctx, c)
	a.mu.Lock()
	files := c.fileIDs
	a.mu.Unlock()
	if p.file != "" && len(files) == 0 {
		f, err := a.config.Chat.Upload(ctx, c.channelID, p.name, strings.NewReader(p.file))
		switch {
		case errors.Is(err, chat.ErrTooLarge), errors.Is(err, chat.ErrForbidden):
			locked := *p
			locked.lock()
			p = &locked
			a.shows(c, p)
		case err != nil:
			return err
		default:
			files = []string{f.ID}
		}
	}
	out := chat.NewPost{ChannelID: c.channelID, RootID: a.config.Root(c.threadID), Text: p.text(), FileIDs: files}
	if a.config.Buttons() {
		out.Buttons = buttonsOf(p.actions)
	}
	a.mu.Lock()
	c.tried, c.fileIDs, out.Key = true, files, c.sentAs()
	a.mu.Unlock()
	sent, err := a.config.Chat.Send(ctx, out)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	c.sent, c.postID, c.at, c.have = true, sent.ID, sent.At, out.Text
	if it := c.item; a.items[it.q.RequestID] == it || a.ended(it.q.RequestID) == it {
		a.posts[c.postID] = c
	}
	return nil
}

// read reads an earlier post. One whose question is open is recreated.
func (a *Manager) read(ctx context.Context, c *card, postID string) error {
	a.paint(ctx, c)
	a.mu.Lock()
	open := c.closing == ""
	a.mu.Unlock()
	if open {
		return nil
	}
	p, err := a.config.Chat.Post(ctx, postID)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.have = p.Text; c.have == "" {
		c.gone = true // not ours; there is nothing to end
		return nil
	}
	if _, _, open := apart(p.Text); open {
		c.seeds = seedsIn(p.Text)
		c.seeded = len(c.seeds)
	}
	return nil
}

// edit updates the text of a post.
func (a *Manager) edit(ctx context.Context, c *card, postID string) error {
	a.mu.Lock()
	text, closing := c.want(), c.closing
	a.mu.Unlock()
	var buttons []chat.Button // nil leaves them
	if closing != "" {
		buttons = []chat.Button{}
	}
	err := a.config.Chat.Edit(ctx, postID, text, buttons)
	a.mu.Lock()
	defer a.mu.Unlock()
	if errors.Is(err, chat.ErrForbidden) {
		// The server forbids edits after a while: then the thread is told.
		if closing != "" {
			a.say(c.threadID, c.channelID, closing, c.key)
		}
		err = nil
	}
	if err == nil && c.postID == postID {
		c.have = text
	}
	return err
}

// post posts a sentence.
func (a *Manager) post(ctx context.Context, n note) error {
	ctx, cancel := context.WithTimeout(ctx, perCall)
	defer cancel()
	_, err := a.config.Chat.Send(ctx, chat.NewPost{Key: n.key, ChannelID: n.channelID, RootID: a.config.Root(n.threadID), Text: n.text})
	return err
}
