package mattermost

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"unicode/utf8"

	"parley/backend/chat/mattermost/wire"

	"parley/backend/chat"
)

// newestFirst returns the posts of a list, newest first.
func newestFirst(l *wire.PostList) []*wire.Post {
	out := make([]*wire.Post, 0, len(l.Posts))
	for _, p := range l.Posts {
		if p != nil {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *wire.Post) int {
		return cmp.Or(cmp.Compare(b.CreateAt, a.CreateAt), cmp.Compare(b.ID, a.ID))
	})
	return out
}

// Edit replaces a post's text and, unless nil, its buttons.
func (c *Client) Edit(ctx context.Context, postID, text string, buttons []chat.Button) error {
	if !wire.IsID(postID) {
		return chat.ErrGone
	}
	if utf8.RuneCountInString(text) > c.Limits().Text {
		return chat.ErrTooLarge
	}
	patch := map[string]any{"message": text}
	if buttons != nil && c.cfg.Callback != nil {
		// Properties are replaced as a whole, so the key must be known.
		var p wire.Post
		if err := c.do(ctx, call{method: http.MethodGet, path: "/posts/" + postID}, &p); err != nil {
			return err
		}
		key, _ := p.Props[keyProp].(string)
		props := c.props(key, p.ChannelID, buttons)
		for name, v := range p.Props {
			if _, ours := props[name]; !ours {
				props[name] = v
			}
		}
		patch["props"] = props
	}
	err := c.do(ctx, call{method: http.MethodPut, path: "/posts/" + postID + "/patch", body: patch}, nil)
	return c.orGone(ctx, postID, err)
}

// orGone distinguishes a missing post from a forbidden one: Mattermost answers
// "forbidden" for both.
func (c *Client) orGone(ctx context.Context, postID string, err error) error {
	if !errors.Is(err, chat.ErrForbidden) {
		return err
	}
	if f, ok := asFailure(err); !ok || f.status != http.StatusForbidden {
		return err
	}
	if _, was := c.Post(ctx, postID); errors.Is(was, chat.ErrGone) {
		return was
	}
	return err
}

// React adds an emoji to a post, by its name without colons.
func (c *Client) React(ctx context.Context, postID, emoji string) error {
	if !wire.IsID(postID) {
		return chat.ErrGone
	}
	me, err := c.account(ctx)
	if err != nil {
		return err
	}
	return c.do(ctx, call{method: http.MethodPost, path: "/reactions", body: map[string]string{"user_id": me, "post_id": postID, "emoji_name": emoji}}, nil)
}

// Unreact removes it.
func (c *Client) Unreact(ctx context.Context, postID, emoji string) error {
	if !wire.IsID(postID) {
		return chat.ErrGone
	}
	me, err := c.account(ctx)
	if err != nil {
		return err
	}
	return c.do(ctx, call{method: http.MethodDelete, path: "/users/" + me + "/posts/" + postID + "/reactions/" + url.PathEscape(emoji)}, nil)
}

// Reactions returns a post's reactions.
func (c *Client) Reactions(ctx context.Context, postID string) ([]chat.Reaction, error) {
	if !wire.IsID(postID) {
		return nil, chat.ErrGone
	}
	var list []*wire.Reaction
	if err := c.do(ctx, call{method: http.MethodGet, path: "/posts/" + postID + "/reactions"}, &list); err != nil {
		return nil, err
	}
	var out []chat.Reaction
	for _, r := range list {
		if r != nil && r.DeleteAt == 0 && soundReaction(r) && r.PostID == postID {
			out = append(out, reaction(r))
		}
	}
	return out, nil
}

// Post returns one post.
func (c *Client) Post(ctx context.Context, postID string) (chat.Post, error) {
	var out chat.Post
	err := c.persist(ctx, func() (err error) {
		out, err = c.read(ctx, postID)
		return err
	})
	return out, err
}

// read reads a post with one try.
func (c *Client) read(ctx context.Context, postID string) (chat.Post, error) {
	if !wire.IsID(postID) {
		return chat.Post{}, chat.ErrGone
	}
	me, err := c.account(ctx)
	if err != nil {
		return chat.Post{}, err
	}
	var p wire.Post
	if err := c.try(ctx, call{method: http.MethodGet, path: "/posts/" + postID}, &p); err != nil {
		return chat.Post{}, err
	}
	if p.DeleteAt > 0 {
		return chat.Post{}, chat.ErrGone
	}
	return post(&p, me), nil
}

// maxThread bounds what is read of a thread at once.
const maxThread = lookPage * lookThreadPages

// Thread returns the newest limit posts of a thread, at most 2,000, oldest
// first.
func (c *Client) Thread(ctx context.Context, rootID string, limit int) ([]chat.Post, error) {
	if !wire.IsID(rootID) {
		return nil, chat.ErrGone
	}
	limit = min(limit, maxThread)
	if limit <= 0 {
		return nil, nil
	}
	me, err := c.account(ctx)
	if err != nil {
		return nil, err
	}
	var out []chat.Post
	seen := map[string]bool{}
	err = c.readThread(ctx, rootID, lookThreadPages, c.do, func(p *wire.Post) bool {
		if !seen[p.ID] && p.DeleteAt == 0 {
			seen[p.ID] = true
			out = append(out, post(p, me))
		}
		return len(out) < limit
	})
	if err != nil {
		return nil, err
	}
	slices.Reverse(out)
	return out, nil
}

// Typing shows the account as typing if the socket is open: it isn't worth a call.
func (c *Client) Typing(_ context.Context, channelID, threadID string) error {
	c.mu.Lock()
	typing := c.typing
	c.mu.Unlock()
	if typing == nil {
		return chat.ErrOffline
	}
	return typing(channelID, threadID)
}
