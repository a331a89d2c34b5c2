package model

import "encoding/json"

// Author is who wrote a prompt in a chat.
type Author struct {
	Via      string `json:"via"`
	Username string `json:"username"`
	Name     string `json:"name"`
}

// MaxAuthored is of how many prompts of a session it is kept who wrote them, and of how
// many deeds who did them: the newest.
const MaxAuthored = 5000

// Authored says who wrote a prompt, because the CLI's transcript does not. It stays with
// the session.
type Authored struct {
	// TurnID is the CLI's uuid of the prompt.
	TurnID    string `json:"turnId"`
	SessionID string `json:"sessionId"`
	Author    Author `json:"author"`
	// Lead is the line that the prompt begins with in the transcript, "" for none.
	Lead string `json:"lead,omitempty"`
	At   int64  `json:"at"`
}

// Deed says who did something in a conversation, because the CLI's transcript does not: who
// stopped a turn, or answered the question about a tool use in a chat or with words of
// their own. It stays with the session.
type Deed struct {
	// ID is the turn's or the tool use's.
	ID        string `json:"id"`
	SessionID string `json:"sessionId"`
	By        string `json:"by"`
	// Said is true when what the tool use came to is what they said instead.
	Said bool  `json:"said,omitempty"`
	At   int64 `json:"at"`
}

// Mirror is the thread of a chat in which a session is shown.
type Mirror struct {
	On        bool   `json:"on,omitempty"`
	ThreadID  string `json:"threadId"`
	ChannelID string `json:"channelId"`
	Channel   string `json:"channel,omitempty"`
	Link      string `json:"link,omitempty"`
	Began     bool   `json:"began,omitempty"`
	Problem   string `json:"problem,omitempty"`
}

// Thread ties a thread of a chat to a session. What is in State is the matter of
// whoever relays between them.
type Thread struct {
	ID        string `json:"id"`
	SessionID string `json:"sessionId"`
	UsedAt    int64  `json:"usedAt"`
	// Data is a JSON object.
	Data json.RawMessage `json:"data"`
}

// Cursor is how far something of a chat was taken in.
type Cursor struct {
	Key string `json:"key"`
	// Data is the matter of whoever talks to the chat's server.
	Data []byte `json:"data"`
}
