// Package access says who may do what through the chat. What no grant allows is
// refused, and both what was done and what was refused is told to the audit log. It also
// says what a configuration of the chat can be.
//
// It starts no goroutine. It knows people by their accounts' ids, as the connection
// names them, and never by what a text says.
package access

import (
	"context"
	"slices"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
	"parley/backend/truncate"
)

// Inbound paths: the ways in which somebody in the chat reaches Parley.
const (
	// PathPost begins a thread, PathReply goes on in one.
	PathPost     = "post"
	PathReply    = "reply"
	PathReaction = "reaction"
	PathCommand  = "command"
	PathEdit     = "edit"
	PathFile     = "file"
	PathButton   = "button"
	PathDelete   = "delete"
)

// need is what a path takes: the usual where the caller says nothing else, and the least
// that it takes whatever the caller says.
type need struct{ usual, least port.ChatRole }

// needOf says what a path takes, and false for one that does not exist.
func needOf(path string) (need, bool) {
	switch path {
	case PathPost, PathReply, PathFile, PathEdit, PathDelete:
		return need{port.RolePrompt, port.RolePrompt}, true
	case PathReaction:
		// Reactions answer questions, or interrupt.
		return need{port.RoleApprove, port.RolePrompt}, true
	case PathButton:
		return need{port.RoleApprove, port.RoleApprove}, true
	case PathCommand:
		// A command that does not say what it needs is for nobody else.
		return need{port.RoleAdmin, port.RoleWatch}, true
	}
	return need{}, false
}

// lookup bounds how long the chat may take to say who is in a team, or what a channel is.
const lookup = 10 * time.Second

// Config is what a gate needs.
type Config struct {
	// Config is what holds at this moment. It must return soon.
	Config func() port.ChatConfig
	// Chat is asked who is in a team, and what kind of channel it is.
	Chat port.Chat
	// Trail is told of everything that passes, and of everything that does not.
	Trail port.Trail
}

// Gate decides. It can be used from any goroutine.
type Gate struct {
	config Config
	said   said
}

// New makes a gate.
func New(c Config) *Gate { return &Gate{config: c} }

// Try is what somebody tries to do.
type Try struct {
	// By has the account's id from the connection. Somebody of whom only that is known
	// (no user name) has what was given to them by name.
	By chat.Person
	// Automated is the post's: it was written by a bot or a webhook, perhaps in the name
	// of a user.
	Automated bool
	ChannelID string
	// ThreadID limits how often refusals are said; "" stands for the channel.
	ThreadID             string
	SessionID, RequestID string
	// Path is one of the constants; What is the command's or emoji's name, or what would
	// be done, for the log.
	Path, What string
	// Need is what it takes, "" for what the path takes. It is never less than
	// the least that the path takes.
	Need port.ChatRole
}

// Verdict is what came of it.
type Verdict struct {
	OK bool
	// Role is what the user has in that channel.
	Role port.ChatRole
	// Refusal is a polite sentence to be posted in the thread, "" when it passed, when it
	// was said lately, or when nothing must be said (to machines, and about posts that
	// were edited or deleted).
	Refusal string
}

// Check decides, and records it.
func (g *Gate) Check(ctx context.Context, t Try) Verdict {
	needed, known := needOf(t.Path)
	takes := needed.usual
	if t.Need != port.RoleNone {
		takes = t.Need
		if Includes(needed.least, takes) {
			takes = needed.least
		}
	}
	role, machine := g.role(ctx, t.By, t.Automated, t.ChannelID)
	v := Verdict{OK: known && Includes(role, takes), Role: role}
	deed := port.Deed{By: t.By, ChannelID: t.ChannelID, Path: t.Path, What: truncate.Runes(t.What, maxWhat), SessionID: t.SessionID, RequestID: t.RequestID}
	if !v.OK {
		deed.Refused = why(role, takes)
	}
	// Whoever gives up does not keep it out of the log.
	g.config.Trail.Chat(context.WithoutCancel(ctx), deed)
	if !v.OK && !machine && t.Path != PathEdit && t.Path != PathDelete {
		v.Refusal = g.said.refuse(t, role, takes, time.Now())
	}
	return v
}

// Role is what a user may do in a channel. It records nothing: it is for showing, and
// for telling what a post is meant for, never instead of Check.
func (g *Gate) Role(ctx context.Context, by chat.Person, automated bool, channelID string) port.ChatRole {
	role, _ := g.role(ctx, by, automated, channelID)
	return role
}

// Holders names those who were given at least a role in a channel, as it was called when
// it was given, at most limit of them: people first, then teams, then "everybody here". It
// tells people whom to ask, and decides nothing. private is true for direct messages.
func (g *Gate) Holders(channelID string, private bool, least port.ChatRole, limit int) (names []string, more int) {
	var people, teams, all []string
	for _, grant := range g.config.Config().Access {
		if !Includes(grant.Role, least) || grant.ChannelID != "" && (private || grant.ChannelID != channelID) {
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

// maxApprovers is how many people are looked for who may answer.
const maxApprovers = 10

// Approvers are people with at least a role in a channel whom a right names, in the order
// of the rights; first comes before all, if that is one of them.
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
		if err == nil && !by.Bot && Includes(g.Role(ctx, by, false, channelID), least) {
			people = append(people, by)
		}
	}
	return people
}

// role is what somebody may do in a channel. machine says that no answer must be given:
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
		// A webhook posts in the name of who made it. Their rights are not its own.
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

// bearer is somebody whose grants are looked for.
type bearer struct {
	gate      *Gate
	by        chat.Person
	channelID string
	// byName is true for those who have only what was given to them by their id.
	byName bool
	// kind is the channel's, once it was asked for; "" when it could not be found out.
	kind  string
	asked bool
}

// has says whether all of a grant that is set fits.
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

// inChannel says whether this is a channel, and not a direct message: grants for channels
// do not hold in those. What cannot be found out is none.
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

// inTeam asks the chat: what a user says of their teams may be old.
func (b *bearer) inTeam(ctx context.Context, teamID string) bool {
	ctx, cancel := context.WithTimeout(ctx, lookup)
	defer cancel()
	in, err := b.gate.config.Chat.InTeam(ctx, b.by.ID, teamID)
	return err == nil && in
}

// rank orders roles; what is none is 0.
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

// Includes says whether who has a role may do what needs another. Nobody may do what
// needs a role that does not exist.
func Includes(has, need port.ChatRole) bool { return rank(need) > 0 && rank(has) >= rank(need) }

// maxWhat bounds what the log says of what somebody tried, in characters.
const maxWhat = 200
