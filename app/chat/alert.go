package chat

import (
	"context"
	"fmt"
	"strings"

	"parley/backend/chat"
	"parley/backend/chat/relay/command"
	"parley/backend/tmux"
)

// Alert posts what happened to a terminal in its thread, and has reactions to the post answer its
// request.
func (c *Service) Alert(ctx context.Context, a tmux.Alert) error {
	link, err := c.live()
	if err != nil {
		return err
	}
	return postAlert(ctx, link.table, link.client, link.relay.Root(a.Watch.ThreadID), a)
}

// poster is the part of the chat an alert needs.
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
