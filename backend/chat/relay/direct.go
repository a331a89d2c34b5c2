package relay

import (
	"context"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
)

// A direct message is one conversation: posts there outside a thread continue it until a
// new one is started, and Parley's posts are in the channel itself. The previous
// conversation then becomes a normal thread: replies to its first post continue it.

// home returns the thread of a post: that of its root, or else, in a direct message, the
// current conversation; nil for none. A thread that has seen the post before takes
// precedence.
func (r *Relay) home(p chat.Post) *thread {
	if t := r.thread(p.Thread()); t != nil {
		return t
	}
	r.mu.Lock()
	threads := r.all()
	r.mu.Unlock()
	var found *thread
	for _, t := range threads {
		if t.channel != p.ChannelID {
			continue
		}
		rec := t.record()
		switch {
		case known(&rec, p.ID):
			return t
		case rec.Flat && (found == nil || rec.CreatedAt > found.record().CreatedAt):
			found = t
		}
	}
	return found
}

// Root returns the post that a thread's posts reply to, "" in the conversation of a
// direct message.
func (r *Relay) Root(threadID string) string {
	if t := r.thread(threadID); t != nil {
		return t.root()
	}
	return threadID
}

func (t *thread) root() string {
	rec := t.record()
	return rec.Root()
}

// begins reports whether a post starts another conversation.
func begins(p chat.Post, me string) bool {
	text, _ := cutMention(p.Text, me)
	call, is := command.Parse(text)
	return is && p.RootID == "" && call.Name == "new" && call.Text == ""
}

// leave turns a conversation into a normal thread, and reports whether it was
// one.
func (t *thread) leave(ctx context.Context) (left bool, err error) {
	err = t.change(ctx, func(rec *port.Thread) error {
		if !rec.Flat {
			return errSame
		}
		rec.Flat, left = false, true
		return nil
	})
	return left, err
}

// elsewhereAgain is the minimum time between hints in a channel that Parley doesn't listen
// there, maxElsewhere bounds the channels remembered for that.
const (
	elsewhereAgain = 24 * time.Hour
	maxElsewhere   = 1000
)

// pointsOut reports whether to tell a post's author that Parley doesn't listen there.
func (r *Relay) pointsOut(ctx context.Context, p chat.Post) (bool, error) {
	by, err := r.person(ctx, p.AuthorID)
	if err != nil || by.ID == "" {
		return false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for id, at := range r.pointed {
		if now.Sub(at) >= elsewhereAgain {
			delete(r.pointed, id)
		}
	}
	if _, said := r.pointed[p.ChannelID]; said || len(r.pointed) >= maxElsewhere {
		return false, nil
	}
	r.pointed[p.ChannelID] = now
	return true, nil
}

// takeElsewhere tells a user who mentions Parley where it doesn't listen what to do.
func (t *thread) takeElsewhere(ctx context.Context, item port.Item) error {
	if item.Begun {
		return t.answered(ctx, item)
	}
	by := chat.Person{ID: item.Post.AuthorID}
	t.r.cfg.Trail.Chat(ctx, port.Action{By: by, ChannelID: t.channel, Path: access.PathPost, What: "prompt", Refused: "Parley does not listen there"})
	said := elsewhereSaid
	if t.r.cfg.Config().Direct != nil {
		said += " You can also write me a direct message."
	}
	return t.answer(ctx, item, said, nil)
}
