// Package access decides who may do what through Mattermost. What no grant allows is
// refused, and both allowed and refused actions are recorded in the audit log. It also
// validates a Mattermost configuration.
//
// It starts no goroutine. It identifies people by their account ids from the
// connection, never by what a text says.
package access

import (
	"context"
	"slices"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/truncate"
)

// Inbound paths: the ways in which people in the chat reach Parley.
const (
	// PathPost starts a thread, PathReply continues one.
	PathPost     = "post"
	PathReply    = "reply"
	PathReaction = "reaction"
	PathCommand  = "command"
	PathEdit     = "edit"
	PathFile     = "file"
	PathButton   = "button"
	PathDelete   = "delete"
)

// need is the role a path requires: the default, and the minimum whatever the caller
// requests.
type need struct{ usual, least port.ChatRole }

// needOf returns what a path requires, and false for an unknown one.
func needOf(path string) (need, bool) {
	switch path {
	case PathPost, PathReply, PathFile, PathEdit, PathDelete:
		return need{port.RolePrompt, port.RolePrompt}, true
	case PathReaction:
		// Reactions answer requests, or interrupt.
		return need{port.RoleApprove, port.RolePrompt}, true
	case PathButton:
		return need{port.RoleApprove, port.RoleApprove}, true
	case PathCommand:
		// A command that doesn't say what it requires is only for administrators.
		return need{port.RoleAdmin, port.RoleWatch}, true
	}
	return need{}, false
}

// lookup bounds how long the chat may take to resolve a team's members or a channel's
// kind.
const lookup = 10 * time.Second

// Config configures a gate.
type Config struct {
	// Config returns the current configuration. It must return quickly.
	Config func() port.ChatConfig
	// Chat resolves team members and channel kinds.
	Chat port.Chat
	// Trail records everything that passes and everything that doesn't.
	Trail port.AuditLog
}

// Gate decides. It can be used from any goroutine.
type Gate struct {
	config Config
	said   said
}

// New returns a gate.
func New(c Config) *Gate { return &Gate{config: c} }

// Attempt is an attempted action.
type Attempt struct {
	// By has the account's id from the connection. If nothing else is known (no user
	// name), only grants by name apply.
	By chat.Person
	// Automated is the post's: it was written by a bot or a webhook, perhaps in the name
	// of a user.
	Automated bool
	ChannelID string
	// ThreadID limits how often refusals are posted; "" stands for the channel.
	ThreadID             string
	SessionID, RequestID string
	// Path is one of the constants; What is the command's or emoji's name, or the
	// action, for the log.
	Path, What string
	// Need is the required role, "" for the path's default. It is never below
	// the path's minimum.
	Need port.ChatRole
}

// Verdict is the result.
type Verdict struct {
	OK bool
	// Role is the user's role in that channel.
	Role port.ChatRole
	// Refusal is a polite sentence to post in the thread, "" if allowed, if posted
	// recently, or if nothing may be posted (for bots, and about edited or deleted
	// posts).
	Refusal string
}

// Check decides and records it.
func (g *Gate) Check(ctx context.Context, t Attempt) Verdict {
	needed, known := needOf(t.Path)
	takes := needed.usual
	if t.Need != port.RoleNone {
		takes = t.Need
		if Covers(needed.least, takes) {
			takes = needed.least
		}
	}
	role, machine := g.role(ctx, t.By, t.Automated, t.ChannelID)
	v := Verdict{OK: known && Covers(role, takes), Role: role}
	deed := port.Action{By: t.By, ChannelID: t.ChannelID, Path: t.Path, What: truncate.Runes(t.What, maxWhat), SessionID: t.SessionID, RequestID: t.RequestID}
	if !v.OK {
		deed.Refused = why(role, takes)
	}
	// A caller that gives up doesn't keep it out of the log.
	g.config.Trail.Chat(context.WithoutCancel(ctx), deed)
	if !v.OK && !machine && t.Path != PathEdit && t.Path != PathDelete {
		v.Refusal = g.said.refuse(t, role, takes, time.Now())
	}
	return v
}

// Role returns a user's role in a channel. It records nothing: it is for display,
// and for determining what a post is meant for, never instead of Check.
func (g *Gate) Role(ctx context.Context, by chat.Person, automated bool, channelID string) port.ChatRole {
	role, _ := g.role(ctx, by, automated, channelID)
	return role
}

// Holders returns the names of grants with at least a role in a channel, at most limit of
// them: people first, then teams, then "everybody here". It tells people whom to ask, and
// decides nothing. private is true for direct messages.
func (g *Gate) Holders(channelID string, private bool, least port.ChatRole, limit int) (names []string, more int) {
	var people, teams, all []string
	for _, grant := range g.config.Config().Access {
		if !Covers(grant.Role, least) || grant.ChannelID != "" && (private || grant.ChannelID != channelID) {
			continue
		}
		switch {
		case grant.UserID != "":
			people = append(people, nameOf(grant.Name, grant.UserID))
		case grant.TeamID != "":
			teams = append(teams, "the team "+nameOf(grant.Name, grant.TeamID))
		case grant.Everyone && grant.ChannelID != "":
			all = append(all, "everybody here")
		}
	}
	seen := map[string]bool{}
	for _, name := range slices.Concat(people, teams, all) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	if len(names) > limit {
		return names[:limit], len(names) - limit
	}
	return names, 0
}

// maxApprovers is how many people who may answer are looked up.
const maxApprovers = 10

// Approvers returns the people granted at least a role in a channel by name, in the order
// of the grants; first comes before all, if included.
func (g *Gate) Approvers(ctx context.Context, channelID, first string, least port.ChatRole) []chat.Person {
	ctx, cancel := context.WithTimeout(ctx, lookup)
	defer cancel()
	ids := []string{first}
	for _, grant := range g.config.Config().Access {
		ids = append(ids, grant.UserID)
	}
	var people []chat.Person
	for _, id := range ids {
		if id == "" || len(people) >= maxApprovers || slices.ContainsFunc(people, func(p chat.Person) bool { return p.ID == id }) {
			continue
		}
		by, err := g.config.Chat.Person(ctx, id)
		if err == nil && !by.Bot && Covers(g.Role(ctx, by, false, channelID), least) {
			people = append(people, by)
		}
	}
	return people
}

// role returns a user's role in a channel. machine means that no answer may be given:
// two programs that answer each other never stop.
func (g *Gate) role(ctx context.Context, by chat.Person, automated bool, channelID string) (role port.ChatRole, machine bool) {
	machine = automated || by.Bot || by.ID == ""
	c := g.config.Config()
	switch {
	case !c.Enabled, by.ID == "", channelID == "", by.Deactivated:
		return port.RoleNone, machine
	case by.ID == g.config.Chat.Me().ID:
		return port.RoleNone, true
	case automated && !by.Bot:
		// A webhook posts in its creator's name, but doesn't have the creator's
		// rights.
		return port.RoleNone, true
	}
	b := bearer{gate: g, by: by, channelID: channelID, byName: automated || by.Bot || by.Guest || by.Username == ""}
	best := port.RoleNone
	for _, grant := range c.Access {
		if rank(grant.Role) > rank(best) && b.has(ctx, grant) {
			best = grant.Role
		}
	}
	return best, machine
}

// bearer is a user whose grants are being evaluated.
type bearer struct {
	gate      *Gate
	by        chat.Person
	channelID string
	// byName is true if only grants by id apply.
	byName bool
	// kind is the channel's, once looked up; "" if unknown.
	kind  string
	asked bool
}

// has reports whether all conditions of a grant match.
func (b *bearer) has(ctx context.Context, grant port.ChatGrant) bool {
	switch {
	case grant.UserID == "" && (b.byName || grant.TeamID == "" && !grant.Everyone):
		return false
	case grant.UserID != "" && grant.UserID != b.by.ID:
		return false
	case grant.Everyone && grant.ChannelID == "":
		return false
	case grant.ChannelID != "" && (grant.ChannelID != b.channelID || !b.inChannel(ctx)):
		return false
	}
	return grant.TeamID == "" || b.inTeam(ctx, grant.TeamID)
}

// inChannel reports whether this is a channel, and not a direct message: channel grants
// don't apply to those. If unknown, it isn't.
func (b *bearer) inChannel(ctx context.Context) bool {
	if !b.asked {
		b.asked = true
		ctx, cancel := context.WithTimeout(ctx, lookup)
		defer cancel()
		if channel, err := b.gate.config.Chat.Channel(ctx, b.channelID); err == nil && channel.ID == b.channelID {
			b.kind = channel.Kind
		}
	}
	return b.kind == chat.Open || b.kind == chat.Private
}

// inTeam asks the chat, because a user's own team list may be outdated.
func (b *bearer) inTeam(ctx context.Context, teamID string) bool {
	ctx, cancel := context.WithTimeout(ctx, lookup)
	defer cancel()
	in, err := b.gate.config.Chat.InTeam(ctx, b.by.ID, teamID)
	return err == nil && in
}

// rank orders roles; an invalid role is 0.
func rank(r port.ChatRole) int {
	switch r {
	case port.RoleWatch:
		return 1
	case port.RolePrompt:
		return 2
	case port.RoleApprove:
		return 3
	case port.RoleAdmin:
		return 4
	}
	return 0
}

// Covers reports whether a role covers another. Nothing covers an unknown role.
func Covers(has, need port.ChatRole) bool { return rank(need) > 0 && rank(has) >= rank(need) }

// maxWhat bounds the logged description of an action, in characters.
const maxWhat = 200
