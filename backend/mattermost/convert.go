package mattermost

import (
	"strings"

	"github.com/mattermost/mattermost/server/public/model"

	"parley/backend/chat"
)

// keyProp is the property of a post that holds the key that it was sent with.
const keyProp = "parley_key"

// maxFiles is how many files Mattermost lets a post have.
const maxFiles = 10

// post turns a post of the server's into ours. me is the account's id.
func post(p *model.Post, me string) chat.Post {
	out := chat.Post{
		ID: p.Id, ChannelID: p.ChannelId, RootID: p.RootId, AuthorID: p.UserId,
		Text: p.Message, At: p.CreateAt, EditedAt: p.EditAt,
		Mine: p.UserId == me,
	}
	if p.MessageSource != "" {
		out.Text = p.MessageSource // what was written, without the image proxy's addresses
	}
	switch {
	case strings.HasPrefix(p.Type, model.PostSystemMessagePrefix), p.Type == model.PostTypeAddBotTeamsChannels, p.Type == model.PostTypeReminder:
		out.System = true
	case strings.HasPrefix(p.Type, model.PostCustomTypePrefix):
		out.Automated = true
	}
	props := p.GetProps()
	for _, name := range []string{model.PostPropsFromWebhook, model.PostPropsFromBot, model.PostPropsFromPlugin} {
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

func files(p *model.Post) []chat.File {
	var out []chat.File
	if p.Metadata != nil {
		for _, f := range p.Metadata.Files {
			if f != nil && len(out) < maxFiles {
				out = append(out, file(f))
			}
		}
	}
	if out == nil {
		for _, id := range p.FileIds {
			if len(out) < maxFiles {
				out = append(out, chat.File{ID: id, Name: id})
			}
		}
	}
	return out
}

func file(f *model.FileInfo) chat.File {
	return chat.File{ID: f.Id, Name: f.Name, MediaType: f.MimeType, Bytes: f.Size}
}

// reaction turns one into ours. The server counts a repeated reaction as the same that
// was changed, so its time is when it was given last.
func reaction(r *model.Reaction) chat.Reaction {
	at := r.UpdateAt
	if at == 0 {
		at = r.CreateAt
	}
	return chat.Reaction{PostID: r.PostId, PersonID: r.UserId, Emoji: r.EmojiName, At: at}
}

func person(u *model.User) chat.Person {
	name := strings.TrimSpace(u.Nickname)
	if name == "" {
		name = strings.TrimSpace(u.FirstName + " " + u.LastName)
	}
	if name == "" {
		name = u.Username
	}
	if name == "" {
		name = u.Id
	}
	return chat.Person{
		ID: u.Id, Username: u.Username, Name: name, Bot: u.IsBot,
		Guest: hasRole(u.Roles, model.SystemGuestRoleId), Deactivated: u.DeleteAt > 0,
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

func team(t *model.Team) chat.Team {
	title := t.DisplayName
	if title == "" {
		title = t.Name
	}
	return chat.Team{ID: t.Id, Name: t.Name, Title: title}
}

func channel(ch *model.Channel) chat.Channel {
	title := ch.DisplayName
	if title == "" {
		title = ch.Name
	}
	return chat.Channel{ID: ch.Id, TeamID: ch.TeamId, Name: ch.Name, Title: title, Kind: kind(ch.Type), Archived: ch.DeleteAt > 0}
}

func kind(t model.ChannelType) string {
	switch t {
	case model.ChannelTypePrivate:
		return chat.Private
	case model.ChannelTypeDirect:
		return chat.Direct
	case model.ChannelTypeGroup:
		return chat.Group
	}
	return chat.Open
}
