package chat

import (
	"context"
	"fmt"
	"strings"

	"parley/backend/chat"
	"parley/backend/chat/relay/command"
	"parley/backend/tmux"
)

// Alert posts in its thread what became of a terminal, and has reactions to the post answer
// what is asked.
func (c *Service) Alert(ctx context.Context, a tmux.Alert) error {
	link, err := c.live()
	if err != nil {
		return err
	}
	return postAlert(ctx, link.table, link.client, link.relay.Root(a.Watch.ThreadID), a)
}

// poster is what an alert needs of the chat.
type poster interface {
	Send(ctx context.Context, p chat.NewPost) (chat.Post, error)
}

// postAlert posts an alert as a reply to root, "" for none.
func postAlert(ctx context.Context, table *command.Table, to poster, root string, a tmux.Alert) error {
	reply := table.Alert(a)
	post, err := to.Send(ctx, chat.NewPost{
		Key:       fmt.Sprintf("term-%s-%d-%d", strings.TrimPrefix(a.Watch.PaneID, "%"), a.Watch.PID, a.At),
		ChannelID: a.Watch.ChannelID, RootID: root, Text: reply.Text,
	})
	if err == nil && reply.Screen != nil {
		table.Shown(post.ID, *reply.Screen)
	}
	return err
}
