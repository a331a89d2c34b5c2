package mattermost

import (
	"testing"

	"github.com/mattermost/mattermost/server/public/model"

	"parley/backend/chat"
	"parley/backend/chat/mattermost/mattermosttest"
)

// A server fetches a preview of an address in a post, unless the post has attachments.
func TestNothingIsLookedUp(t *testing.T) {
	g := newRig(t, mattermosttest.Options{})
	c := g.client()
	p, err := c.Send(t.Context(), chat.NewPost{Key: "answer", ChannelID: g.ch.Id, Text: "See https://evil.example/?q=secret"})
	if err != nil {
		t.Fatal(err)
	}
	has := func() bool { // its presence counts: a server replaces an empty list by null
		now := g.Post(p.ID)
		_, ok := now.GetProps()[model.PostPropsAttachments]
		return ok && len(now.Attachments()) == 0
	}
	if !has() {
		t.Errorf("properties: %+v", g.Post(p.ID).GetProps())
	}
	if err := c.Edit(t.Context(), p.ID, "See https://evil.example/?q=another", nil); err != nil || !has() {
		t.Errorf("after an edit: %v, %+v", err, g.Post(p.ID).GetProps())
	}
}
