//go:build linux

package border

import (
	"strings"
	"testing"

	"github.com/mattermost/mattermost/server/public/model"

	"parley/app/chat"
	"parley/backend/chat/mattermost/mattermosttest"
	"parley/backend/chat/relay/port"
	"parley/backend/demo"
)

// A Parley killed in the middle of a turn continues with its threads, and does
// nothing twice.
func TestMattermostAfterACrash(t *testing.T) {
	t.Parallel()
	gate := demo.NewGate()
	o := employ(t, clerk(gate))
	t.Cleanup(gate.Open)
	t.Cleanup(o.adopt)
	ada := o.server.As(o.ada.ID)
	root := ada.Post(o.dev.Id, "hello")
	o.posted(t, root.Id, "You said: ")
	ada.Reply(root.Id, "wait for me")
	o.posted(t, root.Id, "I begin to wait.")
	id := o.in(root.Id)
	o.adopt()
	o.kill()
	o.nothingLeft()
	ada.Reply(root.Id, "said while nobody was there")
	o.again()
	o.watcher.subscribe("session.*", "chat.*")
	o.connected()
	o.posted(t, root.Id, "said while nobody was there")
	ada.Reply(root.Id, "and now?")
	o.posted(t, root.Id, "and now?")
	if now := o.in(root.Id); now != id {
		t.Errorf("the thread has the session %s, and had %s", now, id)
	}
	asked := map[string]int{}
	for _, r := range o.mainRequests() {
		if r.Fresh {
			_, text, _ := strings.Cut(r.Text, "]\n")
			asked[text]++
		}
	}
	for _, text := range []string{"hello", "wait for me", "said while nobody was there", "and now?"} {
		if asked[text] != 1 {
			t.Errorf("%q was asked %d times: %v", text, asked[text], asked)
		}
	}
	times := map[string]int{}
	for _, text := range o.said(root.Id) {
		text, _, _ = strings.Cut(text, "\n\n_claude-") // the result of the killed run may be unknown
		times[text]++
		if times[text] > 1 {
			t.Errorf("%d times in the thread: %q", times[text], text)
		}
	}
	for _, one := range o.messages(id) {
		if one.Role == "user" && !one.Synthetic && (one.Author == nil || one.Author.Username != "ada" || strings.Contains(one.Blocks[0].Text, "[Parley")) {
			t.Errorf("after the restart a prompt is by %+v: %q", one.Author, one.Blocks[0].Text)
		}
	}
}

// While a configuration is being checked, which a server may delay, a newer
// one is applied at once.
func TestMattermostFollowsTheNewestConfiguration(t *testing.T) {
	t.Parallel()
	o := employ(t, demo.ScriptFunc(demo.Default))
	const looks = "GET /channels/{channel_id}"
	o.until("a look at both channels", func() bool { return o.server.Calls(o.bot.ID)[looks] >= 2 })
	o.server.Faults(mattermosttest.Fault{What: mattermosttest.HangBefore, Route: looks, User: o.bot.ID, Times: 100})
	before := o.server.Calls(o.bot.ID)[looks]
	set := func(change func(c *port.ChatConfig)) {
		state := call[chat.ChatState](o.watcher, "mattermost.get", m{})
		change(&state.Config)
		call[chat.ChatState](o.watcher, "mattermost.set", m{"config": state.Config, "revision": state.Revision})
	}
	set(func(c *port.ChatConfig) {
		c.Channels = append(c.Channels, port.ChatMapping{ChannelID: model.NewId(), Name: "Elsewhere", Folder: o.path("work")})
	})
	o.until("a look at the new channel", func() bool { return o.server.Calls(o.bot.ID)[looks] > before })
	set(func(c *port.ChatConfig) { c.Enabled = false })
	o.until("the end of the connection", func() bool {
		return call[chat.ChatState](o.watcher, "mattermost.get", m{}).Connection.State == "off"
	})
	// The client tries four times before it gives up.
	if tries := o.server.Calls(o.bot.ID)[looks] - before; tries > 2 {
		t.Errorf("it was followed only after %d tries to look", tries)
	}
}
