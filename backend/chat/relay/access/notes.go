package access

import (
	"fmt"
	"slices"

	"parley/backend/chat/relay/port"
)

// IneffectiveGrants returns sentences about parts of c (normalized and valid) that have no effect
// and are probably unintended. At most a few hundred characters each; one per problem.
func IneffectiveGrants(c port.ChatConfig) []string {
	var notes []string
	if c.Enabled && len(c.Access) == 0 {
		notes = append(notes, "Nobody may use Parley from the chat yet. Choose who may.")
	}
	direct := false
	for _, g := range c.Access {
		direct = direct || g.ChannelID == ""
		if !heard(c, g) {
			notes = append(notes, fmt.Sprintf("%s has a permission for a channel Parley does not listen in.", holder(g)))
		}
	}
	if c.Direct != nil && len(c.Access) > 0 && !direct {
		notes = append(notes, "Nobody may send direct messages: permissions for a channel do not apply there.")
	}
	return notes
}

// BroadGrants returns sentences about broad grants in c: everyone who joins a channel or a team
// gets them. They may be intended.
func BroadGrants(c port.ChatConfig) []string {
	names := map[string]string{}
	for _, m := range c.Channels {
		names[m.ChannelID] = m.Name
	}
	var notes []string
	for _, g := range c.Access {
		switch {
		case !heard(c, g):
		case g.Everyone && rank(g.Role) >= rank(port.RoleApprove):
			notes = append(notes, fmt.Sprintf("Everyone who joins %s can approve what runs on this computer.", nameOf(names[g.ChannelID], g.ChannelID)))
		case g.TeamID != "" && g.UserID == "" && g.Role == port.RoleAdmin:
			notes = append(notes, fmt.Sprintf("Everyone who joins the team %s can change everything.", nameOf(g.Name, g.TeamID)))
		}
	}
	return notes
}

// heard reports whether a grant is for a channel where Parley listens, or for
// no channel.
func heard(c port.ChatConfig, g port.ChatGrant) bool {
	return g.ChannelID == "" || g.ChannelID == c.MirrorChannelID ||
		slices.ContainsFunc(c.Channels, func(m port.ChatMapping) bool { return m.ChannelID == g.ChannelID })
}

func holder(g port.ChatGrant) string {
	if g.Everyone {
		return "everybody"
	}
	return nameOf(g.Name, g.UserID+g.TeamID)
}
