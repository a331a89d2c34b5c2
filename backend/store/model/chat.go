package model

import "encoding/json"

// Author is who wrote a prompt in a chat.
type Author struct {
	Via      string `json:"via"`
	Username string `json:"username"`
	Name     string `json:"name"`
}

// MaxAuthored is for how many of a session's newest prompts the author is stored, and
// for how many deeds the actor.
const MaxAuthored = 5000

// Authored records who wrote a prompt, which the CLI's transcript doesn't contain. It is
// deleted with the session.
type Authored struct {
	// TurnID is the CLI's uuid of the prompt.
	TurnID    string `json:"turnId"`
	SessionID string `json:"sessionId"`
	Author    Author `json:"author"`
	// Lead is the line that the prompt begins with in the transcript, "" for none.
	Lead string `json:"lead,omitempty"`
	At   int64  `json:"at"`
}

// Action records who acted in a conversation, which the CLI's transcript doesn't contain: who
// stopped a turn, or answered the question about a tool use in a chat or in their own
// words. It is deleted with the session.
type Action struct {
	// ID is the turn's or the tool use's.
	ID        string `json:"id"`
	SessionID string `json:"sessionId"`
	By        string `json:"by"`
	// Said is true if the tool use's result is what they wrote instead.
	Said bool  `json:"said,omitempty"`
	At   int64 `json:"at"`
}

// Mirror is the Mattermost thread in which a session is mirrored.
type Mirror struct {
	On        bool   `json:"on,omitempty"`
	ThreadID  string `json:"threadId"`
	ChannelID string `json:"channelId"`
	Channel   string `json:"channel,omitempty"`
	Link      string `json:"link,omitempty"`
	Began     bool   `json:"began,omitempty"`
	Problem   string `json:"problem,omitempty"`
}

// Thread maps a Mattermost thread to a session. The relay defines the contents
// of State.
type Thread struct {
	ID        string `json:"id"`
	SessionID string `json:"sessionId"`
	UsedAt    int64  `json:"usedAt"`
	// Data is a JSON object.
	Data json.RawMessage `json:"data"`
}

// Cursor is how far something in Mattermost was read.
type Cursor struct {
	Key string `json:"key"`
	// Data is defined by the Mattermost client.
	Data []byte `json:"data"`
}
