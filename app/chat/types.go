package chat

import (
	"parley/backend/chat"
	"parley/backend/chat/relay/port"
)

// ChatState is the state of Mattermost.
type ChatState struct {
	Config port.ChatConfig `json:"config"`
	// Revision identifies this state of the configuration; mattermost.set rejects any other.
	Revision string `json:"revision"`
	// Token is the token's source: "keyring", "environment" or "" for none. The token itself is
	// never returned.
	Token      string          `json:"token"`
	Connection chat.Connection `json:"connection"`
	// Mirrors counts the mirrored sessions, Threads all threads with a session.
	Mirrors int `json:"mirrors"`
	Threads int `json:"threads"`
	// Problems are sentences about what of the configuration cannot be used (a folder that
	// is gone, a channel that the account cannot see), and about rights that are of no use.
	// Wide are sentences about rights that reach far.
	Problems []string `json:"problems"`
	Wide     []string `json:"wide"`
}

// ChatSetParams replaces the configuration.
type ChatSetParams struct {
	Config   port.ChatConfig `json:"config"`
	Revision string          `json:"revision"`
	// Token is a new one, null to keep it, "" to delete it. It is stored in the keyring.
	Token *string `json:"token,omitempty"`
}

// ChatProbeParams tests an address and a token, and changes nothing.
type ChatProbeParams struct {
	URL           string `json:"url"`
	AllowInsecure bool   `json:"allowInsecure,omitempty"`
	// Token is "" for the stored one, which is only sent to the address it was stored for.
	Token string `json:"token,omitempty"`
}

// ChatProbe is the server's answer.
type ChatProbe struct {
	Version string      `json:"version"`
	Me      chat.Person `json:"me"`
	Teams   []chat.Team `json:"teams"`
	// Warnings are sentences: a server that is too old, an account that is a system administrator,
	// a WebSocket that can't be opened.
	Warnings []string `json:"warnings"`
}

// ChatChannelsParams searches channels that the account is in, or could join.
type ChatChannelsParams struct {
	TeamID string `json:"teamId"`
	// Query is part of a name, "" for the account's own channels. The rest is for an account that
	// is not saved yet, as for mattermost.probe.
	Query string `json:"query,omitempty"`
	ChatProbeParams
}

// ChatChannels are at most 100.
type ChatChannels struct {
	Channels []chat.Channel `json:"channels"`
	More     bool           `json:"more"`
}

// ChatPeopleParams searches people.
type ChatPeopleParams struct {
	TeamID string `json:"teamId,omitempty"`
	Query  string `json:"query"`
	ChatProbeParams
}

// ChatPeople are at most 50.
type ChatPeople struct {
	People []chat.Person `json:"people"`
}

// ChatTestParams selects the channel of a test message.
type ChatTestParams struct {
	ChannelID string `json:"channelId"`
}

// ChatLink is the address of a post in a browser.
type ChatLink struct {
	Link string `json:"link"`
}

// ChatEventsParams choose how many to read.
type ChatEventsParams struct {
	// Limit is 1 to 200, 50 when left out.
	Limit int `json:"limit,omitempty"`
}

// ChatEvents are the latest events of the connection and the threads, newest first.
type ChatEvents struct {
	Events []ChatEvent `json:"events"`
}

// ChatEvent is one of them: never the text of a post.
type ChatEvent struct {
	At int64 `json:"at"`
	// Kind is "connection", "prompt", "command", "answer", "refused", "mirror", "problem".
	Kind string `json:"kind"`
	// Text is a sentence. By is its author, "" for none; SessionID is "" for none.
	Text      string `json:"text"`
	By        string `json:"by"`
	SessionID string `json:"sessionId"`
}

// ChatThreadsParams choose a page.
type ChatThreadsParams struct {
	// Limit is 1 to 100, 50 when left out.
	Limit  int `json:"limit,omitempty"`
	Offset int `json:"offset,omitempty"`
}

// ChatThreads are the threads with a session, most recently used first.
type ChatThreads struct {
	Threads []ChatThread `json:"threads"`
	Total   int          `json:"total"`
}

// ChatThread is one of them.
type ChatThread struct {
	ThreadID  string `json:"threadId"`
	ChannelID string `json:"channelId"`
	Channel   string `json:"channel"`
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	Mirror    bool   `json:"mirror"`
	Paused    bool   `json:"paused"`
	Link      string `json:"link"`
	UsedAt    int64  `json:"usedAt"`
}

// SessionMirrorParams starts or stops mirroring a session.
type SessionMirrorParams struct {
	SessionID string `json:"sessionId"`
	On        bool   `json:"on"`
	// ChannelID is the channel of its thread, "" for the configured one. A session that already has
	// a thread keeps it.
	ChannelID string `json:"channelId,omitempty"`
}
