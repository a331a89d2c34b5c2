package mattermosttest

import (
	"regexp"
	"slices"

	"github.com/mattermost/mattermost/server/public/model"
)

// event is sent to sockets. The receivers are determined by the first of these that is
// set: user, channel (its members), team (its members); otherwise everyone.
type event struct {
	kind    model.WebsocketEventType
	data    map[string]any // immutable once published
	user    string
	channel string
	team    string
	omit    string // a user who isn't told
	// mentions are the users who see that they were mentioned.
	mentions map[string]bool
}

// publish sends to the entitled sockets; mu is held.
func (s *Server) publish(e event) {
	for _, so := range slices.Clone(s.sockets) { // one that is too slow is dropped
		if so.user != nil && s.mayKnow(so.user, e) {
			so.take(e)
		}
	}
}

func (s *Server) mayKnow(u *user, e event) bool {
	if u.DeleteAt != 0 || e.omit == u.Id {
		return false
	}
	switch {
	case e.user != "":
		return e.user == u.Id
	case e.channel != "":
		c := s.channels[e.channel]
		return c != nil && c.members[u.Id] != nil
	case e.team != "":
		return s.inTeam(u.Id, e.team)
	}
	return true
}

// forUser returns the event as written to one of a user's sockets.
func (e event) forUser(userID string, seq int64) ([]byte, error) {
	var omit map[string]bool
	if e.omit != "" {
		omit = map[string]bool{e.omit: true}
	}
	m := model.NewWebSocketEvent(e.kind, e.team, e.channel, e.user, omit, "")
	for k, v := range e.data {
		m.Add(k, v)
	}
	if e.mentions[userID] {
		m.Add("mentions", model.ArrayToJSON([]string{userID}))
	}
	return m.SetSequence(seq).ToJSON()
}

var atName = regexp.MustCompile(`@([a-zA-Z0-9._-]+)`)

// mentioned returns the members of a channel that a post mentions; mu is held.
func (s *Server) mentioned(p *post, c *channel) map[string]bool {
	out := map[string]bool{}
	names := map[string]bool{}
	for _, m := range atName.FindAllStringSubmatch(p.Message, -1) {
		names[m[1]] = true
		for t := m[1]; t != "" && (t[len(t)-1] == '.' || t[len(t)-1] == '-' || t[len(t)-1] == '_'); {
			t = t[:len(t)-1]
			names[t] = true
		}
	}
	for id := range c.members {
		u := s.users[id]
		if id == p.UserId || p.IsSystemMessage() {
			continue
		}
		if names[u.Username] || names["all"] || names["channel"] || names["here"] || c.Type == model.ChannelTypeDirect {
			out[id] = true
		}
	}
	return out
}

// publishPosted publishes a new post; mu is held. Its sender recognizes it by the pending
// id.
func (s *Server) publishPosted(p *post, u *user, c *channel, pendingID string) {
	was := p.PendingPostId
	p.PendingPostId = pendingID
	text := s.shownJSON(p)
	p.PendingPostId = was
	name := c.DisplayName
	if c.Type == model.ChannelTypeDirect {
		name = "@" + u.Username
	}
	data := map[string]any{
		"post": text, "channel_type": c.Type, "channel_display_name": name, "channel_name": c.Name,
		"sender_name": "@" + u.Username, "team_id": c.TeamId, "set_online": !u.IsBot,
	}
	if len(p.FileIds) > 0 {
		data["otherFile"] = "true"
		for _, id := range p.FileIds {
			if f := s.files[id]; f != nil && f.info.IsImage() {
				data["image"] = "true"
			}
		}
	}
	s.publish(event{kind: model.WebsocketEventPosted, channel: c.Id, data: data, mentions: s.mentioned(p, c)})
}
