package mattermosttest

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/mattermost/mattermost/server/public/model"
)

// maxReactions is how many kinds of reactions a post can have.
const maxReactions = 50

// react adds a reaction to a post; mu is held. Adding it again changes the post's time
// and is published again, as on the real server.
func (s *Server) react(u *user, postID, emoji string) (*model.Reaction, *model.AppError) {
	to := s.posts[postID]
	if to == nil || !s.may(u, s.channels[to.ChannelId], model.PermissionAddReaction) {
		return nil, forbidden()
	}
	p := s.live(postID)
	if p == nil {
		return nil, missingPost(http.StatusNotFound)
	}
	if _, known := model.GetSystemEmojiId(emoji); !known {
		return nil, fail(http.StatusNotFound, "app.emoji.get_by_name.no_result", "We couldn't find the emoji.")
	}
	if s.channels[p.ChannelId].DeleteAt != 0 {
		return nil, fail(http.StatusForbidden, "api.reaction.save.archived_channel.app_error", "You cannot react in an archived channel.")
	}
	kinds := map[string]bool{}
	var mine *model.Reaction
	for _, r := range p.reactions {
		kinds[r.EmojiName] = true
		if r.UserId == u.Id && r.EmojiName == emoji {
			mine = r
		}
	}
	if !kinds[emoji] && len(kinds) >= maxReactions {
		return nil, fail(http.StatusBadRequest, "app.reaction.save.save.too_many_reactions", "Reaction limit has been reached for this post.")
	}
	now := s.now()
	if mine == nil {
		mine = &model.Reaction{UserId: u.Id, PostId: p.Id, EmojiName: emoji, CreateAt: now, ChannelId: p.ChannelId, RemoteId: new("")}
		p.reactions = append(p.reactions, mine)
	}
	mine.UpdateAt = now
	s.reacted(model.WebsocketEventReactionAdded, p, mine, now)
	out := *mine
	return &out, nil
}

// unreact removes a reaction; mu is held. Removing a missing one succeeds.
func (s *Server) unreact(u *user, ofID, postID, emoji string) *model.AppError {
	to := s.posts[postID]
	if to == nil || !s.may(u, s.channels[to.ChannelId], model.PermissionRemoveReaction) ||
		ofID != u.Id && !s.may(u, s.channels[to.ChannelId], model.PermissionRemoveOthersReactions) {
		return forbidden()
	}
	p := s.live(postID)
	if p == nil {
		return missingPost(http.StatusNotFound)
	}
	if s.channels[p.ChannelId].DeleteAt != 0 {
		return fail(http.StatusForbidden, "api.reaction.delete.archived_channel.app_error", "You cannot remove a reaction in an archived channel.")
	}
	now := s.now()
	gone := &model.Reaction{UserId: ofID, PostId: p.Id, EmojiName: emoji, UpdateAt: now, DeleteAt: now, ChannelId: p.ChannelId, RemoteId: new("")}
	p.reactions = slices.DeleteFunc(p.reactions, func(r *model.Reaction) bool { return r.UserId == ofID && r.EmojiName == emoji })
	s.reacted(model.WebsocketEventReactionRemoved, p, gone, now)
	return nil
}

func (s *Server) reacted(kind model.WebsocketEventType, p *post, r *model.Reaction, now int64) {
	p.UpdateAt, p.HasReactions = now, len(p.reactions) > 0
	raw, err := json.Marshal(r)
	if err != nil {
		return
	}
	s.publish(event{kind: kind, channel: p.ChannelId, data: map[string]any{"reaction": string(raw)}})
	s.change()
}

func saveReaction(c *call) (reply, *model.AppError) {
	var in model.Reaction
	if e := c.decode("reaction", &in); e != nil {
		return reply{}, e
	}
	switch {
	case !model.IsValidId(in.UserId) || !model.IsValidId(in.PostId) || in.EmojiName == "" || len(in.EmojiName) > model.EmojiNameMaxLength:
		return reply{}, fail(http.StatusBadRequest, "api.reaction.save_reaction.invalid.app_error", "Reaction is not valid.")
	case in.UserId != c.user.Id:
		return reply{}, fail(http.StatusForbidden, "api.reaction.save_reaction.user_id.app_error", "You cannot save reaction for the other user.")
	}
	r, e := c.s.react(c.user, in.PostId, in.EmojiName)
	if e != nil {
		return reply{}, e
	}
	return ok(r)
}

func deleteReaction(c *call) (reply, *model.AppError) {
	id, e := c.id("user_id")
	if e != nil {
		return reply{}, e
	}
	postID, e := c.id("post_id")
	if e != nil {
		return reply{}, e
	}
	if e := c.s.unreact(c.user, id, postID, c.vars["emoji_name"]); e != nil {
		return reply{}, e
	}
	return statusOK()
}

// readable returns a post in the path that the caller may read; mu is held.
func (s *Server) readable(u *user, id string) (*post, *model.AppError) {
	p := s.posts[id]
	if p == nil || !s.canRead(u, s.channels[p.ChannelId]) {
		return nil, forbidden()
	}
	return p, nil
}

func getReactions(c *call) (reply, *model.AppError) {
	id, e := c.id("post_id")
	if e != nil {
		return reply{}, e
	}
	p, e := c.s.readable(c.user, id)
	if e != nil {
		return reply{}, e
	}
	return ok(append([]*model.Reaction{}, p.reactions...))
}

func bulkReactions(c *call) (reply, *model.AppError) {
	var ids []string
	if e := c.decode("post_ids", &ids); e != nil {
		return reply{}, e
	}
	out := map[string][]*model.Reaction{}
	for _, id := range ids {
		p, e := c.s.readable(c.user, id)
		if e != nil {
			return reply{}, e
		}
		out[id] = append([]*model.Reaction{}, p.reactions...)
	}
	return ok(out)
}
