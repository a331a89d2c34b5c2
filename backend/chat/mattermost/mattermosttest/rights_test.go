package mattermosttest_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/mattermost/mattermost/server/public/model"

	"parley/backend/chat/mattermost/mattermosttest"
)

// A role without a permission is refused as on a real server, and for no other reason; a
// scheme only affects its channel.
func TestRights(t *testing.T) {
	const user = model.ChannelUserRoleId
	ctx := context.Background()
	w := newWorld(t, mattermosttest.Options{})
	admin := w.AddAdmin("root", w.team.Id)
	guest := w.AddGuest("gus", w.team.Id)
	w.AddMember(w.ch.Id, guest.ID)
	other := w.AddChannel(w.team.Id, "other", w.bot.ID, w.ada.ID)
	mine, hers := w.As(w.bot.ID).Post(w.ch.Id, "mine"), w.As(w.ada.ID).Post(w.ch.Id, "hers")
	short, there := w.As(w.bot.ID).Post(w.ch.Id, "short"), w.As(w.bot.ID).Post(other.Id, "there")
	w.As(w.bot.ID).React(mine.Id, "eyes")
	c := w.client(t, w.bot)
	post := func(channelID string) error {
		_, _, err := c.CreatePost(ctx, &model.Post{ChannelId: channelID, Message: "x"})
		return err
	}
	edit := func(p *model.Post) error {
		_, _, err := c.PatchPost(ctx, p.Id, &model.PostPatch{Message: new("y")})
		return err
	}
	react := func(p *model.Post) error {
		_, _, err := c.SaveReaction(ctx, &model.Reaction{UserId: w.bot.ID, PostId: p.Id, EmojiName: "+1"})
		return err
	}
	unreact := func(p *model.Post) error {
		_, err := c.DeleteReaction(ctx, &model.Reaction{UserId: w.bot.ID, PostId: p.Id, EmojiName: "eyes"})
		return err
	}
	drop := func(p *model.Post) error {
		_, err := c.DeletePost(ctx, p.Id)
		return err
	}
	upload := func() error {
		_, _, err := c.UploadFile(ctx, []byte("x"), w.ch.Id, "x.txt")
		return err
	}
	tests := []struct {
		right *model.Permission
		do    func() error
	}{
		{model.PermissionCreatePost, func() error { return post(w.ch.Id) }},
		{model.PermissionEditPost, func() error { return edit(mine) }},
		{model.PermissionAddReaction, func() error { return react(mine) }},
		{model.PermissionRemoveReaction, func() error { return unreact(mine) }},
		{model.PermissionUploadFile, upload},
		{model.PermissionDeletePost, func() error { return drop(short) }},
	}
	for _, tt := range tests {
		t.Run(tt.right.Id, func(t *testing.T) {
			w.Take(user, tt.right)
			if err := post(w.ch.Id); err != nil && tt.right != model.PermissionCreatePost {
				t.Error("something else is refused:", err)
			}
			refused(t, tt.do(), http.StatusForbidden, "api.context.permissions.app_error")
			w.Give(user, tt.right)
			w.Scheme(w.ch.Id, tt.right)
			refused(t, tt.do(), http.StatusForbidden, "api.context.permissions.app_error")
			w.Scheme(w.ch.Id)
			if err := tt.do(); err != nil {
				t.Error("with the right:", err)
			}
		})
	}
	w.Scheme(w.ch.Id, model.PermissionCreatePost, model.PermissionEditPost)
	if err := post(other.Id); err != nil {
		t.Error("in another channel:", err)
	}
	if err := edit(there); err != nil {
		t.Error("in another channel:", err)
	}
	if _, err := w.Try(admin.ID).Edit(hers.Id, "an administrator's"); err != nil {
		t.Error("an administrator:", err)
	}
	if _, err := w.Try(guest.ID).Post(w.ch.Id, "hi"); err == nil {
		t.Error("a scheme is for guests, too")
	}
	w.Scheme(w.ch.Id)
	refused(t, edit(hers), http.StatusForbidden, "api.context.permissions.app_error")
	w.Give(user, model.PermissionEditOthersPosts)
	if err := edit(hers); err != nil {
		t.Error("others' posts:", err)
	}
}
