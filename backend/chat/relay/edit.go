package relay

import (
	"context"
	"slices"
	"strings"

	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
)

// takeEdit changes a waiting message; one that the CLI has is unchanged.
func (t *thread) takeEdit(ctx context.Context, item port.Item) error {
	rec := t.record()
	text, _ := cutMention(item.Post.Text, t.r.cfg.Chat.Me().Username)
	text = strings.TrimSpace(text)
	waits := slices.IndexFunc(rec.Waiting, func(m port.Message) bool { return m.Post.ID == item.Post.ID && m.PromptID == "" })
	sent := sentAlone(&rec, item.Post.ID)
	if text == "" || waits < 0 && sent < 0 || waits >= 0 && rec.Waiting[waits].Post.Text == text {
		return t.finish(ctx, item, nil)
	}
	by, err := t.r.bearer(ctx, item.Post.AuthorID, t.channel)
	if err != nil {
		return err
	}
	try := access.Attempt{
		By: by, ChannelID: t.channel, ThreadID: t.id, SessionID: rec.SessionID,
		Path: access.PathEdit, What: "prompt", Need: port.RolePrompt,
	}
	if by.ID == "" || !t.r.gate.Check(ctx, try).OK {
		return t.finish(ctx, item, nil) // the original text stays
	}
	if waits < 0 {
		if _, is := command.Parse(text); !is {
			err = t.ofQueued(ctx, rec, sent, func(ctx context.Context, promptID string) error {
				return t.r.cfg.Sessions.EditQueued(ctx, rec.SessionID, promptID, text)
			})
		}
		if err != nil {
			return err
		}
		return t.finish(ctx, item, nil)
	}
	return t.finish(ctx, item, func(rec *port.Thread) {
		for i := range rec.Waiting {
			if m := &rec.Waiting[i]; m.Post.ID == item.Post.ID && m.PromptID == "" {
				m.Post.Text, m.Command = text, false
			}
		}
	})
}

// sentAlone returns the index of the prompt that consists of one post and that the thread
// may still change: -1 for none, and while mirroring is paused.
func sentAlone(rec *port.Thread, postID string) int {
	if rec.Paused {
		return -1
	}
	return slices.IndexFunc(rec.Sent, func(s port.Sent) bool { return len(s.Posts) == 1 && s.Posts[0] == postID })
}

// takeDelete drops a waiting message; one that the CLI has stays.
func (t *thread) takeDelete(ctx context.Context, item port.Item) error {
	if item.Post.ID == t.root() {
		t.lost(threadGone)
		return t.finish(ctx, item, func(rec *port.Thread) {
			if !rec.Mirror && !rec.Run {
				rec.Waiting = slices.DeleteFunc(rec.Waiting, func(m port.Message) bool { return m.PromptID == "" })
			}
		})
	}
	rec := t.record()
	waits := slices.IndexFunc(rec.Waiting, func(m port.Message) bool { return m.Post.ID == item.Post.ID && m.PromptID == "" })
	sent := sentAlone(&rec, item.Post.ID)
	if waits < 0 && sent < 0 {
		return t.finish(ctx, item, nil)
	}
	author := item.Post.AuthorID
	if waits >= 0 {
		author = rec.Waiting[waits].By.ID
	}
	by, err := t.r.bearer(ctx, author, t.channel)
	if err != nil {
		return err
	}
	try := access.Attempt{
		By: by, ChannelID: t.channel, ThreadID: t.id, SessionID: rec.SessionID,
		Path: access.PathDelete, What: "prompt", Need: port.RolePrompt,
	}
	if !t.r.gate.Check(ctx, try).OK {
		return t.finish(ctx, item, nil)
	}
	if waits < 0 {
		err := t.ofQueued(ctx, rec, sent, func(ctx context.Context, promptID string) error {
			return t.r.cfg.Sessions.DropQueued(ctx, rec.SessionID, promptID)
		})
		if err != nil {
			return err
		}
		return t.finish(ctx, item, nil)
	}
	return t.finish(ctx, item, func(rec *port.Thread) {
		rec.Waiting = slices.DeleteFunc(rec.Waiting, func(m port.Message) bool { return m.Post.ID == item.Post.ID && m.PromptID == "" })
	})
}

// ofQueued applies do to a prompt that may still be queued in its session.
func (t *thread) ofQueued(ctx context.Context, rec port.Thread, sent int, do func(context.Context, string) error) error {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err := do(limited, rec.Sent[sent].PromptID)
	if temporary(err) {
		return err
	}
	return nil // it was already taken up
}
