package mattermosttest

import (
	"slices"

	"github.com/mattermost/mattermost/server/public/model"
)

// rights are the permissions of roles, as on a newly installed server.
type rights struct {
	roles map[string][]string
	// schemes are channels whose members lack some default permissions.
	schemes map[string][]string
}

func newRights() rights {
	r := rights{roles: map[string][]string{}, schemes: map[string][]string{}}
	for name, role := range model.MakeDefaultRoles() {
		r.roles[name] = role.Permissions
	}
	return r
}

// Take removes permissions from a role, such as [model.ChannelUserRoleId],
// everywhere.
func (s *Server) Take(role string, permissions ...*model.Permission) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rights.roles[role] = without(s.rights.roles[role], permissions)
}

// Give adds permissions to a role, everywhere.
func (s *Server) Give(role string, permissions ...*model.Permission) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(s.rights.roles[role])
	for _, p := range permissions {
		list = append(list, p.Id)
	}
	s.rights.roles[role] = list
}

// Scheme removes some default permissions from the members of a channel; its administrators,
// those of its team and those of the system keep theirs. With none it restores them.
func (s *Server) Scheme(channelID string, taken ...*model.Permission) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rights.schemes[channelID] = nil
	for _, p := range taken {
		s.rights.schemes[channelID] = append(s.rights.schemes[channelID], p.Id)
	}
}

func without(list []string, permissions []*model.Permission) []string {
	return slices.DeleteFunc(slices.Clone(list), func(id string) bool {
		return slices.ContainsFunc(permissions, func(p *model.Permission) bool { return p.Id == id })
	})
}

// may reports whether a user has a permission in a channel: through a role in the channel,
// in its team or in the system; mu is held.
func (s *Server) may(u *user, c *channel, p *model.Permission) bool {
	has := func(role string) bool { return slices.Contains(s.rights.roles[role], p.Id) }
	if slices.ContainsFunc(u.GetRoles(), has) {
		return true
	}
	if m := c.members[u.Id]; m != nil {
		role := model.ChannelUserRoleId
		if u.IsGuest() {
			role = model.ChannelGuestRoleId
		}
		if has(role) && !slices.Contains(s.rights.schemes[c.Id], p.Id) || m.SchemeAdmin && has(model.ChannelAdminRoleId) {
			return true
		}
	}
	t := s.teams[c.TeamId]
	if t == nil || t.members[u.Id] == nil {
		return false
	}
	return has(model.TeamUserRoleId) && !u.IsGuest() || t.members[u.Id].SchemeAdmin && has(model.TeamAdminRoleId)
}
