package rooms

import "parley/backend/event"

// The parameters and results of rooms, in which sessions and people talk to each other.
// A room is known by its id, a message in it by its number (seq), which rises with every
// message.

// RoomList are the rooms, those with the newest messages first.
type RoomList struct {
	Rooms []Room `json:"rooms"`
	// Nick is how the user at this Parley is called in rooms, MemberID who they are
	// there.
	Nick       string         `json:"nick"`
	MemberID   string         `json:"memberId"`
	Connection RoomConnection `json:"connection"`
}

// RoomConnection is where rooms are kept.
type RoomConnection struct {
	// Kind is "embedded" (on this machine) or "nats".
	Kind string `json:"kind"`
	// Server is the host of the NATS server, "" for embedded.
	Server    string `json:"server"`
	Connected bool   `json:"connected"`
	// Problem is a sentence about why it is not connected, "" otherwise.
	Problem string `json:"problem"`
	// Waiting counts the messages that wait for the connection.
	Waiting int `json:"waiting"`
}

// Room is one room.
type Room struct {
	ID string `json:"id"`
	// Name is without "#". That of a direct room is "".
	Name string `json:"name"`
	// Kind is "room" or "direct" (between two).
	Kind      string `json:"kind"`
	CreatedAt int64  `json:"createdAt"`
	// Pinned keeps the room without members and beyond its messages.
	Pinned bool      `json:"pinned"`
	Rules  RoomRules `json:"rules"`
	// Members are in the order in which they joined, at most 64.
	Members []RoomMember `json:"members"`
	// Barred are those that were sent away and may not come back, at most 200.
	Barred []RoomMember `json:"barred"`
	// LastSeq and LastAt are of the newest message, 0 for none.
	LastSeq uint64 `json:"lastSeq"`
	LastAt  int64  `json:"lastAt"`
	// Unread counts what the user has not seen, at most 1,000; UnreadMentions those of
	// them that are for the user.
	Unread         int `json:"unread"`
	UnreadMentions int `json:"unreadMentions"`
	// ReadSeq is the last that the user has seen.
	ReadSeq uint64 `json:"readSeq"`
	// Turns counts how often sessions took up messages in the last hour. LimitedUntil is
	// when they may again, 0 while they may.
	Turns        int   `json:"turns"`
	LimitedUntil int64 `json:"limitedUntil"`
}

// RoomRules are what a user chose for a room.
type RoomRules struct {
	// Approval has a user asked before a message of a session is delivered.
	Approval bool `json:"approval"`
	// Wake says which messages begin a turn in a session that is idle: "off", "mention"
	// (those that name it, and all of a direct room) or "any".
	Wake string `json:"wake"`
	// TurnsPerHour bounds how often sessions may take up messages, 0 to 1,000; 0 is no
	// limit.
	TurnsPerHour int `json:"turnsPerHour"`
	// MaxHops bounds how many messages may lead to each other without a user, 0 to
	// 1,000; 0 is no limit.
	MaxHops int `json:"maxHops"`
}

// RoomMember is who is in a room.
type RoomMember struct {
	ID string `json:"id"`
	// Kind is "session" or "person".
	Kind      string `json:"kind"`
	Nick      string `json:"nick"`
	SessionID string `json:"sessionId"`
	// Title is the session's.
	Title string `json:"title"`
	// Host names the machine, Here is true for this Parley.
	Host     string `json:"host"`
	Here     bool   `json:"here"`
	JoinedAt int64  `json:"joinedAt"`
	Muted    bool   `json:"muted"`
	// Wake is its own rule, "" for the room's.
	Wake string `json:"wake"`
	// State is "listening" (it waits for messages), "working" (a turn is running),
	// "asking" (it waits for an answer of a user), "idle", "closed", "away" (its Parley
	// has not been heard for a while) or "here" (a user).
	State string `json:"state"`
	// DeliveredSeq and ReadSeq are how far it has come, Unread how many wait for it, at
	// most 1,000.
	DeliveredSeq uint64 `json:"deliveredSeq"`
	ReadSeq      uint64 `json:"readSeq"`
	Unread       int    `json:"unread"`
}

// RoomRef names a room.
type RoomRef struct {
	RoomID string `json:"roomId"`
}

// RoomCreateParams makes a room.
type RoomCreateParams struct {
	// Name has 1 to 100 characters; case does not count.
	Name  string     `json:"name"`
	Rules *RoomRules `json:"rules,omitempty"`
}

// RoomDirectParams opens the room of the user and a session.
type RoomDirectParams struct {
	SessionID string `json:"sessionId"`
}

// RoomAddParams brings a session into a room.
type RoomAddParams struct {
	RoomID    string `json:"roomId"`
	SessionID string `json:"sessionId"`
	// Nick has 1 to 50 letters, digits, "_" and "-"; "" makes one of the title.
	Nick string `json:"nick,omitempty"`
}

// RoomMemberRef names a member.
type RoomMemberRef struct {
	RoomID   string `json:"roomId"`
	MemberID string `json:"memberId"`
}

// RoomMuteParams forbids a member to say anything, or allows it again.
type RoomMuteParams struct {
	RoomID   string `json:"roomId"`
	MemberID string `json:"memberId"`
	Muted    bool   `json:"muted"`
}

// RoomWakeParams says which messages begin a turn in a member.
type RoomWakeParams struct {
	RoomID   string `json:"roomId"`
	MemberID string `json:"memberId"`
	// Wake is "off", "mention", "any", or "" for the room's rule.
	Wake string `json:"wake"`
}

// RoomPinParams keeps a room, or no longer.
type RoomPinParams struct {
	RoomID string `json:"roomId"`
	Pinned bool   `json:"pinned"`
}

// RoomRulesParams sets all rules of a room.
type RoomRulesParams struct {
	RoomID string    `json:"roomId"`
	Rules  RoomRules `json:"rules"`
}

// RoomMessagesParams asks for messages. Without After and Before it is the newest.
type RoomMessagesParams struct {
	RoomID string `json:"roomId"`
	// After asks for the oldest that are newer than a number, Before for the newest that
	// are older. Only one of them may be given.
	After  *uint64 `json:"after,omitempty"`
	Before *uint64 `json:"before,omitempty"`
	// Thread leaves out what does not belong to the thread of that message.
	Thread uint64 `json:"thread,omitempty"`
	// Limit is 1 to 200; 0 means 50. A page also ends at about 1 MB of text.
	Limit int `json:"limit,omitempty"`
}

// RoomMessages is a page, the oldest first.
type RoomMessages struct {
	Messages []event.RoomMessage `json:"messages"`
	// More is true when there are more in the direction that was asked for.
	More bool `json:"more"`
	// Waiting are the user's and the sessions' of this Parley that wait for the
	// connection, with the newest page only, at most 200.
	Waiting []event.RoomMessage `json:"waiting"`
}

// RoomSayParams says something as the user.
type RoomSayParams struct {
	RoomID string `json:"roomId"`
	// Text has at most 65,536 bytes.
	Text string `json:"text"`
	// ReplyTo is the number of the message that it answers.
	ReplyTo uint64 `json:"replyTo,omitempty"`
	// MessageID is chosen by the client, so that one that is sent again is said once. ""
	// has one made.
	MessageID string `json:"messageId,omitempty"`
}

// RoomSaidResult is what was said.
type RoomSaidResult struct {
	Message event.RoomMessage `json:"message"`
}

// RoomReadParams notes what the user has seen.
type RoomReadParams struct {
	RoomID string `json:"roomId"`
	Seq    uint64 `json:"seq"`
}

// RoomExportParams writes a room down.
type RoomExportParams struct {
	RoomID string `json:"roomId"`
	Format string `json:"format"`
}

// RoomExport is a room as text.
type RoomExport struct {
	// Name is one for a file.
	Name string `json:"name"`
	Text string `json:"text"`
	// Truncated is true when it is the newest 16 MB only.
	Truncated bool `json:"truncated"`
}
