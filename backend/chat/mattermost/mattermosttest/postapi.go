package mattermosttest

import (
	"net/http"

	"github.com/mattermost/mattermost/server/public/model"
)

func createPost(c *call) (reply, *model.AppError) {
	var in model.Post
	if e := c.decode("post", &in); e != nil {
		return reply{}, e
	}
	made := c.s.made
	p, e := c.s.create(c.user, &in)
	if e != nil {
		return reply{}, e
	}
	if c.query.Get("set_online") != "false" && !c.user.IsBot {
		c.s.setStatus(c.user, model.StatusOnline, false)
	}
	out := c.s.shown(p)
	if c.s.made > made { // one that was seen before is returned as stored
		out.PendingPostId = in.PendingPostId
	}
	return created(out)
}

func getPost(c *call) (reply, *model.AppError) {
	id, e := c.id("post_id")
	if e != nil {
		return reply{}, e
	}
	p := c.s.live(id)
	switch {
	case p == nil && c.flag("include_deleted") && c.user.admin() && c.s.posts[id] != nil:
		p = c.s.posts[id]
	case p == nil:
		return reply{}, missingPost(http.StatusNotFound)
	case !c.s.canRead(c.user, c.s.channels[p.ChannelId]):
		return reply{}, forbidden()
	}
	return ok(c.s.shown(p))
}

func putPost(c *call) (reply, *model.AppError) {
	id, e := c.id("post_id")
	if e != nil {
		return reply{}, e
	}
	var in model.Post
	if e := c.decode("post", &in); e != nil {
		return reply{}, e
	}
	if in.Id != id {
		return reply{}, invalidBody("id")
	}
	props := in.GetProps()
	patch := &model.PostPatch{Message: &in.Message, Props: &props, IsPinned: &in.IsPinned}
	if in.FileIds != nil {
		patch.FileIds = &in.FileIds
	}
	p, e := c.s.update(c.user, id, patch)
	if e != nil {
		return reply{}, e
	}
	return ok(c.s.shown(p))
}

func patchPost(c *call) (reply, *model.AppError) {
	id, e := c.id("post_id")
	if e != nil {
		return reply{}, e
	}
	var patch model.PostPatch
	if e := c.decode("post", &patch); e != nil {
		return reply{}, e
	}
	patch.HasReactions = nil
	p, e := c.s.update(c.user, id, &patch)
	if e != nil {
		return reply{}, e
	}
	return ok(c.s.shown(p))
}

func deletePost(c *call) (reply, *model.AppError) {
	id, e := c.id("post_id")
	if e != nil {
		return reply{}, e
	}
	if e := c.s.remove(c.user, id); e != nil {
		return reply{}, e
	}
	return statusOK()
}

func postsByIDs(c *call) (reply, *model.AppError) {
	var ids []string
	if e := c.decode("post_ids", &ids); e != nil {
		return reply{}, e
	}
	switch {
	case len(ids) == 0:
		return reply{}, invalidBody("post_ids")
	case len(ids) > 1000:
		return reply{}, fail(http.StatusBadRequest, "api.post.posts_by_ids.invalid_body.request_error", "Number of post ids received is larger than the maximum of 1000.")
	}
	var found []*post
	seen := map[string]bool{}
	for _, id := range ids {
		if p := c.s.posts[id]; p != nil && !seen[id] {
			seen[id] = true
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return reply{}, missingPost(http.StatusNotFound)
	}
	out := []*model.Post{}
	for _, p := range newestFirst(found) {
		if c.s.canRead(c.user, c.s.channels[p.ChannelId]) {
			out = append(out, c.s.shown(p))
		}
	}
	return ok(out)
}

func ephemeralPost(c *call) (reply, *model.AppError) {
	var in model.PostEphemeral
	if e := c.decode("body", &in); e != nil {
		return reply{}, e
	}
	if in.Post == nil || in.UserID == "" {
		return reply{}, invalidBody("post")
	}
	// This needs a right that nobody has here.
	return reply{}, forbidden()
}
