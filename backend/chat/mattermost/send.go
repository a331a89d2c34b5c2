package mattermost

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"sync"
	"unicode/utf8"

	"parley/backend/chat/mattermost/wire"

	"parley/backend/chat"
)

// How far back a post from an earlier run is searched.
const (
	lookPage         = 200
	lookThreadPages  = 10
	lookChannelPages = 5
)

var keyPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,60}$`)

// sends ensures that a key creates one post.
//
// The server remembers a pending_post_id for half a minute, and forgets it when it
// restarts. For later retries the key is in the post itself: before this run's first
// post to a thread (or a channel, for posts that start a thread) the account's posts
// there are read, and again after a try with an unknown result. So a key needs no read
// of its own. An earlier run's post is found among the newest 2,000 of its thread, or
// 1,000 of its channel.
type sends struct {
	mu sync.Mutex
	// busy are the keys being sent: a second sender waits for the first.
	busy map[string]chan struct{}
	// known are the threads and channels whose posts are all in sent.
	known *lru[struct{}]
	// sent are the posts by key.
	sent *lru[sent]
}

type sent struct {
	post  chat.Post
	place string
}

func newSends() *sends {
	s := &sends{busy: map[string]chan struct{}{}, known: newLRU[struct{}](4000, 0), sent: newLRU[sent](8000, 0)}
	// After an eviction the place must be read again before the next post there.
	s.sent.dropped = func(v sent) { s.known.drop(v.place) }
	return s
}

func (s *sends) forget() {
	s.known.clear()
	s.sent.clear()
}

// note records one of our posts.
func (s *sends) note(p chat.Post) {
	if p.Mine && p.Key != "" {
		p.Text, p.Files = "", nil
		s.sent.put(p.Key, sent{p, place(p.ChannelID, p.RootID)})
	}
}

func place(channelID, rootID string) string {
	if rootID != "" {
		return rootID
	}
	return channelID
}

// hold waits until the key is free and takes it.
func (s *sends) hold(ctx context.Context, key string) (release func(), err error) {
	for {
		s.mu.Lock()
		wait, taken := s.busy[key]
		if !taken {
			mine := make(chan struct{})
			s.busy[key] = mine
			s.mu.Unlock()
			return func() {
				s.mu.Lock()
				delete(s.busy, key)
				s.mu.Unlock()
				close(mine)
			}, nil
		}
		s.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", chat.ErrOffline, context.Cause(ctx))
		}
	}
}

// Send creates a post, once per key. The result for a key that was sent before may lack
// the text and the files.
func (c *Client) Send(ctx context.Context, p chat.NewPost) (chat.Post, error) {
	if !keyPattern.MatchString(p.Key) {
		return chat.Post{}, fmt.Errorf("the key of a post is not one")
	}
	if utf8.RuneCountInString(p.Text) > c.Limits().Text {
		return chat.Post{}, chat.ErrTooLarge
	}
	if len(p.FileIDs) > maxFiles {
		return chat.Post{}, fmt.Errorf("%w: more than %d files", chat.ErrTooLarge, maxFiles)
	}
	if !wire.IsID(p.ChannelID) || p.RootID != "" && !wire.IsID(p.RootID) {
		return chat.Post{}, chat.ErrGone
	}
	release, err := c.sends.hold(ctx, p.Key)
	if err != nil {
		return chat.Post{}, err
	}
	defer release()
	me, err := c.account(ctx)
	if err != nil {
		return chat.Post{}, err
	}
	at := place(p.ChannelID, p.RootID)
	body := map[string]any{
		"channel_id": p.ChannelID, "root_id": p.RootID, "message": p.Text, "file_ids": p.FileIDs,
		"pending_post_id": me + ":" + p.Key, "props": c.props(p.Key, p.ChannelID, p.Buttons),
	}
	_, known := c.sends.known.get(at)
	look, depth := !known, lookThreadPages
	if p.RootID == "" {
		depth = lookChannelPages
	}
	var out chat.Post
	err = c.persist(ctx, func() error {
		if s, ok := c.sends.sent.get(p.Key); ok {
			out = s.post
			return nil
		}
		if look {
			if err := c.look(ctx, p.ChannelID, p.RootID, me, p.Key, depth); err != nil {
				return err
			}
			look = false
			c.sends.known.put(at, struct{}{})
			if s, ok := c.sends.sent.get(p.Key); ok {
				out = s.post
				return nil
			}
		}
		var made wire.Post
		err := c.try(ctx, call{method: http.MethodPost, path: "/posts", body: body}, &made)
		if err != nil {
			if f, ok := asFailure(err); !ok || f.unsure {
				// It may exist: the next try checks, and so does the next Send if there is
				// none.
				look, depth = true, 1
				c.sends.known.drop(at)
			}
			return err
		}
		out = post(&made, me)
		out.Key = p.Key
		c.sends.note(out)
		return nil
	})
	return out, err
}

// look reads the account's posts in a thread or a channel, newest first, until it finds
// the key or the page limit is reached, and records the keys.
func (c *Client) look(ctx context.Context, channelID, rootID, me, key string, pages int) error {
	if rootID != "" {
		return c.readThread(ctx, rootID, pages, c.try, func(p *wire.Post) bool {
			c.sends.note(post(p, me))
			return keyOf(p, me) != key
		})
	}
	for page := range pages {
		var list wire.PostList
		q := url.Values{"page": {strconv.Itoa(page)}, "per_page": {strconv.Itoa(lookPage)}, "skipFetchThreads": {"true"}}
		if err := c.try(ctx, call{method: http.MethodGet, path: "/channels/" + channelID + "/posts", query: q}, &list); err != nil {
			return err
		}
		for _, id := range list.Order {
			if p := list.Posts[id]; p != nil {
				c.sends.note(post(p, me))
				if keyOf(p, me) == key {
					return nil
				}
			}
		}
		if len(list.Order) < lookPage {
			return nil
		}
	}
	return nil
}

func keyOf(p *wire.Post, me string) string {
	if p.UserID != me {
		return ""
	}
	key, _ := p.Props[keyProp].(string)
	return key
}

// readThread passes the posts of a thread to fn, newest first, until it returns
// false.
func (c *Client) readThread(ctx context.Context, rootID string, pages int, do func(context.Context, call, any) error, fn func(*wire.Post) bool) error {
	q := url.Values{"perPage": {strconv.Itoa(lookPage)}, "direction": {"up"}}
	for range pages {
		var list wire.PostList
		if err := do(ctx, call{method: http.MethodGet, path: "/posts/" + rootID + "/thread", query: q}, &list); err != nil {
			return err
		}
		// The root is in every page.
		var oldest *wire.Post
		for _, p := range newestFirst(&list) {
			if p.ID == rootID {
				continue
			}
			oldest = p
			if !fn(p) {
				return nil
			}
		}
		more := list.HasNext != nil && *list.HasNext
		if oldest == nil || !more {
			if root := list.Posts[rootID]; root != nil {
				fn(root)
			}
			return nil
		}
		q.Set("fromPost", oldest.ID)
		q.Set("fromCreateAt", strconv.FormatInt(oldest.CreateAt, 10))
	}
	return nil
}
