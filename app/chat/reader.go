package chat

import (
	"context"

	"parley/backend/chat"
	"parley/backend/chat/mattermost"
	"parley/backend/chat/relay"
)

// A Reader reads the chat by way of a connection. Its errors are faults.
type Reader struct {
	*mattermost.Client
	relay *relay.Relay
}

// Reader reads the chat, while there is a connection.
func (c *Service) Reader() (Reader, error) {
	link, err := c.live()
	if err != nil {
		return Reader{}, err
	}
	return Reader{link.client, link.relay}, nil
}

// Own is the thread that a session is shown in, if it has one.
func (r Reader) Own(sessionID string) (id string, has bool) {
	t, has := r.relay.Thread(sessionID)
	return t.ID, has
}

// Thread are at most so many posts of a thread, the newest, oldest first.
func (r Reader) Thread(ctx context.Context, root string, most int) ([]chat.Post, error) {
	posts, err := r.Client.Thread(ctx, root, most)
	return posts, chatFault(err)
}

// Post is a post by its id.
func (r Reader) Post(ctx context.Context, id string) (chat.Post, error) {
	post, err := r.Client.Post(ctx, id)
	return post, chatFault(err)
}
