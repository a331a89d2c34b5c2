package relay

import (
	"context"
	"slices"
	"strings"

	"parley/backend/chat/relay/port"
	"parley/backend/event"
)

// resume checks once what an earlier relay left with the session: prompts that weren't
// taken up continue, and cut-off ones are reported.
func (t *thread) resume(ctx context.Context) error {
	t.mu.Lock()
	found, rec := t.found, t.rec
	t.mu.Unlock()
	if !found {
		return nil
	}
	for _, sent := range rec.Sent {
		t.mu.Lock()
		t.marked = append(t.marked, sent.Posts...)
		t.mu.Unlock()
		t.unmark(ctx, sent.Posts)
	}
	if len(rec.Sent) > 0 && rec.SessionID != "" {
		if err := t.resumeSent(ctx, rec); err != nil {
			return t.failed(ctx, "resuming sent messages", err)
		}
	}
	t.mu.Lock()
	t.found = false
	t.mu.Unlock()
	return nil
}

func (t *thread) resumeSent(ctx context.Context, rec port.Thread) error {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	s, err := t.r.cfg.Sessions.Get(limited, rec.SessionID)
	if temporary(err) {
		return err
	}
	held := heldOf(&s, rec.Sent)
	for _, sent := range rec.Sent {
		if !slices.Contains(held, sent.PromptID) {
			continue
		}
		if sent.Again { // if it ended Parley then, it isn't sent again automatically
			t.offerHeld(sent.PromptID)
			continue
		}
		if err := t.sendAgain(limited, rec.SessionID, sent.PromptID); err != nil {
			return err
		}
	}
	waits := func(p port.Sent) bool { return queued(&s, p.PromptID) }
	if busy(&s) { // only the relay ended, not the process
		return nil
	}
	if over := slices.IndexFunc(rec.Sent, func(p port.Sent) bool { return !waits(p) }); over >= 0 && s.Interrupted {
		t.note(note{key: short("cut", t.id, rec.Sent[over].PromptID), text: cutTurnSaid})
	}
	return t.change(ctx, func(rec *port.Thread) error {
		rec.Sent = slices.DeleteFunc(rec.Sent, func(p port.Sent) bool { return !waits(p) })
		return nil
	})
}

// sendAgain sends a prompt that wasn't taken up, and records that first.
func (t *thread) sendAgain(ctx context.Context, sessionID, promptID string) error {
	err := t.change(ctx, func(rec *port.Thread) error {
		for i := range rec.Sent {
			if rec.Sent[i].PromptID == promptID {
				rec.Sent[i].Again = true
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := t.r.cfg.Sessions.SendQueued(ctx, sessionID, promptID); temporary(err) {
		return err
	}
	return nil
}

// afterAgain checks the state of a prompt that was resent: it may be held or over.
func (t *thread) afterAgain(ctx context.Context, sessionID string, sent port.Sent) error {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	s, err := t.r.cfg.Sessions.Get(limited, sessionID)
	if err != nil {
		return err
	}
	if slices.Contains(heldOf(&s, []port.Sent{sent}), sent.PromptID) {
		if err := t.r.cfg.Sessions.SendQueued(limited, sessionID, sent.PromptID); temporary(err) {
			return err
		}
	} else {
		t.atRest(&s, 0)
	}
	return t.settle(ctx)
}

// atRest records that prompts sent before a time are over when the session is idle; 0
// is now.
func (t *thread) atRest(s *event.Session, at int64) {
	if busy(s) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.found {
		return // the leftovers are checked first
	}
	for _, p := range t.rec.Sent {
		if (at == 0 || p.At < at) && !queued(s, p.PromptID) && !slices.Contains(t.over, p.PromptID) {
			t.over = append(t.over, p.PromptID)
		}
	}
	t.over = t.over[max(0, len(t.over)-maxOver):]
}

// markWaiting adds a reaction to waiting posts, once each.
func (t *thread) markWaiting(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	for _, m := range t.record().Waiting {
		if strings.HasPrefix(m.Post.ID, reactPrefix) {
			continue // it isn't a post
		}
		t.mu.Lock()
		marked := slices.Contains(t.marked, m.Post.ID)
		if !marked {
			t.marked = append(t.marked, m.Post.ID)
			t.marked = t.marked[max(0, len(t.marked)-maxWaiting):]
		}
		t.mu.Unlock()
		if !marked {
			// Only cosmetic.
			_ = t.r.cfg.Chat.React(limited, m.Post.ID, waitsEmoji)
		}
	}
}

// unmark removes the reaction from posts that were sent.
func (t *thread) unmark(ctx context.Context, posts []string) {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	for _, id := range posts {
		t.mu.Lock()
		i := slices.Index(t.marked, id)
		if i >= 0 {
			t.marked = slices.Delete(t.marked, i, i+1)
		}
		t.mu.Unlock()
		if i >= 0 {
			_ = t.r.cfg.Chat.Unreact(limited, id, waitsEmoji)
		}
	}
}
