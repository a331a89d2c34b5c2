package mattermost

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mattermost/mattermost/server/public/model"
)

// frame is one message of the socket, as far as it matters here.
type frame struct {
	// event is "" for the reply to a request. seq counts the events of a connection.
	event model.WebsocketEventType
	seq   int64
	// ok says of a reply whether it was granted.
	ok bool
	// post is set for what is about posts, reaction for what is about reactions.
	post     *model.Post
	reaction *model.Reaction
	// userID, teamID and channelID are what other events are about, as far as they say.
	userID, teamID, channelID string
}

// errFrame is of messages that cannot be read: what they said has to be fetched.
var errFrame = errors.New("a message of the socket cannot be read")

// decode reads one message of the socket.
func decode(data []byte) (frame, error) {
	var m struct {
		Event     model.WebsocketEventType `json:"event"`
		Seq       int64                    `json:"seq"`
		Data      json.RawMessage          `json:"data"`
		Broadcast struct {
			ChannelID string `json:"channel_id"`
			TeamID    string `json:"team_id"`
			UserID    string `json:"user_id"`
		} `json:"broadcast"`
		Status string `json:"status"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return frame{}, fmt.Errorf("%w: %w", errFrame, err)
	}
	f := frame{event: m.Event, seq: m.Seq, channelID: m.Broadcast.ChannelID, teamID: m.Broadcast.TeamID}
	if m.Event == "" {
		f.ok = m.Status == model.StatusOk
		return f, nil
	}
	if m.Seq < 0 {
		return frame{}, errFrame
	}
	switch m.Event {
	case model.WebsocketEventPosted, model.WebsocketEventPostEdited, model.WebsocketEventPostDeleted:
		var d struct {
			Post string `json:"post"`
		}
		f.post = &model.Post{}
		if json.Unmarshal(m.Data, &d) != nil || json.Unmarshal([]byte(d.Post), f.post) != nil || !sound(f.post) {
			return f, errFrame
		}
	case model.WebsocketEventReactionAdded, model.WebsocketEventReactionRemoved:
		var d struct {
			Reaction string `json:"reaction"`
		}
		f.reaction = &model.Reaction{}
		if json.Unmarshal(m.Data, &d) != nil || json.Unmarshal([]byte(d.Reaction), f.reaction) != nil || !soundReaction(f.reaction) {
			return f, errFrame
		}
		if f.reaction.ChannelId == "" {
			f.reaction.ChannelId = m.Broadcast.ChannelID
		}
		if !model.IsValidId(f.reaction.ChannelId) {
			return f, errFrame
		}
	case model.WebsocketEventUserAdded, model.WebsocketEventUserRemoved, model.WebsocketEventUserUpdated, model.WebsocketEventDirectAdded, model.WebsocketEventGroupAdded,
		model.WebsocketEventLeaveTeam, model.WebsocketEventAddedToTeam, model.WebsocketEventChannelUpdated, model.WebsocketEventChannelDeleted,
		model.WebsocketEventChannelRestored, model.WebsocketEventChannelConverted, model.WebsocketEventUserRoleUpdated:
		subject(&f, m.Data)
		if f.userID == "" {
			f.userID = m.Broadcast.UserID
		}
	}
	return f, nil
}

// subject reads whom and what an event is about. What is missing stays empty: such events
// only make something be looked at again.
func subject(f *frame, data []byte) {
	var d struct {
		UserID    any `json:"user_id"`
		TeamID    any `json:"team_id"`
		ChannelID any `json:"channel_id"`
		User      struct {
			ID any `json:"id"`
		} `json:"user"`
	}
	if json.Unmarshal(data, &d) != nil {
		return
	}
	set := func(to *string, v any) {
		if s, ok := v.(string); ok && model.IsValidId(s) {
			*to = s
		}
	}
	set(&f.userID, d.User.ID)
	set(&f.userID, d.UserID)
	set(&f.teamID, d.TeamID)
	set(&f.channelID, d.ChannelID)
}

func sound(p *model.Post) bool {
	return model.IsValidId(p.Id) && model.IsValidId(p.ChannelId) && (p.RootId == "" || model.IsValidId(p.RootId)) && p.CreateAt > 0
}

func soundReaction(r *model.Reaction) bool {
	return model.IsValidId(r.PostId) && model.IsValidId(r.UserId) && r.EmojiName != "" && len(r.EmojiName) <= 2*model.EmojiNameMaxLength
}
