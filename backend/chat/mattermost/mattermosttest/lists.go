package mattermosttest

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"github.com/mattermost/mattermost/server/public/model"
)

// sinceLimit is the maximum number of posts since a time.
const sinceLimit = 1000

func newestFirst(posts []*post) []*post {
	out := slices.Clone(posts)
	slices.SortStableFunc(out, func(a, b *post) int {
		return cmp.Or(cmp.Compare(b.CreateAt, a.CreateAt), cmp.Compare(b.number, a.number))
	})
	return out
}

// list encodes posts in an order, with additional ones outside of it.
func (s *Server) list(order, along []*post) *model.PostList {
	l := model.NewPostList()
	for _, p := range order {
		l.AddPost(s.shown(p))
		l.AddOrder(p.Id)
	}
	for _, p := range along {
		if l.Posts[p.Id] == nil {
			l.AddPost(s.shown(p))
		}
	}
	return l
}

// postsForChannel is GET /channels/{channel_id}/posts in its four variants.
func postsForChannel(c *call) (reply, *model.AppError) {
	since := int64(0)
	if v := c.query.Get("since"); v != "" {
		var err error
		if since, err = strconv.ParseInt(v, 10, 64); err != nil {
			return reply{}, invalidBody("since")
		}
	}
	before, after := c.query.Get("before"), c.query.Get("after")
	for name, v := range map[string]string{"before": before, "after": after} {
		if v != "" && !model.IsValidId(v) {
			return reply{}, invalidBody(name)
		}
	}
	if c.flag("include_deleted") && !c.user.admin() {
		return reply{}, forbidden()
	}
	ch, e := c.channel()
	if e != nil {
		return reply{}, e
	}
	if since > 0 {
		return ok(c.s.since(ch, since, c.flag("collapsedThreads")))
	}
	return ok(c.around(ch, before, after))
}

// since returns the posts that changed after a time, including deleted ones and former
// versions of edited ones; mu is held.
func (s *Server) since(ch *channel, since int64, rootsOnly bool) *model.PostList {
	var found []*post
	for _, p := range s.inOrder[ch.Id] {
		if p.UpdateAt > since && (!rootsOnly || p.RootId == "") {
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b *post) int { return cmp.Compare(a.UpdateAt, b.UpdateAt) })
	found = found[:min(len(found), sinceLimit)]
	var roots []*post
	for _, p := range found {
		if r := s.posts[p.RootId]; r != nil {
			roots = append(roots, r)
		}
	}
	return s.list(newestFirst(found), roots)
}

// around returns a page of a channel, newest first: all of it, or what is before or
// after a post. The roots of replies are included. mu is held.
func (c *call) around(ch *channel, before, after string) *model.PostList {
	s := c.s
	page, perPage := c.page()
	var all []*post
	for _, p := range s.inOrder[ch.Id] {
		if (p.DeleteAt == 0 || c.flag("include_deleted")) && (!c.flag("collapsedThreads") || p.RootId == "") {
			all = append(all, p)
		}
	}
	all = newestFirst(all)
	var part []*post
	switch {
	case after != "":
		if at := s.posts[after]; at != nil {
			for _, p := range all {
				if p.CreateAt > at.CreateAt {
					part = append(part, p)
				}
			}
		}
		// Pages after a post start next to it.
		slices.Reverse(part)
		part = paged(part, page, perPage)
		slices.Reverse(part)
	case before != "":
		if at := s.posts[before]; at != nil {
			for _, p := range all {
				if p.CreateAt < at.CreateAt {
					part = append(part, p)
				}
			}
		}
		part = paged(part, page, perPage)
	default:
		part = paged(all, page, perPage)
	}
	var along []*post
	for _, p := range part {
		root := p.Id
		if p.RootId != "" {
			root = p.RootId
			if r := s.live(root); r != nil {
				along = append(along, r)
			}
		}
		if !c.flag("skipFetchThreads") {
			for _, r := range s.replies[root] {
				if r.DeleteAt == 0 {
					along = append(along, r)
				}
			}
		}
	}
	l := s.list(part, along)
	if len(part) > 0 {
		first, last := part[0], part[len(part)-1]
		for _, p := range all {
			if p.CreateAt > first.CreateAt {
				l.NextPostId = p.Id
			}
		}
		for _, p := range slices.Backward(all) {
			if p.CreateAt < last.CreateAt {
				l.PrevPostId = p.Id
			}
		}
	}
	if after != "" && page == 0 {
		l.PrevPostId = after
	}
	if before != "" && page == 0 {
		l.NextPostId = before
	}
	return l
}

// threadQuery is a query of a thread.
type threadQuery struct {
	perPage                    int
	fromCreateAt, fromUpdateAt int64
	fromPost, direction        string
}

func (c *call) threadQuery() (q threadQuery, e *model.AppError) {
	var err error
	if v := c.query.Get("perPage"); v != "" {
		if q.perPage, err = strconv.Atoi(v); err != nil || q.perPage > 200 {
			return q, invalidBody("perPage")
		}
	}
	for name, to := range map[string]*int64{"fromCreateAt": &q.fromCreateAt, "fromUpdateAt": &q.fromUpdateAt} {
		if v := c.query.Get(name); v != "" {
			if *to, err = strconv.ParseInt(v, 10, 64); err != nil {
				return q, invalidBody(name)
			}
		}
	}
	q.fromPost, q.direction = c.query.Get("fromPost"), c.query.Get("direction")
	switch {
	case q.fromPost != "" && q.fromCreateAt == 0:
		return q, invalidBody("if fromPost is set, then fromCreateAt must also be set")
	case q.fromUpdateAt != 0 && q.fromCreateAt != 0:
		return q, invalidBody("fromUpdateAt")
	case q.direction != "" && q.direction != "up" && q.direction != "down":
		return q, invalidBody("direction")
	}
	return q, nil
}

func getThread(c *call) (reply, *model.AppError) {
	q, e := c.threadQuery()
	if e != nil {
		return reply{}, e
	}
	id, e := c.id("post_id")
	if e != nil {
		return reply{}, e
	}
	p := c.s.live(id)
	switch {
	case p == nil:
		return reply{}, missingPost(http.StatusNotFound)
	case !c.s.canRead(c.user, c.s.channels[p.ChannelId]):
		return reply{}, forbidden()
	}
	part, more := c.s.thread(p, q)
	l := c.s.list(append([]*post{p}, part...), nil)
	l.HasNext = &more
	return ok(l)
}

// thread returns the other posts of a post's thread; mu is held.
func (s *Server) thread(p *post, q threadQuery) (part []*post, more bool) {
	rootID := p.RootId
	if rootID == "" {
		rootID = p.Id
	}
	for _, r := range append([]*post{s.posts[rootID]}, s.replies[rootID]...) {
		if r != nil && r.DeleteAt == 0 && q.fits(r) {
			part = append(part, r)
		}
	}
	part = newestFirst(part)
	if q.direction != "up" {
		slices.Reverse(part)
	}
	if q.perPage > 0 && len(part) > q.perPage {
		part, more = part[:q.perPage], true
	}
	return slices.DeleteFunc(part, func(r *post) bool { return r == p }), more
}

func (q threadQuery) fits(p *post) bool {
	switch {
	case q.fromUpdateAt != 0:
		return q.direction == "up" && p.UpdateAt < q.fromUpdateAt || q.direction != "up" && p.UpdateAt > q.fromUpdateAt
	case q.fromCreateAt == 0:
		return true
	case q.direction == "down":
		return p.CreateAt > q.fromCreateAt || p.CreateAt == q.fromCreateAt && q.fromPost != "" && p.Id > q.fromPost
	}
	return p.CreateAt < q.fromCreateAt || p.CreateAt == q.fromCreateAt && q.fromPost != "" && p.Id < q.fromPost
}
