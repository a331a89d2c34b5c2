package relay

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/backend/chat"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
	"parley/backend/chat/relay/post"
	"parley/backend/fault"
)

// takePosts handles incoming posts, oldest first, and sends waiting messages.
func (t *thread) takePosts(ctx context.Context) error {
	if err := t.resume(ctx); err != nil {
		return err
	}
	for {
		if err := t.suggest(ctx); err != nil {
			return t.failed(ctx, "asking for fixes", err)
		}
		if err := t.settle(ctx); err != nil {
			return err
		}
		item, ok := t.next(false)
		if !ok {
			break
		}
		if err := t.take(ctx, item); err != nil {
			return t.failed(ctx, "what came in", err)
		}
	}
	if err := t.send(ctx); err != nil {
		return t.failed(ctx, "handing on what was written", err)
	}
	return nil
}

// takePresses handles reactions, oldest first.
func (t *thread) takePresses(ctx context.Context) error {
	for {
		item, ok := t.next(true)
		if !ok {
			return nil
		}
		if err := t.takeReaction(ctx, item); err != nil {
			return t.failed(ctx, "a reaction", err)
		}
	}
}

// failed returns an error after which the step is retried.
func (t *thread) failed(ctx context.Context, what string, err error) error {
	if ctx.Err() == nil && !errors.Is(err, errGone) {
		t.r.cfg.Logger.Warn("Step of a thread failed; retrying", "step", what, "thread", t.id, "err", err)
	}
	if errors.Is(err, errGone) {
		return nil
	}
	return err
}

func (t *thread) take(ctx context.Context, item port.Item) error {
	switch item.Kind {
	case kindPost:
		return t.takePost(ctx, item)
	case kindElsewhere:
		return t.takeElsewhere(ctx, item)
	case kindEdit:
		return t.takeEdit(ctx, item)
	case kindDelete:
		return t.takeDelete(ctx, item)
	}
	return t.finish(ctx, item, nil)
}

func (t *thread) takePost(ctx context.Context, item port.Item) error {
	if item.Begun {
		return t.answered(ctx, item)
	}
	by, err := t.r.bearer(ctx, item.Post.AuthorID, t.channel)
	if err != nil {
		return err
	}
	if by.ID == "" {
		return t.finish(ctx, item, nil)
	}
	rec := t.record()
	text, _ := cutMention(item.Post.Text, t.r.cfg.Chat.Me().Username)
	item.Post.Text = strings.TrimSpace(text)
	try := access.Attempt{
		By: by, Automated: item.Post.Automated, ChannelID: t.channel, ThreadID: t.id, SessionID: rec.SessionID,
		Path: access.PathReply, What: "prompt", Need: port.RolePrompt,
	}
	if item.Post.RootID == "" {
		try.Path = access.PathPost
	}
	if call, is := command.Parse(item.Post.Text); is {
		try.Path, try.What, try.Need = access.PathCommand, call.Name, t.r.cfg.Commands.Need(call)
		return t.command(ctx, item, call, try)
	}
	if rec.SessionID != "" && !rec.Paused && t.r.asks.Open(t.id) > 0 && t.r.asks.Replied(ctx, rec, item.Post, by) {
		if len(item.Post.Files) > 0 {
			t.note(note{key: short("files", item.Post.ID), text: filesUnread})
		}
		return t.finish(ctx, item, nil)
	}
	if v := t.r.gate.Check(ctx, try); !v.OK {
		return t.refuse(ctx, item, try, v)
	}
	if len(item.Post.Files) > 0 {
		try.Path, try.What = access.PathFile, "file"
		if v := t.r.gate.Check(ctx, try); !v.OK {
			return t.refuse(ctx, item, try, v)
		}
	}
	switch {
	case rec.Paused:
		return t.answer(ctx, item, pausedSaid, nil)
	case item.Post.Text == "" && len(item.Post.Files) == 0:
		return t.answer(ctx, item, emptySaid, nil)
	case len(rec.Waiting) >= maxWaiting:
		return t.answer(ctx, item, fullSaid, nil)
	}
	t.r.happened("prompt", "A message came in.", by, rec.SessionID)
	return t.finish(ctx, item, func(rec *port.Thread) {
		rec.Waiting = append(rec.Waiting, port.Message{Post: item.Post, By: by})
	})
}

// refuse tells a user without rights, rate limited.
func (t *thread) refuse(ctx context.Context, item port.Item, try access.Attempt, v access.Verdict) error {
	t.r.happened("refused", "Someone without permission was refused ("+try.Path+").", try.By, try.SessionID)
	if v.Refusal == "" {
		return t.finish(ctx, item, nil)
	}
	return t.answer(ctx, item, v.Refusal, nil)
}

// answer posts the reply to an item and finishes it. The reply is stored first, so
// that a successor posts it; more is stored with it.
func (t *thread) answer(ctx context.Context, item port.Item, text string, more func(*port.Thread)) error {
	err := t.amend(ctx, item.ID, func(i *port.Item, rec *port.Thread) {
		i.Begun, i.Reply = true, text
		if more != nil {
			more(rec)
		}
	})
	if err != nil {
		return err
	}
	item.Begun, item.Reply = true, text
	return t.answered(ctx, item)
}

// replyKey is the key prefix of replies to items.
const replyKey = "re-"

// answered posts the reply to an item that was started.
func (t *thread) answered(ctx context.Context, item port.Item) error {
	if item.Reply == "" {
		item.Reply = cutOffSaid
		text, _ := cutMention(item.Post.Text, t.r.cfg.Chat.Me().Username)
		if call, _ := command.Parse(text); call.Name == "restart" && (call.Text == "" || call.Text == "now") {
			item.Reply = backSaid
		}
	}
	if _, err := t.post(ctx, replyKey+item.ID, item.Reply, nil); err != nil {
		return err
	}
	return t.finish(ctx, item, nil)
}

// post posts in the thread, in several posts if long, and returns the last one's id. What
// the chat will never accept is skipped and logged.
func (t *thread) post(ctx context.Context, key, text string, files []string) (string, error) {
	limits, last := t.r.cfg.Chat.Limits(), ""
	parts := post.Split(text, max(limits.Text, 1))
	for i, part := range parts {
		p := chat.NewPost{Key: key, ChannelID: t.channel, RootID: t.root(), Text: part}
		if i > 0 {
			p.Key = fmt.Sprintf("%s-%d", key, i)
		}
		if i == len(parts)-1 {
			p.FileIDs = files
		}
		made, err := t.r.cfg.Chat.Send(ctx, p)
		switch {
		case hopeless(err):
			t.r.cfg.Logger.Warn("Mattermost rejected a post", "thread", t.id, "err", err)
			switch {
			case errors.Is(err, chat.ErrGone):
				t.lost(threadGone)
			case errors.Is(err, chat.ErrForbidden):
				t.barred.Store(true)
				t.troubled(barredSaid)
			}
			return last, nil
		case err != nil:
			return last, err
		}
		last = made.ID
		if t.barred.CompareAndSwap(true, false) {
			t.troubled("")
		}
	}
	return last, nil
}

// hopeless reports whether a retry won't help.
func hopeless(err error) bool {
	return errors.Is(err, chat.ErrGone) || errors.Is(err, chat.ErrForbidden) || errors.Is(err, chat.ErrTooLarge)
}

// temporary reports whether a retry may succeed.
func temporary(err error) bool {
	if err == nil {
		return false
	}
	switch fault.CodeOf(err) {
	case fault.Unavailable, fault.Busy:
		return true
	}
	return errors.Is(err, chat.ErrOffline) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
