package relay

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/chat/relay/post"
	"parley/backend/fault"
)

// Run is a heartbeat's result.
type Run struct {
	// ID is unique per run: each is posted once.
	ID        string
	ChannelID string
	// SessionID is where it ran: replies continue it. "" for a run without a session.
	SessionID string
	// Title is the heartbeat's. State is "finished" or another outcome, which is shown.
	Title, State, Text string
	// Asks: it waits for an answer. ID is its prompt's, and its thread shows the
	// question and the rest of its turn.
	Asks bool
}

// PostRun posts a heartbeat's result in a channel and returns the post's address.
// Replies to it go to the heartbeat's session. Its errors are faults.
func (r *Relay) PostRun(ctx context.Context, run Run) (link string, err error) {
	parts := post.Split(runText(run), max(r.cfg.Chat.Limits().Text, 1))
	first := ""
	for i, part := range parts {
		made, err := r.cfg.Chat.Send(ctx, chat.NewPost{Key: short("run", run.ID, number(uint64(i))), ChannelID: run.ChannelID, RootID: first, Text: part})
		switch {
		case errors.Is(err, chat.ErrOffline):
			return "", fault.Wrap(err, fault.Unavailable, "Mattermost cannot be reached, so the heartbeat's result was not posted.")
		case errors.Is(err, chat.ErrForbidden), errors.Is(err, chat.ErrGone):
			return "", fault.Wrap(err, fault.Forbidden, "Parley's account may not post in the channel %q. Add it to the channel, or choose another one for the heartbeat.", run.ChannelID)
		case err != nil:
			return "", err
		}
		if first == "" {
			first = made.Thread()
		}
	}
	if run.SessionID == "" {
		return r.cfg.Chat.Link(first), nil
	}
	r.makeRoom(ctx)
	t := r.obtain(first, run.ChannelID, false, "")
	err = t.change(ctx, func(rec *port.Thread) error {
		if rec.SessionID != "" {
			return errSame
		}
		rec.SessionID, rec.Run, rec.Since = run.SessionID, true, time.Now().UnixMilli()
		if run.Asks {
			rec.Sent = append(rec.Sent, port.Sent{PromptID: run.ID, At: rec.Since})
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if run.Asks {
		t.feeding.Lock()
		t.missed = true // what is open
		t.feeding.Unlock()
	}
	r.show(t)
	if run.Asks {
		r.repair()
	}
	return r.cfg.Chat.Link(first), nil
}

func runText(run Run) string {
	title := post.Escape(post.OneLine(run.Title))
	if run.State != "" && run.State != "finished" {
		title += " (" + post.Escape(post.OneLine(run.State)) + ")"
	}
	return strings.TrimSpace("#### " + title + "\n" + post.Sanitize(run.Text))
}
