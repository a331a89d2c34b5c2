package mattermosttest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mattermost/mattermost/server/public/model"
)

// post is a post with its state. Its Post is never handed out: see shown.
type post struct {
	*model.Post
	number    int // creation order of posts
	reactions []*model.Reaction
	history   []*post // former versions, oldest first, as separate deleted posts
}

// pendingPost is a pending_post_id that was seen.
type pendingPost struct {
	id string
	at int64
}

// fileIDsRunes bounds the JSON list of a post's files: ten of them fit.
const fileIDsRunes = model.PostFileidsMaxRunes

func missingPost(status int) *model.AppError {
	return fail(status, "app.post.get.app_error", "Unable to get the post.")
}

func badRoot() *model.AppError {
	return fail(http.StatusBadRequest, "api.post.create_post.root_id.app_error", "Invalid RootId parameter.")
}

// live returns an undeleted post; mu is held.
func (s *Server) live(id string) *post {
	if p := s.posts[id]; p != nil && p.DeleteAt == 0 {
		return p
	}
	return nil
}

// create creates a post by a user, who needn't be the caller (mu is held). The caller owns
// the result.
func (s *Server) create(u *user, in *model.Post) (*post, *model.AppError) {
	c := s.channels[in.ChannelId]
	switch {
	case c == nil || !s.may(u, c, model.PermissionCreatePost):
		return nil, forbidden()
	case c.DeleteAt != 0:
		return nil, fail(http.StatusBadRequest, "api.post.create_post.can_not_post_to_deleted.error", "Can not post to deleted channel.")
	case strings.HasPrefix(in.Type, model.PostSystemMessagePrefix):
		return nil, fail(http.StatusBadRequest, "api.context.invalid_param.app_error", "Invalid post.type parameter.")
	case len(s.posts) >= maxPosts:
		return nil, fail(http.StatusInternalServerError, "app.post.save.app_error", "Unable to save the Post.")
	}
	if in.PendingPostId != "" {
		now := s.now()
		for k, v := range s.pending { // expired ones are dropped to keep the map small
			if now-v.at > s.opts.DedupWindow.Milliseconds() {
				delete(s.pending, k)
			}
		}
		if seen, found := s.pending[in.PendingPostId]; found {
			p := s.live(seen.id)
			switch {
			case p == nil:
				return nil, fail(http.StatusInternalServerError, "api.post.deduplicate_create_post.failed_to_get", "Failed to fetch original post after deduplicating a client repeating the same request.")
			case s.canRead(u, s.channels[p.ChannelId]):
				return p, nil
			}
		}
	}
	if in.RootId != "" {
		root := s.live(in.RootId)
		switch {
		case root == nil || root.RootId != "":
			return nil, badRoot()
		case root.ChannelId != in.ChannelId:
			return nil, fail(http.StatusBadRequest, "api.post.create_post.channel_root_id.app_error", "Invalid ChannelId for RootId parameter.")
		}
	}
	if e := s.validText(in); e != nil {
		return nil, e
	}
	p := &post{Post: &model.Post{
		Id: model.NewId(), UserId: u.Id, ChannelId: in.ChannelId, RootId: in.RootId,
		Message: in.Message, Type: in.Type, Props: plain(in.GetProps()), FileIds: in.FileIds,
	}}
	if u.IsBot {
		p.AddProp(model.PostPropsFromBot, "true")
	}
	p.FileIds = s.attach(p, in.FileIds)
	s.keep(p)
	s.publishPosted(p, u, c, in.PendingPostId)
	if in.PendingPostId != "" {
		s.pending[in.PendingPostId] = pendingPost{id: p.Id, at: s.now()}
	}
	return p, nil
}

// validText checks everything with a limit.
func (s *Server) validText(p *model.Post) *model.AppError {
	if utf8.RuneCountInString(p.Message) > s.opts.MaxPost {
		return fail(http.StatusBadRequest, "model.post.is_valid.message_length.app_error", "Post Message property is longer than the maximum permitted length.")
	}
	if utf8.RuneCountInString(model.ArrayToJSON(p.FileIds)) > fileIDsRunes {
		return fail(http.StatusBadRequest, "model.post.is_valid.file_ids.app_error", "Invalid file ids. Note that uploads are limited to 10 files maximum.")
	}
	if utf8.RuneCountInString(model.StringInterfaceToJSON(p.GetProps())) > model.PostPropsMaxUserRunes {
		return fail(http.StatusBadRequest, "model.post.is_valid.props.app_error", "Invalid props.")
	}
	return nil
}

// keep stores a new post and sets its time; mu is held.
func (s *Server) keep(p *post) {
	now := s.nowForPost()
	p.CreateAt, p.UpdateAt = now, now
	p.PreCommit()
	p.SetProps(plain(p.GetProps()))
	s.made++
	p.number = s.made
	s.posts[p.Id] = p
	s.inOrder[p.ChannelId] = append(s.inOrder[p.ChannelId], p)
	if p.RootId != "" {
		s.replies[p.RootId] = append(s.replies[p.RootId], p)
		s.posts[p.RootId].UpdateAt = now
	}
	c := s.channels[p.ChannelId]
	c.LastPostAt, c.TotalMsgCount = now, c.TotalMsgCount+1
	s.change()
}

// systemPost creates a system post in a channel; mu is held.
func (s *Server) systemPost(c *channel, byID, kind, text string, props model.StringInterface) {
	p := &post{Post: &model.Post{Id: model.NewId(), UserId: byID, ChannelId: c.Id, Message: text, Type: kind, Props: props}}
	s.keep(p)
	s.publishPosted(p, s.users[byID], c, "")
}

// update changes a post; mu is held. Only non-nil fields change.
func (s *Server) update(u *user, id string, patch *model.PostPatch) (*post, *model.AppError) {
	p := s.live(id)
	if p == nil {
		return nil, forbidden() // the server's answer if the post may not be edited
	}
	c := s.channels[p.ChannelId]
	switch {
	case !s.may(u, c, model.PermissionEditPost), p.UserId != u.Id && !s.may(u, c, model.PermissionEditOthersPosts):
		return nil, forbidden()
	case s.opts.EditLimit > 0 && patch.Message != nil && s.now() > p.CreateAt+s.opts.EditLimit.Milliseconds():
		return nil, fail(http.StatusBadRequest, "api.post.update_post.permissions_time_limit.app_error", "Post edit is only allowed for a limited time.")
	case p.IsSystemMessage():
		return nil, fail(http.StatusBadRequest, "api.post.update_post.system_message.app_error", "Unable to update system message.")
	case c.DeleteAt != 0:
		return nil, fail(http.StatusBadRequest, "api.post.update_post.can_not_update_post_in_deleted.error", "Can not update a post in a deleted channel.")
	}
	if patch.Props != nil {
		props := plain(*patch.Props)
		patch.Props = &props
	}
	return s.rewrite(p, patch)
}

// rewrite stores an edit; mu is held.
func (s *Server) rewrite(p *post, patch *model.PostPatch) (*post, *model.AppError) {
	next := p.Clone()
	next.Patch(patch)
	if v, was := p.GetProps()[model.PostPropsFromBot]; was {
		next.AddProp(model.PostPropsFromBot, v)
	}
	if e := s.validText(next); e != nil {
		return nil, e
	}
	now := s.now()
	s.remember(p, now)
	if next.Message != p.Message || !next.FileIds.Equals(p.FileIds) || !next.AttachmentsEqual(p.Post) {
		next.EditAt = now
	}
	next.UpdateAt = now
	next.PreCommit()
	next.SetProps(plain(next.GetProps()))
	p.Post = next
	if root := s.posts[p.RootId]; root != nil && root.UpdateAt < now {
		root.UpdateAt = now
	}
	s.publish(event{kind: model.WebsocketEventPostEdited, channel: p.ChannelId, data: map[string]any{"post": s.shownJSON(p)}})
	s.change()
	return p, nil
}

// remember keeps a post's former text as a separate deleted post, as the server does; mu
// is held. The oldest is overwritten if there are many.
func (s *Server) remember(p *post, now int64) {
	old := p.Clone()
	old.OriginalId, old.Id, old.DeleteAt, old.UpdateAt = p.Id, model.NewId(), now, now
	if len(p.history) >= maxHistory {
		first := p.history[0]
		delete(s.posts, first.Id)
		first.Post = old
		p.history = append(slices.Clone(p.history[1:]), first)
		s.posts[old.Id] = first
		return
	}
	s.made++
	h := &post{Post: old, number: s.made}
	p.history = append(p.history, h)
	s.posts[old.Id] = h
	s.inOrder[p.ChannelId] = append(s.inOrder[p.ChannelId], h)
}

// remove deletes a post, and its thread with a root; mu is held.
func (s *Server) remove(u *user, id string) *model.AppError {
	p := s.live(id)
	if p == nil {
		return forbidden() // the server's answer if the post may not be deleted
	}
	c := s.channels[p.ChannelId]
	right := model.PermissionDeletePost
	if p.UserId != u.Id {
		right = model.PermissionDeleteOthersPosts
	}
	switch {
	case !s.may(u, c, right):
		return forbidden()
	case c.DeleteAt != 0:
		return fail(http.StatusBadRequest, "api.post.delete_post.can_not_delete_post_in_deleted.error", "Can not delete a post in a deleted channel.")
	}
	text := s.shownJSON(p)
	now := s.now()
	for _, d := range append([]*post{p}, s.replies[p.Id]...) {
		if d.DeleteAt != 0 {
			continue
		}
		d.DeleteAt, d.UpdateAt = now, now
		d.AddProp(model.PostPropsDeleteBy, u.Id)
		for _, f := range d.FileIds {
			if f := s.files[f]; f != nil {
				f.info.DeleteAt = now
			}
		}
	}
	s.publish(event{kind: model.WebsocketEventPostDeleted, channel: p.ChannelId, data: map[string]any{"post": text}})
	s.change()
	return nil
}

// shown returns a post as it is sent: with its metadata, without server-only data. mu is
// held.
func (s *Server) shown(p *post) *model.Post {
	c := p.Clone()
	c.StripActionIntegrations()
	root := p.Id
	if p.RootId != "" {
		root = p.RootId
	}
	c.ReplyCount = 0
	for _, r := range s.replies[root] {
		if r.DeleteAt == 0 {
			c.ReplyCount++
			c.LastReplyAt = max(c.LastReplyAt, r.CreateAt)
		}
	}
	c.HasReactions = len(p.reactions) > 0
	c.Metadata = &model.PostMetadata{}
	if p.DeleteAt != 0 {
		return c
	}
	for _, r := range p.reactions {
		rc := *r
		c.Metadata.Reactions = append(c.Metadata.Reactions, &rc)
	}
	for _, id := range p.FileIds {
		if f := s.files[id]; f != nil && f.info.DeleteAt == 0 {
			info := *f.info
			c.Metadata.Files = append(c.Metadata.Files, &info)
		}
	}
	return c
}

func (s *Server) shownJSON(p *post) string {
	raw, err := json.Marshal(s.shown(p))
	if err != nil {
		return "{}"
	}
	return string(raw)
}

// plain returns properties as they come back from a database: unshared.
func plain(props model.StringInterface) model.StringInterface {
	raw, err := json.Marshal(props)
	out := model.StringInterface{}
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil || out == nil {
		return model.StringInterface{}
	}
	return out
}
