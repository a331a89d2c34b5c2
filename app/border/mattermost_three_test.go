//go:build linux

package border

import (
	"slices"
	"strings"
	"testing"

	"github.com/mattermost/mattermost/server/public/model"

	"parley/app/audit"
	"parley/app/chat"
	"parley/app/heartbeats"
	"parley/app/permissions"
	"parley/backend/chat/relay/port"
	"parley/backend/demo"
)

// Three users with different roles talk to Parley: one may prompt, one may answer,
// and one may do everything. Two questions and a heartbeat's are answered in threads, by those who
// may, and the page shows what the threads show.
func TestMattermostWithThree(t *testing.T) {
	t.Parallel()
	gate := demo.NewGate()
	o := employ(t, clerk(gate))
	t.Cleanup(gate.Open)
	t.Cleanup(o.adopt)
	cleo := o.server.AddUser("cleo", o.dev.TeamId)
	o.server.Rename(cleo.ID, "Cleo", "Park", "")
	o.server.AddMember(o.dev.Id, cleo.ID)
	state := call[chat.ChatState](o.watcher, "mattermost.get", m{})
	state.Config.Access = append([]port.ChatGrant{{Role: port.RoleApprove, UserID: cleo.ID, Name: "Cleo"}}, state.Config.Access...)
	state.Config.Calls = &port.ChatCalls{Who: "all"}
	call[chat.ChatState](o.watcher, "mattermost.set", m{"config": state.Config, "revision": state.Revision})
	ada, bob, may := o.server.As(o.ada.ID), o.server.As(o.bob.ID), o.server.As(cleo.ID)

	// asks waits for a question in a thread, and checks that the page shows it.
	asks := func(rootID, text string) *model.Post {
		t.Helper()
		q := o.posted(t, rootID, text)
		if !strings.Contains(q.Message, "@cleo, @ada") || strings.Contains(q.Message, "@bob") {
			t.Errorf("it names others: %q", q.Message)
		}
		open := call[permissions.PermissionList](o.watcher, "permission.list", m{}).Requests
		if !slices.ContainsFunc(open, func(one permissions.OpenQuestion) bool { return one.SessionID == o.in(rootID) }) {
			t.Errorf("the page has %+v", open)
		}
		return q
	}
	// saw checks what a thread and the page show of an answer.
	saw := func(q *model.Post, name, username string) {
		t.Helper()
		o.server.WaitFor(t, "who it was", func() bool { return strings.Contains(o.server.Post(q.Id).Message, "by "+name) })
		if strings.Contains(o.server.Post(q.Id).Message, "@cleo") {
			t.Error("people are still called")
		}
		by := call[audit.AuditPage](o.watcher, "audit.list", m{"by": "@" + username + " in Mattermost"}).Records
		if !slices.ContainsFunc(by, func(r audit.AuditRecord) bool { return r.Type != "chat" }) {
			t.Errorf("the audit log has %+v", by)
		}
	}

	root := bob.Post(o.dev.Id, "make a file")
	q := asks(root.Id, "```bash\ntouch made-in-chat\n```")
	o.reactable(t, q.Id, "+1")
	bob.React(q.Id, "+1")
	o.posted(t, root.Id, "Sorry, this needs permission to answer requests")
	if o.answered(root.Id) {
		t.Error("someone who may not has answered")
	}
	may.React(q.Id, "+1")
	o.posted(t, root.Id, "It is made: true.")
	saw(q, "Cleo Park", "cleo")

	may.Reply(root.Id, "ask me")
	q = asks(root.Id, "Which colour?")
	o.reactable(t, q.Id, "two")
	ada.Reply(root.Id, "2")
	o.posted(t, root.Id, `"Which colour?"="Blue"`)
	saw(q, "Ada Lovelace", "ada")

	o.beat(m{"name": "watch", "prompt": "make a file, watch", "destination": m{"channel": "Dev"}})
	run := call[heartbeats.HeartbeatRunResult](o.watcher, "heartbeat.run", m{"name": "watch"}).RecordID
	watch := ""
	o.server.WaitFor(t, "the question of the heartbeat", func() bool {
		for _, p := range o.server.Posts(o.dev.Id) {
			if p.UserId == o.bot.ID && p.RootId != "" && p.RootId != root.Id && strings.Contains(p.Message, "touch made-in-chat") && strings.Contains(p.Message, "Who can answer") {
				watch, q = p.RootId, p
			}
		}
		return watch != ""
	})
	if !strings.Contains(q.Message, "@cleo, @ada") {
		t.Errorf("it names others: %q", q.Message)
	}
	o.reactable(t, q.Id, "+1")
	may.React(q.Id, "+1")
	o.posted(t, watch, "It is made: true.")
	saw(q, "Cleo Park", "cleo")
	if r := o.over("watch", run); r.State != "finished" {
		t.Errorf("the run: %+v", r)
	}

	// Concurrently. The thread of a run contains what came after its question.
	for thread, from := range map[string]int{root.Id: 0, watch: 1} {
		whole := strings.Join(o.said(thread), "\n")
		authors := map[string]bool{}
		var texts []string
		for _, one := range o.messages(o.in(thread)) {
			if one.Author != nil {
				authors[one.Author.Username] = true
			}
			for _, b := range one.Blocks {
				if one.Role == "assistant" && b.Type == "text" {
					texts = append(texts, strings.TrimSpace(b.Text))
				}
			}
		}
		for _, text := range texts[from:] {
			if !strings.Contains(whole, text) {
				t.Errorf("the thread lacks %q", text)
			}
		}
		if thread == root.Id && (len(texts) != 3 || len(authors) != 2 || !authors["bob"] || !authors["cleo"]) {
			t.Errorf("the page has %q, and prompts by %v", texts, authors)
		}
	}
}
