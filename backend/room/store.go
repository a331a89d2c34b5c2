package room

import (
	"context"
	"errors"
	"time"
)

// ErrNotFound says that there is no such room.
var ErrNotFound = errors.New("no such room")

// Store keeps rooms. All its methods may be called from any goroutine.
type Store interface {
	// Rooms returns all rooms.
	Rooms(ctx context.Context) ([]Room, error)
	// Room returns one ([ErrNotFound]).
	Room(ctx context.Context, id string) (Room, error)
	// Change changes a room as one step, whoever else changes it, and returns it as it
	// is then. A room that does not exist comes as the zero value, with the id. change
	// may be called more than once, and its error is returned as it is.
	Change(ctx context.Context, id string, change func(*Room) error) (Room, error)
	// Delete removes a room and all that belongs to it, if it is as only wants it (nil:
	// in any case). Numbers continue.
	Delete(ctx context.Context, id string, only func(Room) bool) error

	// Append keeps a message and returns it with its number. One whose ID is kept
	// already is not kept again; the first is returned. Without a connection it is put
	// aside, comes back without a number, and is kept as soon as there is one.
	Append(ctx context.Context, m Message) (Message, error)
	// Waiting are the messages that were put aside, in order.
	Waiting(ctx context.Context) ([]Message, error)
	// Messages returns a page of a room's messages.
	Messages(ctx context.Context, room string, q Page) (Messages, error)

	// Progress returns that of all members of a room.
	Progress(ctx context.Context, room string) ([]Progress, error)
	// SetProgress replaces the progress of members.
	SetProgress(ctx context.Context, all []Progress) error

	// Prune drops what was said before a time, and what is too much.
	Prune(ctx context.Context, before time.Time) error
	// Watch has fn told of every change from then on, by whoever it was made: messages
	// of one room in the order of their numbers, each when it can be read. fn must return
	// soon and must not call the store. It is called before Start's end at the latest.
	Watch(fn func(Change))
	// Status says whether others can be reached.
	Status() Status
	// Close ends everything that the store began.
	Close() error
}

// Page says which messages to read.
type Page struct {
	// After reads forward from behind a number. With Backward it is from before Before,
	// 0 for the end, and the page is in the same order anyway.
	After    uint64
	Backward bool
	Before   uint64
	// Thread leaves out other messages than those of a thread, 0 for none.
	Thread uint64
	// Limit is the most messages, Bytes the most text: a page has one at least.
	Limit, Bytes int
}

// Messages is a page, the oldest first.
type Messages struct {
	Messages []Message
	// More is true when there are more that way.
	More bool
}

// Change is something that has changed. One of the fields is set.
type Change struct {
	// Message is new.
	Message *Message
	// Room was made or changed, Deleted is the id of one that is gone.
	Room    *Room
	Deleted string
	// Progress was written.
	Progress *Progress
	// Status may be another.
	Status bool
}

// Status is how a store stands.
type Status struct {
	// Kind is "embedded" or "nats".
	Kind string
	// Server is the host of the server, "" for embedded.
	Server    string
	Connected bool
	// Problem is a sentence when it is not connected.
	Problem string
	// Waiting counts messages that wait for the connection.
	Waiting int
}
