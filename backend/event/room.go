package event

// RoomsChanged says that a room, its members or its rules have changed. It is
// sent at most ten times a second for each room.
type RoomsChanged struct {
	Whole
	// RoomID is the room, "" when it is the connection, or who the user is.
	RoomID string `json:"roomId"`
	// Deleted is true when the room is gone.
	Deleted bool `json:"deleted"`
}

// RoomSaid says that somebody said something in a room. One that waited for the
// connection comes a second time, with its number.
type RoomSaid struct {
	Whole
	Message RoomMessage `json:"message"`
	// ForPerson is true when it mentions the user at this Parley, or is said to them
	// alone.
	ForPerson bool `json:"forPerson"`
}

// RoomReceipt says how far messages have come with a member: those of others from
// FromSeq to ToSeq, both included.
type RoomReceipt struct {
	Whole
	RoomID  string `json:"roomId"`
	FromSeq uint64 `json:"fromSeq"`
	ToSeq   uint64 `json:"toSeq"`
	Receipt
}

// RoomMessage is something that was said in a room.
type RoomMessage struct {
	ID     string `json:"id"`
	RoomID string `json:"roomId"`
	// Seq is its number: it rises with every message of a room, with holes. 0 while it
	// waits for the connection.
	Seq uint64 `json:"seq"`
	At  int64  `json:"at"`
	// From is who said it, as it was then.
	From RoomSpeaker `json:"from"`
	Text string      `json:"text"`
	// Mentions are the ids of the members that it names; All is true for @all.
	Mentions []string `json:"mentions"`
	All      bool     `json:"all"`
	// ReplyTo is the number of the message that it answers, 0 for none; Thread is the
	// first message of that thread.
	ReplyTo uint64 `json:"replyTo"`
	Thread  uint64 `json:"thread"`
	// Hops is how many messages of sessions led to it, one after the other, since a
	// user had a say.
	Hops int `json:"hops"`
	// Waiting is true while it waits for the connection.
	Waiting bool `json:"waiting"`
	// Receipts are of every other member that it was for.
	Receipts []Receipt `json:"receipts"`
}

// RoomSpeaker is who said something.
type RoomSpeaker struct {
	MemberID string `json:"memberId"`
	// Kind is "session" or "person".
	Kind string `json:"kind"`
	Nick string `json:"nick"`
	// SessionID is set for a session, Title is its title then.
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	// Host names the machine, as it names itself. Here is true for this Parley.
	Host string `json:"host"`
	Here bool   `json:"here"`
}

// Receipt is how far a message has come with one member.
type Receipt struct {
	MemberID string `json:"memberId"`
	Nick     string `json:"nick"`
	// State is "accepted" (it is kept in the room), "delivered" (handed to the member's
	// tool, or put to it as a prompt), "read" (its model continues with it), "answered" (it
	// said something after that, or its turn with it ended well) or "failed".
	State string `json:"state"`
	// At is when that was, 0 for accepted.
	At int64 `json:"at"`
	// Reply is the number of what it said then, 0 for nothing.
	Reply uint64 `json:"reply"`
	// Reason says why it failed, "" otherwise.
	Reason string `json:"reason"`
}

// EventName implementations.
func (*RoomsChanged) EventName() string { return "room.changed" }
func (*RoomSaid) EventName() string     { return "room.message" }
func (*RoomReceipt) EventName() string  { return "room.receipt" }
