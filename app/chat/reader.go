package chat

import (
	"context"

	"parley/backend/chat"
	"parley/backend/chat/mattermost"
	"parley/backend/chat/relay"
	"parley/backend/chat/relay/port"
)

// reader implements [port.Reader].
type reader struct {
	*mattermost.Client
	relay *relay.Relay
}

// Reader returns a reader, if there is a connection.
func (c *Service) Reader() (port.Reader, error) {
	link, err := c.live()
	if err != nil {
		return nil, err
	}
	return reader{link.client, link.relay}, nil
}

// Own returns the thread that mirrors a session, if there is one.
func (r reader) Own(sessionID string) (id string, has bool) {
	t, has := r.relay.Thread(sessionID)
	return t.ID, has
}

// Thread returns the newest posts of a thread, at most most, oldest first.
func (r reader) Thread(ctx context.Context, root string, most int) ([]chat.Post, error) {
	posts, err := r.Client.Thread(ctx, root, most)
	return posts, chatFault(err)
}

// Post returns a post by its id.
func (r reader) Post(ctx context.Context, id string) (chat.Post, error) {
	post, err := r.Client.Post(ctx, id)
	return post, chatFault(err)
}
