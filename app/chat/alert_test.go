package chat

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/backend/chat"
	"parley/backend/chat/relay/command"
	"parley/backend/tmux"
)

// sentPosts records posts, or fails.
type sentPosts struct {
	posts []chat.NewPost
	err   error
}

func (s *sentPosts) Send(_ context.Context, p chat.NewPost) (chat.Post, error) {
	s.posts = append(s.posts, p)
	return chat.Post{ID: "post"}, s.err
}

// An alert goes to its thread, where reactions answer it.
func TestAlert(t *testing.T) {
	asks := tmux.Screen{
		Pane: tmux.Pane{ID: "%1", Target: "code:0.0", Folder: "/work/sub", PID: 7, State: tmux.Permission}, State: tmux.Permission, Text: "the screen",
		Asked: "Bash command\nrm it", Whole: true, Fingerprint: "f-0.0", Options: []tmux.Option{{Number: 1, Label: "Yes"}, {Number: 2, Label: "No"}},
	}
	a := tmux.Alert{Watch: tmux.Watch{Target: "code:0.0", PaneID: "%1", PID: 7, ChannelID: "c", ThreadID: "t"}, Screen: asks, What: "permission", At: 5}
	table, to := command.New(command.Ports{}), &sentPosts{}
	if err := postAlert(t.Context(), table, to, "root", a); err != nil || len(to.posts) != 1 {
		t.Fatalf("%+v %v", to.posts, err)
	}
	if p := to.posts[0]; p.Key != "term-1-7-5" || p.ChannelID != "c" || p.RootID != "root" || !strings.Contains(p.Text, "rm it") {
		t.Errorf("%+v", p)
	}
	if call, ok := table.Reaction("post", "white_check_mark"); !ok || call.Name != "session" || call.Text != "%1 approve" {
		t.Errorf("%+v %v", call, ok)
	}
	to.err = chat.ErrOffline
	if err := postAlert(t.Context(), table, to, "root", a); !errors.Is(err, chat.ErrOffline) {
		t.Error(err)
	}
}
