package relay

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/chat/relay/post"
	"parley/backend/event"
	"parley/backend/fault"
)

// Limits for the start of a mirror.
const (
	summaryMessages = 30
	summaryAsked    = 500
	summaryAnswer   = 2000
	maxLooked       = 10_000
)

// MirrorOn mirrors a session in a thread: in its existing one, or else in a new one in a
// channel, "" for the configured one. Its errors are faults.
func (r *Relay) MirrorOn(ctx context.Context, sessionID, channelID string) (event.Mirror, error) {
	return r.mirrorOn(ctx, sessionID, channelID, time.Now().UnixMilli())
}

func (r *Relay) mirrorOn(ctx context.Context, sessionID, channelID string, since int64) (event.Mirror, error) {
	s, err := r.cfg.Sessions.Get(ctx, sessionID)
	switch {
	case err != nil:
		return event.Mirror{}, err
	case s.DeletedAt != 0:
		return event.Mirror{}, fault.New(fault.Conflict, "The session is in the trash. Restore it first.")
	}
	t := r.threadOf(sessionID)
	if t != nil && t.record().Posts[rootGone] != "" {
		if err := r.forget(ctx, t, false); err != nil {
			return event.Mirror{}, err
		}
		t = nil
	}
	again := t != nil
	if t == nil {
		if t, err = r.beginMirror(ctx, &s, channelID); err != nil {
			return event.Mirror{}, err
		}
	}
	if rec := t.record(); again && !rec.Paused && rec.SessionID == sessionID {
		return r.mirrored(ctx, t) // already mirrored
	}
	err = t.change(ctx, func(rec *port.Thread) error {
		rec.SessionID, rec.Paused, rec.Since, rec.UsedAt = sessionID, false, since, time.Now().UnixMilli()
		rec.Mirror = rec.Mirror || !again
		rec.Seq = 0
		if again { // events in between aren't shown, and no turn is running here
			rec.Seq = s.LastSeq
		}
		return nil
	})
	if err != nil {
		return event.Mirror{}, err
	}
	t.feeding.Lock()
	t.missed = true
	t.feeding.Unlock()
	r.show(t)
	r.repair()
	if again {
		t.note(note{key: short("on", t.id, strconv.FormatInt(since, 10)), text: onSaid})
	}
	r.happened("mirror", "A session is now mirrored to Mattermost.", chat.Person{}, sessionID)
	return r.mirrored(ctx, t)
}

// mirrored updates the mirror entry in the session's record.
func (r *Relay) mirrored(ctx context.Context, t *thread) (event.Mirror, error) {
	rec := t.record()
	m := t.mirror(ctx, !rec.Mirror && !rec.Run, rec.Paused, "")
	return *m, r.cfg.Sessions.SetMirror(ctx, rec.SessionID, m)
}

// threadOf returns a session's thread, mirrored or not, nil for none.
func (r *Relay) threadOf(sessionID string) *thread {
	r.mu.Lock()
	threads := r.all()
	r.mu.Unlock()
	var found *thread
	for _, t := range threads {
		rec := t.record()
		if rec.SessionID == sessionID && !rec.Run && (found == nil || found.record().UsedAt < rec.UsedAt) {
			found = t
		}
	}
	return found
}

// beginMirror starts a thread with a summary of a session.
func (r *Relay) beginMirror(ctx context.Context, s *event.Session, channelID string) (*thread, error) {
	if channelID == "" {
		channelID = r.cfg.Config().MirrorChannelID
	}
	if channelID == "" {
		return nil, fault.New(fault.Invalid, "No channel is set for mirrored sessions. Choose one (parameter channelId), or set one in the Mattermost settings.")
	}
	h, err := r.cfg.Sessions.History(ctx, s.ID, summaryMessages)
	if err != nil {
		return nil, err
	}
	text := post.Split(summary(s, &h), max(r.cfg.Chat.Limits().Text, 1))[0]
	// A session whose thread is gone starts another one.
	key := short("mirror", s.ID)
	if s.Mirror != nil {
		key = short("mirror", s.ID, s.Mirror.ThreadID)
	}
	made, err := r.cfg.Chat.Send(ctx, chat.NewPost{Key: key, ChannelID: channelID, Text: text})
	switch {
	case errors.Is(err, chat.ErrOffline):
		return nil, fault.Wrap(err, fault.Unavailable, "Mattermost cannot be reached. Try again when Parley is connected.")
	case errors.Is(err, chat.ErrForbidden), errors.Is(err, chat.ErrGone):
		return nil, fault.Wrap(err, fault.Forbidden, "Parley's account may not post in that channel. Add it to the channel, or choose another one.")
	case err != nil:
		return nil, err
	}
	r.makeRoom(ctx)
	return r.obtain(made.Thread(), made.ChannelID, false, ""), nil
}

// summary describes a session for people who see it for the first time.
func summary(s *event.Session, h *event.History) string {
	var b strings.Builder
	title := post.Escape(post.OneLine(s.Title))
	if title == "" {
		title = "A session"
	}
	b.WriteString("#### " + title + "\nThis session is now mirrored here. Replies go to it.\n\n")
	b.WriteString("Folder " + post.Code(s.CWD))
	if s.Model != "" {
		b.WriteString(", model " + post.Code(s.Model))
	}
	b.WriteString(".")
	if asked, answer := lastExchange(h.Messages); asked != "" || answer != "" {
		b.WriteString("\n\n---\n")
		if asked != "" {
			b.WriteString(post.Quote(post.Sanitize(post.Truncate(asked, summaryAsked))) + "\n\n")
		}
		if answer != "" {
			b.WriteString(post.Sanitize(post.Truncate(answer, summaryAnswer)))
		}
	}
	return strings.TrimSpace(b.String())
}

// lastExchange returns the last prompt and its answer.
func lastExchange(messages []event.Message) (asked, answer string) {
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		if m.ParentToolUseID != "" || m.Synthetic {
			continue
		}
		text := textOf(m)
		switch {
		case m.Role == "assistant" && answer == "":
			answer = text
		case m.Role == "user" && text != "":
			return text, answer
		}
	}
	return "", answer
}

func textOf(m *event.Message) string {
	var parts []string
	for _, b := range m.Blocks {
		if b.Type == "text" && strings.TrimSpace(b.Text) != "" {
			parts = append(parts, strings.TrimSpace(b.Text))
		}
	}
	return strings.Join(parts, "\n\n")
}

// MirrorOff stops mirroring a session. Its thread stays, with a note. A session
// without one is no error.
func (r *Relay) MirrorOff(ctx context.Context, sessionID string) (event.Mirror, error) {
	t := r.threadOf(sessionID)
	if t == nil {
		return event.Mirror{}, nil
	}
	if !t.record().Paused {
		now := time.Now().UnixMilli()
		if err := t.change(ctx, func(rec *port.Thread) error { rec.Paused = true; return nil }); err != nil {
			return event.Mirror{}, err
		}
		r.show(t)
		t.putStreamAway()
		r.asks.Forget(ctx, t.id)
		t.note(note{key: short("off", t.id, strconv.FormatInt(now, 10)), text: offSaid})
		r.happened("mirror", "A session is no longer mirrored to Mattermost.", chat.Person{}, sessionID)
	}
	return r.mirrored(ctx, t)
}

// begins checks whether a session must be mirrored automatically, from its first
// prompt on.
func (r *Relay) begins(sessionID string, at int64) {
	cfg := r.cfg.Config()
	if cfg.MirrorChannelID == "" || len(cfg.MirrorFolders) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.looked[sessionID] || r.closed {
		return
	}
	if len(r.looked) >= maxLooked {
		clear(r.looked)
	}
	r.looked[sessionID] = true
	r.tasks.Go(func() {
		limited, cancel := context.WithTimeout(r.ctx, callLimit)
		defer cancel()
		if err := r.showNew(limited, sessionID, cfg, at); err != nil && r.ctx.Err() == nil {
			r.cfg.Logger.Warn("Couldn't mirror a new session automatically", "session", sessionID, "err", err)
		}
	})
}

func (r *Relay) showNew(ctx context.Context, sessionID string, cfg port.ChatConfig, at int64) error {
	s, err := r.cfg.Sessions.Get(ctx, sessionID)
	if err != nil || s.Mirror != nil || s.Heartbeat != "" || s.Scripted {
		return err
	}
	if !slices.ContainsFunc(cfg.MirrorFolders, func(f string) bool { return filepath.Clean(f) == s.CWD }) {
		return nil
	}
	h, err := r.cfg.Sessions.History(ctx, sessionID, summaryMessages)
	if err != nil || h.HasMore {
		return err
	}
	prompts := 0
	for i := range h.Messages {
		if m := &h.Messages[i]; m.Role == "user" && !m.Synthetic && m.ParentToolUseID == "" {
			prompts++
		}
	}
	if prompts > 1 {
		return nil // it existed before
	}
	_, err = r.mirrorOn(ctx, sessionID, cfg.MirrorChannelID, at)
	return err
}

// forked announces a fork in the thread of its origin.
func (r *Relay) forked(s *event.Session) {
	if s.ForkedFrom == nil {
		return
	}
	t := r.showing(s.ForkedFrom.SessionID)
	if t == nil || s.CreatedAt < t.began {
		return
	}
	title := post.OneLine(s.Title)
	if title == "" {
		title = "a new session"
	}
	t.note(note{key: short("fork", t.id, s.ID), text: "A session was forked from this one: " + post.Escape(title) + ". This thread stays with the original."})
}
