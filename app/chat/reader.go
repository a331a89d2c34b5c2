package chat

import (
	"context"

	"parley/backend/chat"
	"parley/backend/chat/mattermost"
	"parley/backend/chat/relay"
)

// A Reader reads Mattermost over a connection. Its errors are faults.
type Reader struct {
	*mattermost.Client
	relay *relay.Relay
}

// Reader returns a reader, if there is a connection.
func (c *Service) Reader() (Reader, error) {
	link, err := c.live()
	if err != nil {
		return Reader{}, err
	}
	return Reader{link.client, link.relay}, nil
}

// Own returns the thread that mirrors a session, if there is one.
func (r Reader) Own(sessionID string) (id string, has bool) {
	t, has := r.relay.Thread(sessionID)
	return t.ID, has
}

// Thread returns the newest posts of a thread, at most most, oldest first.
func (r Reader) Thread(ctx context.Context, root string, most int) ([]chat.Post, error) {
	posts, err := r.Client.Thread(ctx, root, most)
	return posts, chatFault(err)
}

// Post returns a post by its id.
func (r Reader) Post(ctx context.Context, id string) (chat.Post, error) {
	post, err := r.Client.Post(ctx, id)
	return post, chatFault(err)
}
