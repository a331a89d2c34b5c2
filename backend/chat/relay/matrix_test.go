package relay_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/backend/chat"
	"parley/backend/chat/relay/port"
)

// With the real gate: what each role reaches on each inbound path. Anything not in
// the table reaches neither a session nor a command.
func TestWhoReachesWhat(t *testing.T) {
	type act func(w *world, root chat.Post)
	reply := func(w *world, root chat.Post, text string, files ...chat.File) chat.Post {
		return w.write("zoe", root.ID, text, files...)
	}
	react := func(w *world, emoji string) {
		mine := w.post("post002")
		w.tell(chat.ReactionAdded{Post: mine, Reaction: chat.Reaction{PostID: mine.ID, PersonID: "zoe", Emoji: emoji, At: 1}})
	}
	paths := []struct {
		name string
		do   act
		// least is the required role.
		least port.ChatRole
	}{
		{"post", func(w *world, _ chat.Post) { w.write("zoe", "", "zoe's") }, port.RolePrompt},
		{"reply", func(w *world, root chat.Post) { reply(w, root, "zoe's") }, port.RolePrompt},
		{"file", func(w *world, root chat.Post) {
			w.chat.files["f"] = []byte("zoe's")
			reply(w, root, "", chat.File{ID: "f", Name: "zoe's", MediaType: "text/plain", Bytes: 5})
		}, port.RolePrompt},
		{"command to read", func(w *world, root chat.Post) { reply(w, root, "!help") }, port.RoleWatch},
		{"command", func(w *world, root chat.Post) { reply(w, root, "!compact") }, port.RolePrompt},
		{"command to change", func(w *world, root chat.Post) { reply(w, root, "!kill") }, port.RoleAdmin},
		{"emoji", func(w *world, _ chat.Post) { react(w, "tada") }, port.RolePrompt},
		{"interrupt by emoji", func(w *world, _ chat.Post) { react(w, "warning") }, port.RolePrompt},
		{"kill by emoji", func(w *world, _ chat.Post) { react(w, "skull") }, port.RoleAdmin},
		{"fake of another's", func(w *world, root chat.Post) {
			w.tell(chat.Posted{Post: chat.Post{ID: "fake", ChannelID: room, RootID: root.ID, AuthorID: "anna", Text: "zoe's", Automated: true}})
		}, "nobody"},
	}
	ranks := map[port.ChatRole]int{port.RoleNone: 0, port.RoleWatch: 1, port.RolePrompt: 2, port.RoleApprove: 3, port.RoleAdmin: 4, "nobody": 5}
	for _, role := range []port.ChatRole{port.RoleNone, port.RoleWatch, port.RolePrompt, port.RoleApprove, port.RoleAdmin} {
		for _, path := range paths {
			t.Run(fmt.Sprintf("%s by %q", path.name, role), func(t *testing.T) {
				bubble(t, func(w *world) {
					w.stop()
					w.gate = nil // the real one
					w.commands.needs = map[string]port.ChatRole{"help": port.RoleWatch, "kill": port.RoleAdmin}
					w.config.Enabled = true
					w.config.Access = []port.ChatGrant{{Role: port.RoleAdmin, UserID: "anna"}}
					if role != port.RoleNone {
						w.config.Access = append(w.config.Access, port.ChatGrant{Role: role, UserID: "zoe"})
					}
					w.start()
					root := w.write("anna", "", "anna's")
					w.pass(2 * time.Second)
					path.do(w, root)
					w.pass(2 * time.Second)
					w.commands.mu.Lock()
					runs := len(w.commands.runs)
					w.commands.mu.Unlock()
					reached := len(w.texts())-1+runs > 0
					if want := ranks[role] >= ranks[path.least]; reached != want {
						t.Errorf("reached: %v, want %v: %q, %q", reached, want, w.texts(), w.commands.runs)
					}
					if role == port.RoleNone && strings.Contains(strings.Join(w.texts(), ""), "zoe") {
						t.Errorf("%q", w.texts())
					}
				})
			})
		}
	}
}

// Whether a post may be edited or deleted depends on its author's rights at
// that time.
func TestEditAfterRightsAreGone(t *testing.T) {
	bubble(t, func(w *world) {
		p := w.write("anna", "", "one")
		w.pass(10 * time.Millisecond)
		w.write("anna", p.ID, "two")
		three := w.write("anna", p.ID, "three")
		w.pass(10 * time.Millisecond)
		w.gate.mu.Lock()
		w.gate.allowed["anna"] = false
		w.gate.mu.Unlock()
		three.Text, three.EditedAt = "evil", 1
		w.tell(chat.Edited{Post: three})
		w.pass(5 * time.Second)
		w.wantPrompts("one", "two", "three")
	})
}
