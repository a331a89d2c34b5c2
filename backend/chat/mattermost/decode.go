package mattermost

import (
	"encoding/json"
	"errors"
	"fmt"

	"parley/backend/chat/mattermost/wire"
)

// frame is one socket message, as far as it is needed here.
type frame struct {
	// event is "" for the reply to a request. seq counts the events of a connection.
	event string
	seq   int64
	// reply is the number of the request replied to; ok is whether it was granted,
	// unknown whether the server doesn't support it.
	reply       int64
	ok, unknown bool
	// named are the people a post mentions.
	named []string
	// post is set for post events, reaction for reaction events.
	post     *wire.Post
	reaction *wire.Reaction
	// userID, teamID and channelID are the subjects of other events, if given.
	userID, teamID, channelID string
}

// errFrame is for messages that can't be decoded: their contents must be
// fetched.
var errFrame = errors.New("a message of the socket cannot be read")

// decode decodes one socket message.
func decode(data []byte) (frame, error) {
	var m struct {
		Event     string          `json:"event"`
		Seq       int64           `json:"seq"`
		Data      json.RawMessage `json:"data"`
		Broadcast struct {
			ChannelID string `json:"channel_id"`
			TeamID    string `json:"team_id"`
			UserID    string `json:"user_id"`
		} `json:"broadcast"`
		Status string `json:"status"`
		Reply  int64  `json:"seq_reply"`
		Error  struct {
			ID string `json:"id"`
		} `json:"error"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return frame{}, fmt.Errorf("%w: %w", errFrame, err)
	}
	f := frame{event: m.Event, seq: m.Seq, channelID: m.Broadcast.ChannelID, teamID: m.Broadcast.TeamID}
	if m.Event == "" {
		f.ok = m.Status == wire.StatusOK
		f.reply, f.unknown = m.Reply, m.Error.ID == wire.ErrUnknownAction
		return f, nil
	}
	if m.Seq < 0 {
		return frame{}, errFrame
	}
	switch m.Event {
	case wire.Posted, wire.PostEdited, wire.PostDeleted:
		var d struct {
			Post     string `json:"post"`
			Mentions string `json:"mentions"`
		}
		f.post = &wire.Post{}
		if json.Unmarshal(m.Data, &d) != nil || json.Unmarshal([]byte(d.Post), f.post) != nil || !sound(f.post) {
			return f, errFrame
		}
		if d.Mentions != "" && json.Unmarshal([]byte(d.Mentions), &f.named) != nil {
			f.named = nil // optional
		}
	case wire.ReactionAdded, wire.ReactionRemoved:
		var d struct {
			Reaction string `json:"reaction"`
		}
		f.reaction = &wire.Reaction{}
		if json.Unmarshal(m.Data, &d) != nil || json.Unmarshal([]byte(d.Reaction), f.reaction) != nil || !soundReaction(f.reaction) {
			return f, errFrame
		}
		if f.reaction.ChannelID == "" {
			f.reaction.ChannelID = m.Broadcast.ChannelID
		}
		if !wire.IsID(f.reaction.ChannelID) {
			return f, errFrame
		}
	case wire.UserAdded, wire.UserRemoved, wire.UserUpdated, wire.DirectAdded, wire.GroupAdded,
		wire.LeaveTeam, wire.AddedToTeam, wire.ChannelUpdated, wire.ChannelDeleted,
		wire.ChannelRestored, wire.ChannelConverted, wire.UserRoleUpdated:
		subject(&f, m.Data)
		if f.userID == "" {
			f.userID = m.Broadcast.UserID
		}
	}
	return f, nil
}

// subject decodes the subjects of an event. Missing ones stay empty: such events only
// trigger a reload.
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
		if s, ok := v.(string); ok && wire.IsID(s) {
			*to = s
		}
	}
	set(&f.userID, d.User.ID)
	set(&f.userID, d.UserID)
	set(&f.teamID, d.TeamID)
	set(&f.channelID, d.ChannelID)
}

func sound(p *wire.Post) bool {
	return wire.IsID(p.ID) && wire.IsID(p.ChannelID) && (p.RootID == "" || wire.IsID(p.RootID)) && p.CreateAt > 0
}

func soundReaction(r *wire.Reaction) bool {
	return wire.IsID(r.PostID) && wire.IsID(r.UserID) && r.Emoji != "" && len(r.Emoji) <= 2*wire.MaxEmoji
}
