package mattermosttest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mattermost/mattermost/server/public/model"
)

// User is an account, as tests see it.
type User struct {
	ID       string
	Username string
	// Token is a personal access token, or a bot's.
	Token string
}

type user struct {
	*model.User
	status model.Status
}

func (u *user) admin() bool { return strings.Contains(u.Roles, model.SystemAdminRoleId) }

type team struct {
	*model.Team
	members map[string]*model.TeamMember
}

type channel struct {
	*model.Channel
	members map[string]*model.ChannelMember
}

// AddTeam creates a team.
func (s *Server) AddTeam(name string) *model.Team {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	t := &team{members: map[string]*model.TeamMember{}, Team: &model.Team{
		Id: model.NewId(), CreateAt: now, UpdateAt: now, Name: name, DisplayName: title(name), Type: model.TeamOpen,
		Email: name + "@example.org", AllowOpenInvite: true,
	}}
	s.teams[t.Id] = t
	s.change()
	c := *t.Team
	return &c
}

// AddUser creates a user in the teams.
func (s *Server) AddUser(username string, teamIDs ...string) User {
	return s.addUser(username, model.SystemUserRoleId, false, teamIDs)
}

// AddGuest creates a guest.
func (s *Server) AddGuest(username string, teamIDs ...string) User {
	return s.addUser(username, model.SystemGuestRoleId, false, teamIDs)
}

// AddAdmin creates a system administrator.
func (s *Server) AddAdmin(username string, teamIDs ...string) User {
	return s.addUser(username, model.SystemUserRoleId+" "+model.SystemAdminRoleId, false, teamIDs)
}

// AddBot creates a bot account.
func (s *Server) AddBot(username string, teamIDs ...string) User {
	return s.addUser(username, model.SystemUserRoleId, true, teamIDs)
}

func (s *Server) addUser(username, roles string, bot bool, teamIDs []string) User {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	u := &user{User: &model.User{
		Id: model.NewId(), CreateAt: now, UpdateAt: now, Username: username, Email: username + "@example.org",
		FirstName: title(username), Roles: roles, IsBot: bot, Locale: "en",
		NotifyProps: model.StringMap{}, Props: model.StringMap{}, Timezone: model.StringMap{},
	}}
	if bot {
		u.FirstName = ""
		u.BotDescription = "A bot."
	}
	u.status = model.Status{UserId: u.Id, Status: model.StatusOffline}
	s.users[u.Id] = u
	for _, id := range teamIDs {
		s.joinTeam(id, u.Id)
	}
	token := model.NewId()
	s.tokens[token] = u.Id
	s.change()
	return User{ID: u.Id, Username: username, Token: token}
}

// Rename sets a user's display names.
func (s *Server) Rename(userID, first, last, nick string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.users[userID]; u != nil {
		u.FirstName, u.LastName, u.Nickname = first, last, nick
		u.UpdateAt = s.now()
	}
}

// Revoke invalidates a token. As on the real server its sockets stay open, answer
// pings, and receive nothing more.
func (s *Server) Revoke(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.tokens[token]
	delete(s.tokens, token)
	s.expire(id)
	s.change()
}

// NewToken gives a user another token.
func (s *Server) NewToken(userID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := model.NewId()
	s.tokens[token] = userID
	return token
}

// Deactivate closes an account. Its sockets stay, as with [Server.Revoke].
func (s *Server) Deactivate(userID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.users[userID]; u != nil {
		u.DeleteAt = s.now()
		u.UpdateAt = u.DeleteAt
	}
	s.expire(userID)
	s.change()
}

// expire stops events to a user's sockets; mu is held.
func (s *Server) expire(userID string) {
	for _, so := range s.sockets {
		if so.user != nil && so.user.Id == userID {
			so.expired = true
		}
	}
}

// AddTeamMember adds a user to a team, RemoveTeamMember removes one.
func (s *Server) AddTeamMember(teamID, userID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.joinTeam(teamID, userID)
	s.change()
}

// RemoveTeamMember removes a user from a team and its channels.
func (s *Server) RemoveTeamMember(teamID, userID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.teams[teamID]; t != nil {
		delete(t.members, userID)
	}
	for _, c := range s.channels {
		if c.TeamId == teamID && c.members[userID] != nil {
			s.leave(c, userID, userID)
		}
	}
	s.change()
}

func (s *Server) joinTeam(teamID, userID string) {
	t := s.teams[teamID]
	if t == nil {
		return
	}
	t.members[userID] = &model.TeamMember{TeamId: teamID, UserId: userID, Roles: model.TeamUserRoleId, SchemeUser: true}
}

// AddChannel creates an open channel.
func (s *Server) AddChannel(teamID, name string, memberIDs ...string) *model.Channel {
	return s.addChannel(teamID, name, model.ChannelTypeOpen, memberIDs)
}

// AddPrivateChannel creates one that only its members see.
func (s *Server) AddPrivateChannel(teamID, name string, memberIDs ...string) *model.Channel {
	return s.addChannel(teamID, name, model.ChannelTypePrivate, memberIDs)
}

// AddDirect creates the direct channel of two users.
func (s *Server) AddDirect(a, b string) *model.Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := *s.direct(a, b).Channel
	return &c
}

func (s *Server) addChannel(teamID, name string, kind model.ChannelType, memberIDs []string) *model.Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.newChannel(teamID, name, title(name), kind, memberIDs)
	out := *c.Channel
	return &out
}

func (s *Server) newChannel(teamID, name, display string, kind model.ChannelType, memberIDs []string) *channel {
	now := s.now()
	c := &channel{members: map[string]*model.ChannelMember{}, Channel: &model.Channel{
		Id: model.NewId(), CreateAt: now, UpdateAt: now, TeamId: teamID, Type: kind, Name: name, DisplayName: display,
	}}
	s.channels[c.Id] = c
	for _, id := range memberIDs {
		s.join(c, id)
	}
	s.change()
	return c
}

// direct finds or creates the direct channel of two users; mu is held.
func (s *Server) direct(a, b string) *channel {
	name := model.GetDMNameFromIds(a, b)
	for _, c := range s.channels {
		if c.Type == model.ChannelTypeDirect && c.Name == name {
			return c
		}
	}
	c := s.newChannel("", name, "", model.ChannelTypeDirect, []string{a, b})
	for _, id := range []string{a, b} {
		other := a
		if id == a {
			other = b
		}
		s.publish(event{kind: model.WebsocketEventDirectAdded, user: id, channel: c.Id,
			data: map[string]any{"creator_id": a, "teammate_id": other}})
	}
	return c
}

func (s *Server) join(c *channel, userID string) {
	if c.members[userID] != nil || s.users[userID] == nil {
		return
	}
	c.members[userID] = &model.ChannelMember{
		ChannelId: c.Id, UserId: userID, Roles: model.ChannelUserRoleId, SchemeUser: true,
		NotifyProps: model.GetDefaultChannelNotifyProps(), LastUpdateAt: s.now(),
	}
}

// AddMember adds a user to a channel, with the resulting post and event.
func (s *Server) AddMember(channelID, userID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channelID]; c != nil && s.users[userID] != nil && c.members[userID] == nil {
		s.enter(c, userID, userID)
	}
}

// RemoveMember removes a user from a channel, with the resulting post and events.
func (s *Server) RemoveMember(channelID, userID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[channelID]; c != nil && c.members[userID] != nil {
		s.leave(c, userID, s.anyoneElse(c, userID))
	}
}

func (s *Server) anyoneElse(c *channel, userID string) string {
	for id := range c.members {
		if id != userID {
			return id
		}
	}
	return userID
}

// enter adds a member and publishes it; mu is held.
func (s *Server) enter(c *channel, userID, byID string) {
	s.join(c, userID)
	u, by := s.users[userID], s.users[byID]
	kind, text := model.PostTypeJoinChannel, u.Username+" joined the channel."
	props := model.StringInterface{"username": u.Username}
	if userID != byID {
		kind, text = model.PostTypeAddToChannel, "@"+u.Username+" added to the channel by @"+by.Username+"."
		props = model.StringInterface{"userId": byID, "username": by.Username, "addedUserId": userID, "addedUsername": u.Username}
	}
	s.systemPost(c, byID, kind, text, props)
	data := map[string]any{"user_id": userID, "team_id": c.TeamId}
	s.publish(event{kind: model.WebsocketEventUserAdded, channel: c.Id, data: data})
	s.change()
}

// leave removes a member and publishes it; mu is held.
func (s *Server) leave(c *channel, userID, byID string) {
	u := s.users[userID]
	delete(c.members, userID)
	kind, text := model.PostTypeRemoveFromChannel, "@"+u.Username+" was removed from the channel."
	if userID == byID {
		kind, text = model.PostTypeLeaveChannel, u.Username+" left the channel."
	}
	s.systemPost(c, byID, kind, text, model.StringInterface{"removedUserId": userID, "removedUsername": u.Username, "username": u.Username})
	s.publish(event{kind: model.WebsocketEventUserRemoved, channel: c.Id, data: map[string]any{"user_id": userID, "remover_id": byID}})
	s.publish(event{kind: model.WebsocketEventUserRemoved, user: userID, data: map[string]any{"channel_id": c.Id, "remover_id": byID}})
	s.change()
}

// Archive archives a channel.
func (s *Server) Archive(channelID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channelID]
	if c == nil {
		return
	}
	c.DeleteAt = s.now()
	c.UpdateAt = c.DeleteAt
	s.publish(event{kind: model.WebsocketEventChannelDeleted, team: c.TeamId, data: map[string]any{"channel_id": c.Id, "delete_at": c.DeleteAt}})
	s.change()
}

// canRead: members can, and everyone in the team if the channel is open; mu is held.
func (s *Server) canRead(u *user, c *channel) bool {
	return c.members[u.Id] != nil || u.admin() ||
		c.Type == model.ChannelTypeOpen && s.inTeam(u.Id, c.TeamId) && !u.IsGuest()
}

func (s *Server) inTeam(userID, teamID string) bool {
	t := s.teams[teamID]
	return t != nil && t.members[userID] != nil
}

// sorted returns the values of a map sorted by name.
func sorted[T any](m map[string]T, name func(T) string) []T {
	list := make([]T, 0, len(m))
	for _, v := range m {
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
	return list
}

func title(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
