package command_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
	"parley/backend/tmux"
)

// TestLastingChoices: the right to answer once doesn't include lasting
// choices.
func TestLastingChoices(t *testing.T) {
	for _, tt := range []struct {
		role   port.ChatRole
		choose string
		want   []string
	}{
		{port.RoleApprove, "1", []string{"choose 1 in code"}},
		{port.RoleApprove, "2", nil},
		{port.RoleApprove, "3", []string{"choose 3 in code"}},
		{port.RoleApprove, "4", nil},
		{port.RoleAdmin, "2", []string{"choose 2 in code"}},
	} {
		w := newWorld()
		w.screen.Options = []tmux.Option{{Number: 1, Label: "Yes"}, {Number: 2, Label: "Yes, and don't ask again for make"}, {Number: 3, Label: "No"}, {Number: 4, Label: "Always"}}
		table := command.New(w.ports())
		by := in()
		by.Role = tt.role
		give(t, table, "!session code", by)
		reply := give(t, table, "!session code choose "+tt.choose, by)
		if diff := cmp.Diff(tt.want, w.done); diff != "" {
			t.Errorf("%s chose %s: %s", tt.role, tt.choose, diff)
		}
		if refused := strings.Contains(reply.Text, "the role admin"); refused != (tt.want == nil) {
			t.Errorf("%s chose %s: %q", tt.role, tt.choose, reply.Text)
		}
	}
}

// TestHidden: in a thread that doesn't show its session nothing reaches the
// session.
func TestHidden(t *testing.T) {
	hidden := in()
	hidden.Thread, hidden.Hidden = nil, true
	for _, text := range given() {
		w := newWorld()
		reply := give(t, command.New(w.ports()), text, hidden)
		if reply.Prompt != "" || reply.Folder != "" || reply.Ended || len(reply.Files) > 0 {
			t.Errorf("%s: %+v", text, reply)
		}
		for _, done := range w.done {
			if strings.Contains(done, " s1") {
				t.Errorf("%s did %q", text, done)
			}
		}
	}
	for _, text := range []string{"!export", "!stop", "!loop 5m x", "!compact", "!cd /srv"} {
		if got := give(t, command.New(newWorld().ports()), text, hidden).Text; !strings.Contains(got, "Mirroring of this session is paused") {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestRememberForAll: a memory for all sessions requires more than one for the
// thread's.
func TestRememberForAll(t *testing.T) {
	w := newWorld()
	table := command.New(w.ports())
	by := in()
	by.Role = port.RolePrompt
	give(t, table, "!memory save x", by)
	by.Thread = nil
	if got := give(t, table, "!memory save y", by).Text; !strings.Contains(got, "the role admin") {
		t.Error(got)
	}
	by.Role = port.RoleAdmin
	give(t, table, "!memory save z", by)
	if diff := cmp.Diff([]string{`remember of ada in s1: "x"`, `remember of ada in : "z"`}, w.done); diff != "" {
		t.Error(diff)
	}
}
