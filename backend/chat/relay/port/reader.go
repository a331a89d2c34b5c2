package port

import (
	"context"

	"parley/backend/chat"
)

// Reader reads the chat. Its errors are faults.
type Reader interface {
	// Own returns the thread that mirrors a session, if there is one.
	Own(sessionID string) (id string, has bool)
	// Thread returns the newest posts of a thread, at most most, oldest first.
	Thread(ctx context.Context, root string, most int) ([]chat.Post, error)
	Post(ctx context.Context, id string) (chat.Post, error)
	// Link is the address of a post in a browser.
	Link(postID string) string
	Channel(ctx context.Context, id string) (chat.Channel, error)
	Person(ctx context.Context, id string) (chat.Person, error)
}
