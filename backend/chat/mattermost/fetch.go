package mattermost

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"parley/backend/chat/mattermost/wire"

	"parley/backend/chat"
)

// Limits of what is fetched after a gap.
const (
	// sinceMost is the server's maximum of changes per answer: if it is reached, any may
	// be missing.
	sinceMost = 1000
	pageMost  = 200
	// maxMissed is how many posts of a channel are read after a gap; older ones are
	// skipped, and users are told.
	maxMissed = 10_000
	// olderPages are read beyond the gap, for reactions to and edits of older posts.
	olderPages = 3
)

// row is a post's current state, with what tells what happened to it.
type row struct {
	post               chat.Post
	updateAt, deleteAt int64
	reactions          []chat.Reaction
	// joined: it reports that the account joined the channel.
	joined bool
	// rank orders posts of the same millisecond as the server does, newest lowest.
	rank int
}

// missed is what changed in a channel, oldest first.
type missed struct {
	rows []row
	// cut: there was more than is read.
	cut bool
}

// fetch reads what changed in a channel since a server time: new posts, edits,
// deletions and reactions all change a post's update_at.
func (c *Client) fetch(ctx context.Context, channelID string, since int64, me string) (missed, error) {
	var list wire.PostList
	path := "/channels/" + channelID + "/posts"
	if err := c.do(ctx, call{method: http.MethodGet, path: path, query: url.Values{"since": {strconv.FormatInt(max(since, 1), 10)}}}, &list); err != nil {
		return missed{}, err
	}
	rows := map[string]row{}
	add(rows, &list, channelID, me)
	var out missed
	if len(list.Order) >= sinceMost {
		cut, err := c.walk(ctx, path, channelID, since, me, rows)
		if err != nil {
			return missed{}, err
		}
		out.cut = cut
	}
	out.rows = make([]row, 0, len(rows))
	for _, r := range rows {
		out.rows = append(out.rows, r)
	}
	slices.SortFunc(out.rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.post.At, b.post.At), cmp.Compare(b.rank, a.rank), cmp.Compare(a.post.ID, b.post.ID))
	})
	return out, nil
}

// walk reads the posts of a channel back to a time, newest first.
func (c *Client) walk(ctx context.Context, path, channelID string, since int64, me string, rows map[string]row) (cut bool, err error) {
	q := url.Values{"per_page": {strconv.Itoa(pageMost)}, "skipFetchThreads": {"true"}}
	older := 0
	for {
		var list wire.PostList
		if err := c.do(ctx, call{method: http.MethodGet, path: path, query: q}, &list); err != nil {
			return false, err
		}
		add(rows, &list, channelID, me)
		anchor, first := oldestOf(&list)
		if first <= since {
			older++
		}
		if len(list.Order) < pageMost || anchor == "" || older > olderPages {
			return false, nil
		}
		if len(rows) >= maxMissed {
			return first > since, nil
		}
		q.Set("before", anchor)
	}
}

// oldestOf returns the post to continue before, and the time of the oldest. Pages may end
// within a millisecond, and "before" means an earlier one: so the next page starts with the
// posts of the oldest millisecond again.
func oldestOf(l *wire.PostList) (anchor string, first int64) {
	for _, id := range l.Order {
		if p := l.Posts[id]; p != nil && (first == 0 || p.CreateAt < first) {
			first = p.CreateAt
		}
	}
	last := ""
	var at int64
	for _, id := range l.Order {
		p := l.Posts[id]
		if p == nil {
			continue
		}
		last = id
		if p.CreateAt > first && (anchor == "" || p.CreateAt < at) {
			anchor, at = id, p.CreateAt
		}
	}
	if anchor == "" {
		anchor = last
	}
	return anchor, first
}

// add keeps the newest state of each post. Rows with former versions of posts are
// skipped.
func add(rows map[string]row, l *wire.PostList, channelID, me string) {
	first := len(rows)
	ranks := make(map[string]int, len(l.Order))
	for i, id := range l.Order {
		ranks[id] = first + i
	}
	for _, p := range l.Posts {
		if p == nil || p.OriginalID != "" || p.ChannelID != channelID || !sound(p) {
			continue
		}
		if was, ok := rows[p.ID]; ok && was.updateAt > p.UpdateAt {
			continue
		}
		r := row{post: post(p, me), updateAt: p.UpdateAt, deleteAt: p.DeleteAt, rank: ranks[p.ID]}
		if p.Metadata != nil {
			for _, re := range p.Metadata.Reactions {
				if re != nil && re.DeleteAt == 0 && soundReaction(re) && re.PostID == p.ID {
					r.reactions = append(r.reactions, reaction(re))
				}
			}
		}
		switch p.Type {
		case wire.JoinChannel, wire.GuestJoin, wire.JoinTeam:
			r.joined = p.UserID == me
		case wire.AddToChannel, wire.AddGuest, wire.AddToTeam:
			id, _ := p.Props[wire.PropAddedUser].(string)
			r.joined = id == me
		}
		rows[p.ID] = r
	}
}

// list returns the account's channels.
func (c *Client) list(ctx context.Context) ([]*wire.Channel, error) {
	var all []*wire.Channel
	if err := c.do(ctx, call{method: http.MethodGet, path: "/users/me/channels"}, &all); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(ch *wire.Channel) bool {
		return ch == nil || !wire.IsID(ch.ID) || ch.DeleteAt > 0
	}), nil
}
