package relay

import (
	"context"
	"fmt"
	"strings"

	"parley/backend/chat"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
	"parley/backend/chat/relay/post"
	"parley/backend/fault"
)

// reaction returns the command that a reaction stands for.
func (r *Relay) reaction(postID, emoji string) (command.Call, bool) {
	if r.cfg.Commands == nil {
		return command.Call{}, false
	}
	return r.cfg.Commands.Reaction(postID, emoji)
}

// takeReaction handles a reaction to one of Parley's posts that wasn't an answer to a
// question.
func (t *thread) takeReaction(ctx context.Context, item port.Item) error {
	if item.Begun {
		return t.answered(ctx, item)
	}
	by, err := t.r.bearer(ctx, item.PersonID, t.channel)
	if err != nil {
		return err
	}
	if by.ID == "" {
		return t.finish(ctx, item, nil)
	}
	rec := t.record()
	try := access.Attempt{
		By: by, ChannelID: t.channel, ThreadID: t.id, SessionID: rec.SessionID,
		Path: access.PathReaction, What: item.Emoji, Need: port.RolePrompt,
	}
	if call, does := t.r.reaction(item.Post.ID, item.Emoji); does {
		try.Need = t.r.cfg.Commands.Need(call)
		return t.command(ctx, item, call, try)
	}
	if rec.SessionID == "" || rec.Paused {
		return t.finish(ctx, item, nil)
	}
	var doing func(context.Context, port.Thread) error
	switch {
	case item.Emoji == seedling && rec.Posts[ownPrefix+seedling] == item.Post.ID:
		doing = t.fresh
	case item.Emoji == forward && rec.Posts[ownPrefix+forward] == item.Post.ID:
		doing = t.letGo
	}
	if doing == nil {
		return t.passOn(ctx, item, by, try)
	}
	if v := t.r.gate.Check(ctx, try); !v.OK {
		return t.refuse(ctx, item, try, v)
	}
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if err := doing(limited, rec); err != nil {
		if temporary(err) {
			return err
		}
		return t.answer(ctx, item, post.Sanitize(fault.MessageOf(err)), nil)
	}
	return t.finish(ctx, item, func(rec *port.Thread) { setPost(rec, ownPrefix+item.Emoji, "") })
}

// fresh clears the session's context.
func (t *thread) fresh(ctx context.Context, rec port.Thread) error {
	if err := t.r.cfg.Sessions.Fresh(ctx, rec.SessionID); err != nil {
		return err
	}
	t.note(note{key: short("fresh", t.id, rec.Posts[ownPrefix+seedling]), text: freshSaid})
	return nil
}

// letGo sends the thread's held prompts.
func (t *thread) letGo(ctx context.Context, rec port.Thread) error {
	s, err := t.r.cfg.Sessions.Get(ctx, rec.SessionID)
	if err != nil {
		return err
	}
	for _, q := range asideOf(&s, rec.Sent) {
		if err := t.r.cfg.Sessions.SendQueued(ctx, rec.SessionID, q.PromptID); err != nil && fault.CodeOf(err) != fault.Conflict && fault.CodeOf(err) != fault.NotFound {
			return err
		}
	}
	return nil
}

// passOn passes a reaction to a live session.
func (t *thread) passOn(ctx context.Context, item port.Item, by chat.Person, try access.Attempt) error {
	rec := t.record()
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	s, err := t.r.cfg.Sessions.Get(limited, rec.SessionID)
	switch {
	case temporary(err):
		return err
	case err != nil, s.PID == 0, len(rec.Waiting) >= maxWaiting:
		return t.finish(ctx, item, nil)
	}
	if !t.r.gate.Check(ctx, try).OK { // an emoji isn't worth a refusal
		return t.finish(ctx, item, nil)
	}
	text := fmt.Sprintf("[%s reacted with :%s: to your message: %q]",
		post.OneLine(by.Name), strings.Trim(post.OneLine(item.Emoji), ":"), post.Truncate(post.OneLine(item.Post.Text), 200))
	err = t.finish(ctx, item, func(rec *port.Thread) {
		rec.Waiting = append(rec.Waiting, port.Message{
			Post: chat.Post{ID: item.ID, ChannelID: t.channel, RootID: t.id, AuthorID: by.ID, Text: text, At: item.At}, By: by,
		})
	})
	if err == nil {
		t.posts.stir()
	}
	return err
}
