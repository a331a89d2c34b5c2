package mattermosttest

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/mattermost/mattermost/server/public/model"
)

// profile returns what others see of a user.
func (u *user) profile(full bool) *model.User {
	c := *u.User
	c.Password, c.AuthData, c.MfaSecret = "", nil, ""
	if !full {
		c.NotifyProps = model.StringMap{}
	}
	return &c
}

func missingUser() *model.AppError {
	return fail(http.StatusNotFound, "app.user.missing_account.const", "Unable to find the user.")
}

func getUser(c *call) (reply, *model.AppError) {
	id, e := c.id("user_id")
	if e != nil {
		return reply{}, e
	}
	u := c.s.users[id]
	if u == nil {
		return reply{}, missingUser()
	}
	return ok(u.profile(id == c.user.Id))
}

func getUserByName(c *call) (reply, *model.AppError) {
	for _, u := range c.s.users {
		if strings.EqualFold(u.Username, c.vars["username"]) {
			return ok(u.profile(u.Id == c.user.Id))
		}
	}
	return reply{}, missingUser()
}

// listUsers is GET /users, also of a team or a channel.
func listUsers(c *call) (reply, *model.AppError) {
	page, perPage := c.page()
	inTeam, inChannel := c.query.Get("in_team"), c.query.Get("in_channel")
	if inChannel != "" {
		ch := c.s.channels[inChannel]
		if ch == nil || !c.s.canRead(c.user, ch) {
			return reply{}, forbidden()
		}
	}
	if inTeam != "" && !c.s.inTeam(c.user.Id, inTeam) && !c.user.admin() {
		return reply{}, forbidden()
	}
	out := []*model.User{}
	for _, u := range c.s.byName() {
		if c.s.within(u, inTeam, inChannel) {
			out = append(out, u.profile(u.Id == c.user.Id))
		}
	}
	return ok(paged(out, page, perPage))
}

// within reports whether a user is in a team and a channel, as far as given.
func (s *Server) within(u *user, teamID, channelID string) bool {
	if teamID != "" && !s.inTeam(u.Id, teamID) {
		return false
	}
	ch := s.channels[channelID]
	return channelID == "" || ch != nil && ch.members[u.Id] != nil
}

func (s *Server) byName() []*user {
	return sorted(s.users, func(u *user) string { return u.Username })
}

func usersByIDs(c *call) (reply, *model.AppError) {
	var ids []string
	if e := c.decode("user_ids", &ids); e != nil {
		return reply{}, e
	}
	if len(ids) == 0 {
		return reply{}, invalidBody("user_ids")
	}
	return c.pick(ids, func(u *user) string { return u.Id })
}

func usersByNames(c *call) (reply, *model.AppError) {
	var names []string
	if e := c.decode("usernames", &names); e != nil {
		return reply{}, e
	}
	if len(names) == 0 {
		return reply{}, invalidBody("usernames")
	}
	return c.pick(names, func(u *user) string { return u.Username })
}

func (c *call) pick(want []string, key func(*user) string) (reply, *model.AppError) {
	set := map[string]bool{}
	for _, w := range want {
		set[w] = true
	}
	out := []*model.User{}
	for _, u := range c.s.byName() {
		if set[key(u)] {
			out = append(out, u.profile(false))
		}
	}
	return ok(out)
}

// fits reports whether a term is a prefix of one of a user's names.
func (u *user) fits(term string) bool {
	term = strings.ToLower(strings.TrimPrefix(term, "@"))
	for _, n := range []string{u.Username, u.FirstName, u.LastName, u.Nickname, u.FirstName + " " + u.LastName} {
		if strings.HasPrefix(strings.ToLower(n), term) {
			return true
		}
	}
	return false
}

func searchUsers(c *call) (reply, *model.AppError) {
	var q model.UserSearch
	if e := c.decode("props", &q); e != nil {
		return reply{}, e
	}
	if q.Term == "" {
		return reply{}, invalidBody("term")
	}
	if q.Limit <= 0 || q.Limit > 1000 {
		q.Limit = 100
	}
	out := []*model.User{}
	for _, u := range c.s.byName() {
		if len(out) < q.Limit && u.fits(q.Term) && c.s.within(u, q.TeamId, q.InChannelId) && (q.AllowInactive || u.DeleteAt == 0) {
			out = append(out, u.profile(false))
		}
	}
	return ok(out)
}

func autocompleteUsers(c *call) (reply, *model.AppError) {
	limit, err := strconv.Atoi(c.query.Get("limit"))
	if err != nil || limit <= 0 || limit > 1000 {
		limit = 100
	}
	teamID, channelID := c.query.Get("in_team"), c.query.Get("in_channel")
	out := &model.UserAutocomplete{Users: []*model.User{}}
	for _, u := range c.s.byName() {
		if !u.fits(c.query.Get("name")) || u.DeleteAt != 0 || !c.s.within(u, teamID, "") {
			continue
		}
		switch {
		case c.s.within(u, "", channelID):
			if len(out.Users) < limit {
				out.Users = append(out.Users, u.profile(false))
			}
		case len(out.OutOfChannel) < limit:
			out.OutOfChannel = append(out.OutOfChannel, u.profile(false))
		}
	}
	return ok(out)
}

func getStatus(c *call) (reply, *model.AppError) {
	id, e := c.id("user_id")
	if e != nil {
		return reply{}, e
	}
	if u := c.s.users[id]; u != nil {
		st := u.status
		return ok(&st)
	}
	return reply{}, fail(http.StatusNotFound, "app.status.get.missing.app_error", "No entry for that status exists.")
}

func getStatuses(c *call) (reply, *model.AppError) {
	var ids []string
	if e := c.decode("user_ids", &ids); e != nil {
		return reply{}, e
	}
	if len(ids) == 0 {
		return reply{}, invalidBody("user_ids")
	}
	out := []*model.Status{}
	for _, id := range ids {
		if u := c.s.users[id]; u != nil {
			st := u.status
			out = append(out, &st)
		}
	}
	return ok(out)
}

func putStatus(c *call) (reply, *model.AppError) {
	id, e := c.self()
	if e != nil {
		return reply{}, e
	}
	var st model.Status
	if e := c.decode("status", &st); e != nil {
		return reply{}, e
	}
	if st.UserId != id {
		return reply{}, invalidBody("user_id")
	}
	switch st.Status {
	case model.StatusOnline, model.StatusOffline, model.StatusAway, model.StatusDnd:
	default:
		return reply{}, invalidBody("status")
	}
	c.s.setStatus(c.s.users[id], st.Status, true)
	out := c.s.users[id].status
	return ok(&out)
}

// setStatus changes a user's status; only that user is told. mu is held.
func (s *Server) setStatus(u *user, status string, manual bool) {
	if u.status.Manual && !manual {
		return
	}
	was := u.status.Status
	u.status.Status, u.status.Manual, u.status.LastActivityAt = status, manual, s.now()
	if was != status {
		s.publish(event{kind: model.WebsocketEventStatusChange, user: u.Id, data: map[string]any{"status": status, "user_id": u.Id}})
	}
	s.change()
}

func missingTeam() *model.AppError {
	return fail(http.StatusNotFound, "app.team.get.find.app_error", "Unable to find the existing team.")
}

func teamsOfUser(c *call) (reply, *model.AppError) {
	id, e := c.self()
	if e != nil {
		return reply{}, e
	}
	out := []*model.Team{}
	for _, t := range sorted(c.s.teams, func(t *team) string { return t.Name }) {
		if t.members[id] != nil {
			out = append(out, t.Team)
		}
	}
	return ok(out)
}

func teamMembersOfUser(c *call) (reply, *model.AppError) {
	id, e := c.id("user_id")
	if e != nil {
		return reply{}, e
	}
	if id != c.user.Id && !c.user.admin() {
		return reply{}, forbidden()
	}
	out := []*model.TeamMember{}
	for _, t := range sorted(c.s.teams, func(t *team) string { return t.Name }) {
		if m := t.members[id]; m != nil {
			out = append(out, m)
		}
	}
	return ok(out)
}

// team returns the team in the path, which the caller must be in; mu is held.
func (c *call) team() (*team, *model.AppError) {
	id, e := c.id("team_id")
	if e != nil {
		return nil, e
	}
	t := c.s.teams[id]
	switch {
	case t == nil:
		return nil, missingTeam()
	case t.members[c.user.Id] == nil && !c.user.admin():
		return nil, forbidden()
	}
	return t, nil
}

func getTeam(c *call) (reply, *model.AppError) {
	t, e := c.team()
	if e != nil {
		return reply{}, e
	}
	return ok(t.Team)
}

func getTeamByName(c *call) (reply, *model.AppError) {
	for _, t := range c.s.teams {
		if t.Name == c.vars["name"] {
			return ok(t.Team)
		}
	}
	return reply{}, fail(http.StatusNotFound, "app.team.get_by_name.missing.app_error", "Unable to find the existing team.")
}

func teamMembers(c *call) (reply, *model.AppError) {
	page, perPage := c.page()
	t, e := c.team()
	if e != nil {
		return reply{}, e
	}
	return ok(paged(sorted(t.members, func(m *model.TeamMember) string { return m.UserId }), page, perPage))
}

func teamMember(c *call) (reply, *model.AppError) {
	id, e := c.id("user_id")
	if e != nil {
		return reply{}, e
	}
	t, e := c.team()
	if e != nil {
		return reply{}, e
	}
	m := t.members[id]
	if m == nil {
		return reply{}, fail(http.StatusNotFound, "app.team.get_member.missing.app_error", "No team member found for that user ID and team ID.")
	}
	return ok(m)
}
