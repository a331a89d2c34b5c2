package event

// RoomsChanged reports that a room, its members or its rules have changed. It
// is sent at most ten times a second per room.
type RoomsChanged struct {
	NoHeader
	// RoomID is the room, "" for the connection, or for the user's identity.
	RoomID string `json:"roomId"`
	// Deleted is true if the room is gone.
	Deleted bool `json:"deleted"`
}

// RoomSaid reports a message in a room. One that waited for the connection is
// repeated with its number.
type RoomSaid struct {
	NoHeader
	Message RoomMessage `json:"message"`
	// ForPerson is true if it mentions the user at this Parley, or is a direct
	// message to them.
	ForPerson bool `json:"forPerson"`
}

// RoomReceipt reports a member's new state for the messages of others from
// FromSeq to ToSeq, inclusive.
type RoomReceipt struct {
	NoHeader
	RoomID  string `json:"roomId"`
	FromSeq uint64 `json:"fromSeq"`
	ToSeq   uint64 `json:"toSeq"`
	Receipt
}

// RoomMessage is a message in a room.
type RoomMessage struct {
	ID     string `json:"id"`
	RoomID string `json:"roomId"`
	// Seq is its number: it increases within a room, with gaps. 0 while it waits for
	// the connection.
	Seq uint64 `json:"seq"`
	At  int64  `json:"at"`
	// From is its author at that time.
	From RoomSpeaker `json:"from"`
	Text string      `json:"text"`
	// Mentions are the ids of mentioned members; All is true for @all.
	Mentions []string `json:"mentions"`
	All      bool     `json:"all"`
	// ReplyTo is the number of the message it replies to, 0 for none; Thread is the
	// first message of that thread.
	ReplyTo uint64 `json:"replyTo"`
	Thread  uint64 `json:"thread"`
	// Hops is how many consecutive session messages led to it since the last user
	// input.
	Hops int `json:"hops"`
	// Waiting is true while it waits for the connection.
	Waiting bool `json:"waiting"`
	// Receipts are those of all its recipients.
	Receipts []Receipt `json:"receipts"`
}

// RoomSpeaker is a message's author.
type RoomSpeaker struct {
	MemberID string `json:"memberId"`
	// Kind is "session" or "person".
	Kind string `json:"kind"`
	Nick string `json:"nick"`
	// SessionID is set for a session, Title is its title at that time.
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	// Host is the computer's own name. Here is true for this Parley.
	Host string `json:"host"`
	Here bool   `json:"here"`
}

// Receipt is a message's state with one member.
type Receipt struct {
	MemberID string `json:"memberId"`
	Nick     string `json:"nick"`
	// State is "accepted" (stored in the room), "delivered" (passed to the member's tool,
	// or sent as a prompt), "read" (its model continues with it), "answered" (it wrote
	// something afterwards, or its turn completed) or "failed".
	State string `json:"state"`
	// At is the time of that state, 0 for accepted.
	At int64 `json:"at"`
	// Reply is the number of its reply, 0 for none.
	Reply uint64 `json:"reply"`
	// Reason is why it failed, "" otherwise.
	Reason string `json:"reason"`
}

// EventName implementations.
func (*RoomsChanged) EventName() string { return "room.changed" }
func (*RoomSaid) EventName() string     { return "room.message" }
func (*RoomReceipt) EventName() string  { return "room.receipt" }
