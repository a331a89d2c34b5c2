package mattermost

import (
	"strings"

	"parley/backend/chat/mattermost/wire"

	"parley/backend/chat"
)

// keyProp is the post property with the key it was sent with.
const keyProp = "parley_key"

// maxFiles is Mattermost's limit of files per post.
const maxFiles = 10

// post converts a server post. me is the account's id.
func post(p *wire.Post, me string) chat.Post {
	out := chat.Post{
		ID: p.ID, ChannelID: p.ChannelID, RootID: p.RootID, AuthorID: p.UserID,
		Text: p.Message, At: p.CreateAt, EditedAt: p.EditAt,
		Mine: p.UserID == me,
	}
	if p.Source != "" {
		out.Text = p.Source // the original text, without image proxy addresses
	}
	switch {
	case strings.HasPrefix(p.Type, wire.SystemPrefix), p.Type == wire.AddBotsChannels, p.Type == wire.Reminder:
		out.System = true
	case strings.HasPrefix(p.Type, wire.CustomPrefix):
		out.Automated = true
	}
	props := p.Props
	for _, name := range []string{wire.PropFromWebhook, wire.PropFromBot, wire.PropFromPlugin} {
		if yes(props[name]) {
			out.Automated = true
		}
	}
	if key, ok := props[keyProp].(string); ok && out.Mine {
		out.Key = key
	}
	out.Files = files(p)
	return out
}

func yes(v any) bool { return v == "true" || v == true }

func files(p *wire.Post) []chat.File {
	var out []chat.File
	if p.Metadata != nil {
		for _, f := range p.Metadata.Files {
			if f != nil && len(out) < maxFiles {
				out = append(out, file(f))
			}
		}
	}
	if out == nil {
		for _, id := range p.FileIDs {
			if len(out) < maxFiles {
				out = append(out, chat.File{ID: id, Name: id})
			}
		}
	}
	return out
}

func file(f *wire.File) chat.File {
	return chat.File{ID: f.ID, Name: f.Name, MediaType: f.MimeType, Bytes: f.Size}
}

// reaction converts a reaction. The server treats a repeated reaction as an update, so
// its time is that of the last one.
func reaction(r *wire.Reaction) chat.Reaction {
	at := r.UpdateAt
	if at == 0 {
		at = r.CreateAt
	}
	return chat.Reaction{PostID: r.PostID, PersonID: r.UserID, Emoji: r.Emoji, At: at}
}

func person(u *wire.User) chat.Person {
	name := strings.TrimSpace(u.Nickname)
	if name == "" {
		name = strings.TrimSpace(u.FirstName + " " + u.LastName)
	}
	if name == "" {
		name = u.Username
	}
	if name == "" {
		name = u.ID
	}
	return chat.Person{
		ID: u.ID, Username: u.Username, Name: name, Bot: u.IsBot,
		Guest: hasRole(u.Roles, wire.RoleGuest), Deactivated: u.DeleteAt > 0,
	}
}

func hasRole(roles, role string) bool {
	for r := range strings.FieldsSeq(roles) {
		if r == role {
			return true
		}
	}
	return false
}

func team(t *wire.Team) chat.Team {
	title := t.DisplayName
	if title == "" {
		title = t.Name
	}
	return chat.Team{ID: t.ID, Name: t.Name, Title: title}
}

func channel(ch *wire.Channel) chat.Channel {
	title := ch.DisplayName
	if title == "" {
		title = ch.Name
	}
	return chat.Channel{ID: ch.ID, TeamID: ch.TeamID, Name: ch.Name, Title: title, Kind: kind(ch.Type), Archived: ch.DeleteAt > 0}
}

func kind(t string) string {
	switch t {
	case wire.ChannelPrivate:
		return chat.Private
	case wire.ChannelDirect:
		return chat.Direct
	case wire.ChannelGroup:
		return chat.Group
	}
	return chat.Open
}
