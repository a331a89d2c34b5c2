package mattermosttest

import (
	"net/http"
	"slices"
	"strings"

	"github.com/mattermost/mattermost/server/public/model"
)

func missingChannel() *model.AppError {
	return fail(http.StatusNotFound, "app.channel.get.existing.app_error", "Unable to find the existing channel.")
}

// channel returns the channel in the path if the caller may see it; mu is
// held.
func (c *call) channel() (*channel, *model.AppError) {
	id, e := c.id("channel_id")
	if e != nil {
		return nil, e
	}
	ch := c.s.channels[id]
	switch {
	case ch == nil:
		return nil, missingChannel()
	case !c.s.canRead(c.user, ch):
		return nil, forbidden()
	}
	return ch, nil
}

func getChannel(c *call) (reply, *model.AppError) {
	ch, e := c.channel()
	if e != nil {
		return reply{}, e
	}
	return ok(ch.Channel)
}

func getChannelByName(c *call) (reply, *model.AppError) {
	for _, ch := range c.s.channels {
		if ch.TeamId == c.vars["team_id"] && ch.Name == c.vars["name"] && ch.DeleteAt == 0 && c.s.canRead(c.user, ch) {
			return ok(ch.Channel)
		}
	}
	return reply{}, fail(http.StatusNotFound, "app.channel.get_by_name.missing.app_error", "Channel does not exist.")
}

// channelsOfUser returns a user's channels: in a team (with direct messages) or all.
func channelsOfUser(c *call) (reply, *model.AppError) {
	id, e := c.self()
	if e != nil {
		return reply{}, e
	}
	teamID, inTeam := c.vars["team_id"]
	if inTeam && !model.IsValidId(teamID) {
		return reply{}, invalidURL("team_id")
	}
	if inTeam && !c.s.inTeam(c.user.Id, teamID) && !c.user.admin() {
		return reply{}, forbidden()
	}
	out := []*model.Channel{}
	for _, ch := range c.s.sortedChannels() {
		if ch.members[id] != nil && (!inTeam || ch.TeamId == teamID || ch.TeamId == "") && (ch.DeleteAt == 0 || c.flag("include_deleted")) {
			out = append(out, ch.Channel)
		}
	}
	if len(out) == 0 {
		return reply{}, fail(http.StatusNotFound, "app.channel.get_channels.not_found.app_error", "No channels were found.")
	}
	return ok(out)
}

func (s *Server) sortedChannels() []*channel {
	return sorted(s.channels, func(c *channel) string { return c.DisplayName + " " + c.Name })
}

// openChannels returns a team's open channels.
func openChannels(c *call) (reply, *model.AppError) {
	page, perPage := c.page()
	t, e := c.team()
	if e != nil {
		return reply{}, e
	}
	out := []*model.Channel{}
	for _, ch := range c.s.sortedChannels() {
		if ch.TeamId == t.Id && ch.Type == model.ChannelTypeOpen && ch.DeleteAt == 0 {
			out = append(out, ch.Channel)
		}
	}
	return ok(paged(out, page, perPage))
}

func searchChannels(c *call) (reply, *model.AppError) {
	var q model.ChannelSearch
	if e := c.decode("channel_search", &q); e != nil {
		return reply{}, e
	}
	term := strings.ToLower(q.Term)
	t, e := c.team()
	if e != nil {
		return reply{}, e
	}
	out := []*model.Channel{}
	for _, ch := range c.s.sortedChannels() {
		if ch.TeamId == t.Id && ch.Type == model.ChannelTypeOpen && ch.DeleteAt == 0 &&
			(strings.Contains(strings.ToLower(ch.Name), term) || strings.Contains(strings.ToLower(ch.DisplayName), term)) {
			out = append(out, ch.Channel)
		}
	}
	return ok(out)
}

func createChannel(c *call) (reply, *model.AppError) {
	var in model.Channel
	if e := c.decode("channel", &in); e != nil {
		return reply{}, e
	}
	switch {
	case !c.s.inTeam(c.user.Id, in.TeamId) || in.Type != model.ChannelTypeOpen && in.Type != model.ChannelTypePrivate:
		return reply{}, forbidden()
	case !model.IsValidChannelIdentifier(in.Name):
		return reply{}, fail(http.StatusBadRequest, "model.channel.is_valid.1_or_more.app_error", "Name must be 1 or more lowercase alphanumeric characters.")
	}
	for _, ch := range c.s.channels {
		if ch.TeamId == in.TeamId && ch.Name == in.Name {
			return reply{}, fail(http.StatusBadRequest, "store.sql_channel.save_channel.exists.app_error", "A channel with that name already exists on the same team.")
		}
	}
	ch := c.s.newChannel(in.TeamId, in.Name, in.DisplayName, in.Type, []string{c.user.Id})
	ch.CreatorId, ch.Header, ch.Purpose = c.user.Id, in.Header, in.Purpose
	return created(ch.Channel)
}

func createDirect(c *call) (reply, *model.AppError) {
	var ids []string
	if e := c.decode("user_ids", &ids); e != nil {
		return reply{}, e
	}
	if len(ids) != 2 || !model.IsValidId(ids[0]) || !model.IsValidId(ids[1]) {
		return reply{}, invalidBody("user_ids")
	}
	if !slices.Contains(ids, c.user.Id) && !c.user.admin() {
		return reply{}, forbidden()
	}
	for _, id := range ids {
		if c.s.users[id] == nil {
			return reply{}, fail(http.StatusNotFound, "api.channel.create_direct_channel.invalid_user.app_error", "Invalid user ID.")
		}
	}
	return created(c.s.direct(ids[0], ids[1]).Channel)
}

func createGroup(c *call) (reply, *model.AppError) {
	var ids []string
	if e := c.decode("user_ids", &ids); e != nil {
		return reply{}, e
	}
	if !slices.Contains(ids, c.user.Id) {
		ids = append(ids, c.user.Id)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) < model.ChannelGroupMinUsers || len(ids) > model.ChannelGroupMaxUsers {
		return reply{}, fail(http.StatusBadRequest, "api.channel.create_group.bad_size.app_error", "Group message channels must contain at least 3 and no more than 8 users.")
	}
	var names []string
	for _, id := range ids {
		u := c.s.users[id]
		if u == nil {
			return reply{}, fail(http.StatusBadRequest, "api.channel.create_group.bad_user.app_error", "One of the provided users does not exist.")
		}
		names = append(names, u.Username)
	}
	name := model.GetGroupNameFromUserIds(ids)
	for _, ch := range c.s.channels {
		if ch.Name == name {
			return created(ch.Channel)
		}
	}
	ch := c.s.newChannel("", name, strings.Join(names, ", "), model.ChannelTypeGroup, ids)
	c.s.publish(event{kind: model.WebsocketEventGroupAdded, channel: ch.Id, data: map[string]any{"teammate_ids": model.ArrayToJSON(ids)}})
	return created(ch.Channel)
}

func channelMembers(c *call) (reply, *model.AppError) {
	page, perPage := c.page()
	ch, e := c.channel()
	if e != nil {
		return reply{}, e
	}
	return ok(paged(sorted(ch.members, func(m *model.ChannelMember) string { return m.UserId }), page, perPage))
}

func channelMember(c *call) (reply, *model.AppError) {
	id, e := c.id("user_id")
	if e != nil {
		return reply{}, e
	}
	ch, e := c.channel()
	if e != nil {
		return reply{}, e
	}
	m := ch.members[id]
	if m == nil {
		return reply{}, fail(http.StatusNotFound, "app.channel.get_member.missing.app_error", "No channel member found for that user ID and channel ID.")
	}
	return ok(m)
}

func membersOfUser(c *call) (reply, *model.AppError) {
	id, e := c.self()
	if e != nil {
		return reply{}, e
	}
	t, e := c.team()
	if e != nil {
		return reply{}, e
	}
	out := []*model.ChannelMember{}
	for _, ch := range c.s.sortedChannels() {
		if m := ch.members[id]; m != nil && (ch.TeamId == t.Id || ch.TeamId == "") {
			out = append(out, m)
		}
	}
	return ok(out)
}

// addChannelMember joins an open channel, or adds a user to one of the caller's.
func addChannelMember(c *call) (reply, *model.AppError) {
	var in struct {
		UserID string `json:"user_id"`
	}
	if e := c.decode("user_id", &in); e != nil {
		return reply{}, e
	}
	if !model.IsValidId(in.UserID) {
		return reply{}, invalidBody("user_id")
	}
	id, e := c.id("channel_id")
	if e != nil {
		return reply{}, e
	}
	ch := c.s.channels[id]
	switch {
	case ch == nil:
		return reply{}, missingChannel()
	case ch.Type == model.ChannelTypeDirect || ch.Type == model.ChannelTypeGroup:
		return reply{}, fail(http.StatusBadRequest, "api.channel.add_user_to_channel.type.app_error", "Can not add user to this channel type.")
	case c.s.users[in.UserID] == nil:
		return reply{}, missingUser()
	case in.UserID != c.user.Id && ch.members[c.user.Id] == nil && !c.user.admin(),
		in.UserID == c.user.Id && ch.Type != model.ChannelTypeOpen && ch.members[c.user.Id] == nil && !c.user.admin(),
		!c.s.canRead(c.user, ch):
		return reply{}, forbidden()
	case !c.s.inTeam(in.UserID, ch.TeamId):
		return reply{}, fail(http.StatusNotFound, "app.team.get_member.missing.app_error", "No team member found for that user ID and team ID.")
	}
	if ch.members[in.UserID] == nil {
		c.s.enter(ch, in.UserID, c.user.Id)
	}
	return created(ch.members[in.UserID])
}

func removeChannelMember(c *call) (reply, *model.AppError) {
	id, e := c.id("user_id")
	if e != nil {
		return reply{}, e
	}
	ch, e := c.channel()
	if e != nil {
		return reply{}, e
	}
	switch {
	case ch.Type == model.ChannelTypeDirect || ch.Type == model.ChannelTypeGroup:
		return reply{}, fail(http.StatusBadRequest, "api.channel.remove_channel_member.type.app_error", "Unable to remove user from channel.")
	case id != c.user.Id && ch.members[c.user.Id] == nil && !c.user.admin():
		return reply{}, forbidden()
	case ch.members[id] == nil:
		return reply{}, fail(http.StatusNotFound, "app.channel.get_member.missing.app_error", "No channel member found for that user ID and channel ID.")
	}
	c.s.leave(ch, id, c.user.Id)
	return statusOK()
}

// viewChannel marks a channel as read.
func viewChannel(c *call) (reply, *model.AppError) {
	if _, e := c.self(); e != nil {
		return reply{}, e
	}
	var in model.ChannelView
	if e := c.decode("channel_view", &in); e != nil {
		return reply{}, e
	}
	times := map[string]int64{}
	if ch := c.s.channels[in.ChannelId]; ch != nil {
		if m := ch.members[c.user.Id]; m != nil {
			m.LastViewedAt = c.s.now()
			times[ch.Id] = m.LastViewedAt
		}
	}
	return ok(&model.ChannelViewResponse{Status: model.StatusOk, LastViewedAtTimes: times})
}
