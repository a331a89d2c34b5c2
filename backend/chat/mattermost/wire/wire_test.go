package wire_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mattermost/mattermost/server/public/model"

	"parley/backend/chat/mattermost/wire"
)

// TestFieldsAreTheServers: the types here have the same names and kinds as the server's own
// model.
func TestFieldsAreTheServers(t *testing.T) {
	for _, c := range []struct{ ours, theirs any }{
		{wire.Post{}, model.Post{}},
		{wire.Metadata{}, model.PostMetadata{}},
		{wire.PostList{}, model.PostList{}},
		{wire.File{}, model.FileInfo{}},
		{wire.Uploaded{}, model.FileUploadResponse{}},
		{wire.Reaction{}, model.Reaction{}},
		{wire.User{}, model.User{}},
		{wire.Users{}, model.UserAutocomplete{}},
		{wire.Team{}, model.Team{}},
		{wire.TeamMember{}, model.TeamMember{}},
		{wire.Channel{}, model.Channel{}},
		{wire.Attachment{}, model.MessageAttachment{}},
		{wire.Action{}, model.PostAction{}},
		{wire.Integration{}, model.PostActionIntegration{}},
	} {
		ours, theirs := fields(reflect.TypeOf(c.ours)), fields(reflect.TypeOf(c.theirs))
		for name, kind := range ours {
			if theirs[name] != kind {
				t.Errorf("%T: %s is %v, the server's is %v", c.ours, name, kind, theirs[name])
			}
		}
	}
}

// fields returns the kinds of a struct's fields by JSON name; a pointer to a struct
// counts as the struct.
func fields(t reflect.Type) map[string]reflect.Kind {
	out := map[string]reflect.Kind{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		kind := f.Type.Kind()
		if kind == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct {
			kind = reflect.Struct
		}
		out[name] = kind
	}
	return out
}

func TestWordsAreTheServers(t *testing.T) {
	for ours, theirs := range map[any]any{
		wire.MaxText: model.PostMessageMaxRunesV2, wire.MaxEmoji: model.EmojiNameMaxLength,
		wire.SystemPrefix: model.PostSystemMessagePrefix, wire.CustomPrefix: model.PostCustomTypePrefix,
		wire.JoinChannel: model.PostTypeJoinChannel, wire.GuestJoin: model.PostTypeGuestJoinChannel, wire.JoinTeam: model.PostTypeJoinTeam,
		wire.AddToChannel: model.PostTypeAddToChannel, wire.AddGuest: model.PostTypeAddGuestToChannel, wire.AddToTeam: model.PostTypeAddToTeam,
		wire.AddBotsChannels: model.PostTypeAddBotTeamsChannels, wire.Reminder: model.PostTypeReminder,
		wire.PropAttachments: model.PostPropsAttachments, wire.PropAddedUser: model.PostPropsAddedUserId,
		wire.PropFromWebhook: model.PostPropsFromWebhook, wire.PropFromBot: model.PostPropsFromBot, wire.PropFromPlugin: model.PostPropsFromPlugin,
		wire.RoleAdmin: model.SystemAdminRoleId, wire.RoleGuest: model.SystemGuestRoleId,
		wire.ChannelPrivate: string(model.ChannelTypePrivate), wire.ChannelDirect: string(model.ChannelTypeDirect), wire.ChannelGroup: string(model.ChannelTypeGroup),
		wire.StatusOK: model.StatusOk, wire.ActionButton: model.PostActionTypeButton,
		wire.ActionChallenge: string(model.WebsocketAuthenticationChallenge), wire.Hello: string(model.WebsocketEventHello),
		wire.Posted: string(model.WebsocketEventPosted), wire.PostEdited: string(model.WebsocketEventPostEdited), wire.PostDeleted: string(model.WebsocketEventPostDeleted),
		wire.ReactionAdded: string(model.WebsocketEventReactionAdded), wire.ReactionRemoved: string(model.WebsocketEventReactionRemoved),
		wire.UserAdded: string(model.WebsocketEventUserAdded), wire.UserRemoved: string(model.WebsocketEventUserRemoved),
		wire.UserUpdated: string(model.WebsocketEventUserUpdated), wire.UserRoleUpdated: string(model.WebsocketEventUserRoleUpdated),
		wire.DirectAdded: string(model.WebsocketEventDirectAdded), wire.GroupAdded: string(model.WebsocketEventGroupAdded),
		wire.LeaveTeam: string(model.WebsocketEventLeaveTeam), wire.AddedToTeam: string(model.WebsocketEventAddedToTeam),
		wire.ChannelUpdated: string(model.WebsocketEventChannelUpdated), wire.ChannelDeleted: string(model.WebsocketEventChannelDeleted),
		wire.ChannelRestored: string(model.WebsocketEventChannelRestored), wire.ChannelConverted: string(model.WebsocketEventChannelConverted),
	} {
		if ours != theirs {
			t.Errorf("%v is %v on the server", ours, theirs)
		}
	}
}

func TestID(t *testing.T) {
	for id, want := range map[string]bool{
		model.NewId(): true, "": false, strings.Repeat("a", 25): false, strings.Repeat("a", 27): false,
		"../../users/aaaaaaaaaaaaaa": false, strings.Repeat("é", 13): false, strings.Repeat("A", 26): true,
	} {
		if wire.IsID(id) != want {
			t.Errorf("%q: %v", id, !want)
		}
	}
}
