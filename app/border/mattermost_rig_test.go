//go:build linux

package border

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mattermost/mattermost/server/public/model"

	"parley/app/chat"
	"parley/backend/chat/mattermost/mattermosttest"
	"parley/backend/chat/relay/port"
	"parley/backend/demo"
	"parley/backend/event"
)

// office is a Mattermost with a Parley in it. Ada may do everything, Bob may prompt, and
// Mallory has no rights.
type office struct {
	*parley
	server            *mattermosttest.Server
	bot               mattermosttest.User
	ada, bob, mallory mattermosttest.User
	dev, plans        *model.Channel
	// direct is Ada's direct message channel with Parley.
	direct *model.Channel
}

// employ starts a Parley that follows the channels dev and plans, and direct messages.
func employ(t *testing.T, script demo.Script, env ...string) *office {
	t.Helper()
	o := &office{server: mattermosttest.New(t, mattermosttest.Options{})}
	team := o.server.AddTeam("ops")
	o.bot = o.server.AddBot("parley", team.Id)
	o.ada, o.bob, o.mallory = o.server.AddUser("ada", team.Id), o.server.AddUser("bob", team.Id), o.server.AddUser("mallory", team.Id)
	o.server.Rename(o.ada.ID, "Ada", "Lovelace", "")
	everybody := []string{o.bot.ID, o.ada.ID, o.bob.ID, o.mallory.ID}
	o.dev, o.plans = o.server.AddChannel(team.Id, "dev", everybody...), o.server.AddChannel(team.Id, "plans", everybody...)
	o.direct = o.server.AddDirect(o.ada.ID, o.bot.ID)
	o.parley = startWith(t, script, setup{env: append(env, "PARLEY_MATTERMOST_TOKEN="+o.bot.Token, "PARLEY_MATTERMOST_URL="+o.server.URL())})
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		for _, r := range o.mainRequests() {
			t.Logf("the model was asked %.200q", r.Text)
		}
		for _, ch := range []*model.Channel{o.dev, o.plans} {
			for _, p := range o.server.Posts(ch.Id) {
				t.Logf("%s %s (in %s): %.300q %v", ch.Name, p.Id, p.RootId, p.Message, o.server.Reactions(p.Id))
			}
		}
	})
	o.secrets = append(o.secrets, o.bot.Token)
	o.watcher.subscribe("session.*", "chat.*")
	state := call[chat.ChatState](o.watcher, "mattermost.get", m{})
	if state.Token != "environment" || state.Config.URL != o.server.URL() || state.Connection.State != "off" {
		t.Fatalf("before anything was decided: %+v", state)
	}
	config := port.ChatConfig{
		Enabled: true, URL: o.server.URL(), TeamID: team.Id, MirrorChannelID: o.dev.Id,
		Channels: []port.ChatMapping{
			{ChannelID: o.dev.Id, Name: "Dev", Folder: o.path("work")},
			{ChannelID: o.plans.Id, Name: "Plans", Folder: o.path("work"), PermissionMode: "plan"},
		},
		Direct: &port.ChatMapping{Name: "Direct", Folder: o.path("work")},
		Access: []port.ChatGrant{
			{Role: port.RoleAdmin, UserID: o.ada.ID, Name: "Ada"}, {Role: port.RolePrompt, UserID: o.bob.ID, Name: "Bob"},
		},
	}
	call[chat.ChatState](o.watcher, "mattermost.set", m{"config": config, "revision": state.Revision})
	o.connected()
	return o
}

// connected waits for the connection.
func (o *office) connected() {
	o.t.Helper()
	o.until("a connection to the chat", func() bool {
		return call[chat.ChatState](o.watcher, "mattermost.get", m{}).Connection.State == "connected" && o.server.Sockets(o.bot.ID) == 1
	})
}

// thread returns the posts of a thread; a direct message is one.
func (o *office) thread(rootID string) []*model.Post {
	if p := o.server.Post(rootID); p != nil && p.ChannelId == o.direct.Id {
		return o.server.Posts(o.direct.Id)
	}
	return o.server.Thread(rootID)
}

// said returns Parley's texts in a thread.
func (o *office) said(rootID string) []string {
	var texts []string
	for _, p := range o.thread(rootID) {
		if p.UserId == o.bot.ID && p.DeleteAt == 0 {
			texts = append(texts, p.Message)
		}
	}
	return texts
}

// posted waits for a post of Parley in a thread that contains a text, and returns it.
func (o *office) posted(t *testing.T, rootID, text string) (found *model.Post) {
	t.Helper()
	o.server.WaitFor(t, fmt.Sprintf("%q", text), func() bool {
		for _, p := range o.thread(rootID) {
			if p.UserId == o.bot.ID && p.DeleteAt == 0 && strings.Contains(p.Message, text) {
				found = p
				return true
			}
		}
		return false
	})
	return found
}

// reactable waits until Parley offers a reaction to a post.
func (o *office) reactable(t *testing.T, postID, emoji string) {
	t.Helper()
	o.server.WaitFor(t, ":"+emoji+":", func() bool {
		return slices.ContainsFunc(o.server.Reactions(postID), func(r string) bool { return strings.Contains(r, emoji) })
	})
}

// in returns the session of a thread.
func (o *office) in(rootID string) (id string) {
	o.t.Helper()
	o.until("the thread's session", func() bool {
		for _, one := range call[chat.ChatThreads](o.watcher, "mattermost.threads", m{}).Threads {
			if one.ThreadID == rootID {
				id = one.SessionID
			}
		}
		return id != ""
	})
	return id
}

// adopt marks the turns that started in the chat as accepted.
func (o *office) adopt() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.watcher.all() {
		if e, ok := s.Event.(*event.UserMessage); ok && e.Author != nil {
			o.accepted[e.TurnID] = true
		}
	}
}

// long is an answer that needs several posts.
func long() string {
	var b strings.Builder
	for i := 1; b.Len() < 60_000; i++ {
		fmt.Fprintf(&b, "Line %05d of an answer that is far too long for one post.\n\n", i)
	}
	return b.String()
}

// clerk answers depending on the prompt.
func clerk(gate *demo.Gate) demo.ScriptFunc {
	plan := demo.ScriptFunc(planner)
	return func(r demo.Request) demo.Reply {
		asked := func(words string) bool { return strings.Contains(r.Text, words) }
		switch {
		case r.Kind != demo.Main:
			return demo.Default(r)
		case asked("make a file"):
			if result, ok := r.Result("Bash"); ok {
				return demo.Say(fmt.Sprintf("It is made: %v.", !result.IsError))
			}
			return demo.Answer(demo.Text("I make it. "), bash("touch made-in-chat"))
		case asked("ask me"):
			if result, ok := r.Result("AskUserQuestion"); ok {
				return demo.Say("So it is " + result.Text)
			}
			return demo.Use("AskUserQuestion", m{"questions": []m{{"question": "Which colour?", "header": "Colour", "multiSelect": false, "options": []m{
				{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}}}}})
		case asked("plan it"):
			return plan.Reply(r)
		case asked("wait"):
			return demo.Answer(demo.Text("I begin to wait. "), demo.Wait(gate), demo.Text("Over."))
		case asked("tell me everything"):
			return demo.Say(long())
		case asked("read the thread"):
			if result, ok := r.Result("mcp__parley__get_thread_content"); ok {
				return demo.Say("It says: " + result.Text)
			}
			return demo.Use("mcp__parley__get_thread_content", m{"limit": 3})
		case asked("remember"):
			switch result, ok := r.Result("mcp__parley__save_memory"); {
			case !ok:
				return demo.Use("mcp__parley__save_memory", m{"text": "likes tea", "scope": "general", "about": "bob"})
			case result.IsError:
				return demo.Use("mcp__parley__save_memory", m{"text": "likes tea", "about": "bob"})
			default:
				return demo.Say("Remembered: " + result.Text)
			}
		case asked("what is on it"):
			for _, one := range r.Messages {
				for _, b := range one.Blocks {
					if b.Type == "image" {
						return demo.Say("There is a picture.")
					}
				}
			}
			return demo.Say("There is none.")
		}
		return demo.Say("You said: " + r.Text)
	}
}

// resultOf is the result of a tool of Parley's that a model received.
func (o *office) resultOf(t *testing.T, tool string) (text string, ok bool) {
	t.Helper()
	for _, r := range o.mainRequests() {
		if result, is := r.Result("mcp__parley__" + tool); is {
			return result.Text, true
		}
	}
	return "", false
}

// answered reports whether the question of a thread's session was answered.
func (o *office) answered(rootID string) bool {
	return o.session(o.in(rootID)).OpenQuestions == 0
}
