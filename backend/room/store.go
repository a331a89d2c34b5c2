package room

import (
	"context"
	"errors"
	"time"
)

// ErrNotFound means that there is no such room.
var ErrNotFound = errors.New("no such room")

// Store stores rooms. All its methods may be called from any goroutine.
type Store interface {
	// Rooms returns all rooms.
	Rooms(ctx context.Context) ([]Room, error)
	// Room returns one ([ErrNotFound]).
	Room(ctx context.Context, id string) (Room, error)
	// Change atomically changes a room and returns the result. A missing room is
	// passed as the zero value with the id. change may be called more than once, and
	// its error is returned unchanged.
	Change(ctx context.Context, id string, change func(*Room) error) (Room, error)
	// Delete removes a room with everything in it, if only accepts its state (nil:
	// always). Numbers continue.
	Delete(ctx context.Context, id string, only func(Room) bool) error

	// Append stores a message and returns it with its number. A message with an
	// already stored ID isn't stored again; the first is returned. Without a
	// connection it is queued, returned without a number, and stored once there is
	// one.
	Append(ctx context.Context, m Message) (Message, error)
	// Waiting returns the queued messages, in order.
	Waiting(ctx context.Context) ([]Message, error)
	// Messages returns a page of a room's messages.
	Messages(ctx context.Context, room string, q Page) (Messages, error)

	// Progress returns the progress of all members of a room.
	Progress(ctx context.Context, room string) ([]Progress, error)
	// SetProgress replaces the progress of members.
	SetProgress(ctx context.Context, all []Progress) error

	// Prune removes messages from before a time, and excess ones.
	Prune(ctx context.Context, before time.Time) error
	// Watch calls fn for every later change, whoever made it: messages of a room in
	// order, each once it can be read. fn must return quickly and must not call the
	// store. It must be called before Start returns.
	Watch(fn func(Change))
	// Status returns whether others can be reached.
	Status() Status
	// Close stops everything that the store started.
	Close() error
}

// Page selects messages.
type Page struct {
	// After reads forward after a number. With Backward it reads before Before, 0 for
	// the end; the page is still in ascending order.
	After    uint64
	Backward bool
	Before   uint64
	// Thread selects the messages of a thread, 0 for all.
	Thread uint64
	// Limit is the maximum number of messages, Bytes of text: a page has at least
	// one message.
	Limit, Bytes int
}

// Messages is a page, oldest first.
type Messages struct {
	Messages []Message
	// More is true if there are more in that direction.
	More bool
}

// Change is a change in the store. One of the fields is set.
type Change struct {
	// Message is new.
	Message *Message
	// Room was created or changed, Deleted is the id of a removed one.
	Room    *Room
	Deleted string
	// Progress was written.
	Progress *Progress
	// Status may have changed.
	Status bool
}

// Status is the state of a store.
type Status struct {
	// Kind is "embedded" or "nats".
	Kind string
	// Server is the server's host, "" for embedded.
	Server    string
	Connected bool
	// Problem is a sentence if it isn't connected.
	Problem string
	// Waiting counts messages waiting for the connection.
	Waiting int
}
