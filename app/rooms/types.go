package rooms

import "parley/backend/event"

// Parameters and results of rooms, in which sessions and people talk to each other. A room is
// identified by its id, a message in it by its number (seq), which increases with every message.

// RoomList are the rooms, those with the newest messages first.
type RoomList struct {
	Rooms []Room `json:"rooms"`
	// Nick is the nickname of this Parley's user in rooms, MemberID their id there.
	Nick       string         `json:"nick"`
	MemberID   string         `json:"memberId"`
	Connection RoomConnection `json:"connection"`
}

// RoomConnection is the storage of rooms.
type RoomConnection struct {
	// Kind is "embedded" (on this machine) or "nats".
	Kind string `json:"kind"`
	// Server is the host of the NATS server, "" for embedded.
	Server    string `json:"server"`
	Connected bool   `json:"connected"`
	// Problem is a sentence about why it is not connected, "" if it is.
	Problem string `json:"problem"`
	// Waiting counts the messages waiting for the connection.
	Waiting int `json:"waiting"`
}

// Room is one room.
type Room struct {
	ID string `json:"id"`
	// Name is without "#". It is "" for a direct message.
	Name string `json:"name"`
	// Kind is "room" or "direct" (between two).
	Kind      string `json:"kind"`
	CreatedAt int64  `json:"createdAt"`
	// Pinned keeps the room without members and beyond its messages.
	Pinned bool      `json:"pinned"`
	Rules  RoomRules `json:"rules"`
	// Members are in the order in which they joined, at most 64.
	Members []RoomMember `json:"members"`
	// Barred are removed members who may not rejoin, at most 200.
	Barred []RoomMember `json:"barred"`
	// LastSeq and LastAt are of the newest message, 0 for none.
	LastSeq uint64 `json:"lastSeq"`
	LastAt  int64  `json:"lastAt"`
	// Unread counts the messages the user has not seen, at most 1,000; UnreadMentions those that
	// mention the user.
	Unread         int `json:"unread"`
	UnreadMentions int `json:"unreadMentions"`
	// ReadSeq is the last message the user has seen.
	ReadSeq uint64 `json:"readSeq"`
	// Turns counts the turns that messages started in the last hour. LimitedUntil is when sessions
	// may start turns again, 0 if they may now.
	Turns        int   `json:"turns"`
	LimitedUntil int64 `json:"limitedUntil"`
}

// RoomRules are the rules of a room.
type RoomRules struct {
	// Approval requires a user's approval before a session's message is delivered.
	Approval bool `json:"approval"`
	// Wake determines which messages start a turn in an idle session: "off", "mention" (those that
	// mention it, and all direct messages) or "any".
	Wake string `json:"wake"`
	// TurnsPerHour limits the turns that messages start, 0 to 1,000; 0 is no limit.
	TurnsPerHour int `json:"turnsPerHour"`
	// MaxHops limits consecutive messages of sessions without a user, 0 to 1,000; 0 is no limit.
	MaxHops int `json:"maxHops"`
}

// RoomMember is a member of a room.
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
	// State is "listening" (it waits for messages), "working" (a turn is running), "asking" (it
	// waits for a user's answer), "idle", "closed", "away" (its Parley has not been seen for a
	// while) or "here" (a user).
	State string `json:"state"`
	// DeliveredSeq and ReadSeq are the last message delivered to it and read by it, Unread is the
	// number of unread ones, at most 1,000.
	DeliveredSeq uint64 `json:"deliveredSeq"`
	ReadSeq      uint64 `json:"readSeq"`
	Unread       int    `json:"unread"`
}

// RoomRef names a room.
type RoomRef struct {
	RoomID string `json:"roomId"`
}

// RoomCreateParams creates a room.
type RoomCreateParams struct {
	// Name has 1 to 100 characters; case does not count.
	Name  string     `json:"name"`
	Rules *RoomRules `json:"rules,omitempty"`
}

// RoomDirectParams opens a direct message between the user and a session.
type RoomDirectParams struct {
	SessionID string `json:"sessionId"`
}

// RoomAddParams adds a session to a room.
type RoomAddParams struct {
	RoomID    string `json:"roomId"`
	SessionID string `json:"sessionId"`
	// Nick has 1 to 50 letters, digits, "_" and "-"; "" derives one from the title.
	Nick string `json:"nick,omitempty"`
}

// RoomMemberRef names a member.
type RoomMemberRef struct {
	RoomID   string `json:"roomId"`
	MemberID string `json:"memberId"`
}

// RoomMuteParams mutes or unmutes a member.
type RoomMuteParams struct {
	RoomID   string `json:"roomId"`
	MemberID string `json:"memberId"`
	Muted    bool   `json:"muted"`
}

// RoomWakeParams sets which messages start a turn in a member.
type RoomWakeParams struct {
	RoomID   string `json:"roomId"`
	MemberID string `json:"memberId"`
	// Wake is "off", "mention", "any", or "" for the room's rule.
	Wake string `json:"wake"`
}

// RoomPinParams pins or unpins a room.
type RoomPinParams struct {
	RoomID string `json:"roomId"`
	Pinned bool   `json:"pinned"`
}

// RoomRulesParams sets all rules of a room.
type RoomRulesParams struct {
	RoomID string    `json:"roomId"`
	Rules  RoomRules `json:"rules"`
}

// RoomMessagesParams requests messages. Without After and Before, it is the newest page.
type RoomMessagesParams struct {
	RoomID string `json:"roomId"`
	// After requests the oldest messages after a number, Before the newest ones before it. Only one
	// of them may be given.
	After  *uint64 `json:"after,omitempty"`
	Before *uint64 `json:"before,omitempty"`
	// Thread selects the messages of the thread of that message.
	Thread uint64 `json:"thread,omitempty"`
	// Limit is 1 to 200; 0 means 50. A page also ends at about 1 MB of text.
	Limit int `json:"limit,omitempty"`
}

// RoomMessages is a page, oldest first.
type RoomMessages struct {
	Messages []event.RoomMessage `json:"messages"`
	// More is true if there are more in the requested direction.
	More bool `json:"more"`
	// Waiting are the messages of this Parley's user and sessions waiting for the connection, with
	// the newest page only, at most 200.
	Waiting []event.RoomMessage `json:"waiting"`
}

// RoomSayParams posts a message as the user.
type RoomSayParams struct {
	RoomID string `json:"roomId"`
	// Text has at most 65,536 bytes.
	Text string `json:"text"`
	// ReplyTo is the number of the message it replies to.
	ReplyTo uint64 `json:"replyTo,omitempty"`
	// MessageID is chosen by the client, so that a resent message is posted once. "" generates one.
	MessageID string `json:"messageId,omitempty"`
}

// RoomSaidResult is the posted message.
type RoomSaidResult struct {
	Message event.RoomMessage `json:"message"`
}

// RoomReadParams records what the user has seen.
type RoomReadParams struct {
	RoomID string `json:"roomId"`
	Seq    uint64 `json:"seq"`
}

// RoomExportParams exports a room.
type RoomExportParams struct {
	RoomID string `json:"roomId"`
	Format string `json:"format"`
}

// RoomExport is a room as text.
type RoomExport struct {
	// Name is a suggested file name.
	Name string `json:"name"`
	Text string `json:"text"`
	// Truncated is true if it only has the newest 16 MB.
	Truncated bool `json:"truncated"`
}
