package relay

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/backend/chat/relay/port"
	"parley/backend/chat/relay/post"
	"parley/backend/event"
	"parley/backend/fault"
)

// Limits of a merged prompt.
const (
	maxTogether      = 20
	maxTogetherBytes = 64 << 10
	// behindLimit is how long a message waits for earlier answers to be posted.
	behindLimit = 30 * time.Second
)

// settle records which prompts have ended.
func (t *thread) settle(ctx context.Context) error {
	t.mu.Lock()
	over := slices.Clone(t.over)
	is := func(p port.Sent) bool { return slices.Contains(over, p.PromptID) }
	due := slices.ContainsFunc(t.rec.Sent, is)
	t.mu.Unlock()
	if !due {
		return nil
	}
	err := t.change(ctx, func(rec *port.Thread) error {
		rec.Sent = slices.DeleteFunc(rec.Sent, is)
		return nil
	})
	if err == nil && t.record().Run {
		t.r.show(t)
	}
	return err
}

// busy reports whether a turn is running in a session or about to start.
func busy(s *event.Session) bool {
	switch s.State {
	case "starting", "running", "waiting", "interrupting", "compacting":
		return true
	}
	return slices.ContainsFunc(s.Queued, func(q event.QueuedPrompt) bool { return !aside(q) })
}

// aside reports whether a prompt waits for a user.
func aside(q event.QueuedPrompt) bool {
	return q.State == "held" || q.State == "failed" || q.State == "unknown"
}

// asideOf returns those of a thread's prompts that wait for a user, in order.
func asideOf(s *event.Session, sent []port.Sent) []event.QueuedPrompt {
	return slices.DeleteFunc(slices.Clone(s.Queued), func(q event.QueuedPrompt) bool {
		return !aside(q) || !slices.ContainsFunc(sent, func(p port.Sent) bool { return p.PromptID == q.PromptID })
	})
}

// heldOf returns those of a thread's prompts that its session holds, in order.
func heldOf(s *event.Session, sent []port.Sent) []string {
	var list []string
	for _, q := range asideOf(s, sent) {
		if q.State == "held" {
			list = append(list, q.PromptID)
		}
	}
	return list
}

// together returns how many waiting messages are sent now as one prompt. One is sent
// into a running turn, unless one was before.
func together(waiting []port.Message, busy, steered bool) int {
	if len(waiting) == 0 {
		return 0
	}
	first := waiting[0]
	if first.PromptID != "" { // it was decided before, and may have been sent
		n := 1
		for n < len(waiting) && waiting[n].PromptID == first.PromptID {
			n++
		}
		return n
	}
	if busy {
		if steered || first.Command {
			return 0
		}
		return 1
	}
	n, bytes := 1, len(first.Post.Text)
	for ; n < min(len(waiting), maxTogether) && !first.Command; n++ {
		next := waiting[n]
		bytes += len(next.Post.Text)
		if next.Command || next.By.ID != first.By.ID || bytes > maxTogetherBytes {
			break
		}
	}
	return n
}

// send sends waiting messages as far as possible.
func (t *thread) send(ctx context.Context) error {
	for {
		rec := t.record()
		if len(rec.Waiting) == 0 || rec.SessionID != "" && rec.Paused && rec.Posts[rootGone] == "" {
			return nil // waiting messages continue when mirroring resumes
		}
		s, err := t.session(ctx, rec)
		switch {
		case err != nil && temporary(err), ctx.Err() != nil:
			return err
		case err != nil:
			return t.giveUp(ctx, rec.Waiting[:1], err)
		case s == nil:
			continue // the reason was already posted
		}
		working := busy(s)
		t.mu.Lock()
		if !working {
			t.steered = false
		}
		n := together(rec.Waiting, working, t.steered)
		t.mu.Unlock()
		if n == 0 || !working && rec.Waiting[0].PromptID == "" && t.behind() {
			t.markWaiting(ctx)
			return nil
		}
		if err := t.sendOne(ctx, s, rec.Waiting[:n], working); err != nil {
			return err
		}
	}
}

// behind reports whether answers are still on their way into the thread: the next
// prompt waits for them, within a limit. keep is called when they are there.
func (t *thread) behind() bool {
	t.feeding.Lock()
	defer t.feeding.Unlock()
	if t.stream == nil || t.stream.Idle() {
		t.late = time.Time{}
		return false
	}
	if t.late.IsZero() {
		t.late = time.Now()
	}
	return time.Since(t.late) < behindLimit
}

// sendOne sends the first messages as one prompt. A command from a reaction may
// drop them in between.
func (t *thread) sendOne(ctx context.Context, s *event.Session, first []port.Message, working bool) error {
	messages := slices.Clone(first)
	again := messages[0].PromptID != "" // it may have been sent before
	if !again {
		id := "chat-" + messages[0].Post.ID
		err := t.change(ctx, func(rec *port.Thread) error {
			if len(rec.Waiting) < len(messages) || !slices.EqualFunc(rec.Waiting[:len(messages)], messages, samePost) {
				return errMoved
			}
			for i := range messages {
				rec.Waiting[i].PromptID = id
			}
			return nil
		})
		if errors.Is(err, errMoved) {
			return nil // decide again what to send
		}
		if err != nil {
			return err
		}
		for i := range messages {
			messages[i].PromptID = id
		}
	}
	limited, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	rec := t.record()
	prompt, leftOut, err := t.prompt(limited, &rec, messages)
	if err != nil {
		return err
	}
	if prompt.Text == "" && len(prompt.Files) == 0 {
		return t.drop(ctx, messages, leftOutSaid(leftOut), "left-"+messages[0].Post.ID)
	}
	t.r.show(t) // the result must be shown
	turn, err := t.r.cfg.Sessions.Prompt(limited, s.ID, prompt)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case temporary(err):
		return err
	case err != nil:
		return t.giveUp(ctx, messages, err)
	}
	if working {
		t.mu.Lock()
		t.steered = true
		t.mu.Unlock()
	}
	sent := port.Sent{PromptID: prompt.ID, TurnID: turn, By: messages[0].By.ID, At: time.Now().UnixMilli(), Again: again}
	for _, m := range messages {
		sent.Posts = append(sent.Posts, m.Post.ID)
	}
	err = t.change(ctx, func(rec *port.Thread) error {
		rec.Waiting = without(rec.Waiting, messages)
		if rec.SessionID == s.ID {
			rec.Sent = append(rec.Sent, sent)
			rec.Sent = rec.Sent[max(0, len(rec.Sent)-maxWaiting):]
		}
		delete(rec.Posts, untold)
		return nil
	})
	if err != nil {
		return err
	}
	t.unmark(ctx, sent.Posts)
	if len(leftOut) > 0 {
		t.note(note{key: "left-" + messages[0].Post.ID, text: leftOutSaid(leftOut)})
	}
	if again {
		return t.afterAgain(ctx, s.ID, sent)
	}
	return t.settle(ctx)
}

// errMoved means that the waiting messages changed.
var errMoved = errors.New("other messages wait")

func samePost(a, b port.Message) bool { return a.Post.ID == b.Post.ID }

// without returns the waiting messages except those.
func without(waiting, those []port.Message) []port.Message {
	return slices.DeleteFunc(waiting, func(m port.Message) bool {
		return slices.ContainsFunc(those, func(other port.Message) bool { return samePost(m, other) })
	})
}

// giveUp drops messages that can't be sent, and posts the reason.
func (t *thread) giveUp(ctx context.Context, messages []port.Message, why error) error {
	if fault.CodeOf(why) == fault.Internal {
		t.r.cfg.Logger.Error("Couldn't deliver a message from Mattermost", "thread", t.id, "err", why)
	}
	return t.drop(ctx, messages, "This was not delivered. "+post.Sanitize(fault.MessageOf(why)), "not-"+messages[0].Post.ID)
}

// drop drops waiting messages and posts a text.
func (t *thread) drop(ctx context.Context, messages []port.Message, text, key string) error {
	err := t.change(ctx, func(rec *port.Thread) error {
		rec.Waiting = without(rec.Waiting, messages)
		return nil
	})
	if err == nil {
		t.note(note{key: key, text: text})
	}
	return err
}
