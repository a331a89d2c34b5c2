package event

// Author is who wrote a prompt when it was not whoever sits at this Parley.
type Author struct {
	// Via is "mattermost".
	Via string `json:"via"`
	// Username is without the "@", Name what people read.
	Username string `json:"username"`
	Name     string `json:"name"`
}

// Mirror is the thread of a team chat in which a session is shown.
type Mirror struct {
	// On is false while nothing is shown; the thread stays, and goes on when it is
	// switched on again.
	On        bool   `json:"on"`
	ThreadID  string `json:"threadId"`
	ChannelID string `json:"channelId"`
	// Channel is the channel's title, Link the thread's address in a browser.
	Channel string `json:"channel"`
	Link    string `json:"link"`
	// Began is true where the session began in the thread, and not here.
	Began bool `json:"began"`
	// Problem is a sentence when what is new cannot be shown, "" otherwise.
	Problem string `json:"problem,omitempty"`
}

// ChatChanged says that the connection to the chat, or what was decided about it, is
// another than before.
type ChatChanged struct {
	Whole
	// State is "off", "connecting", "connected", "waiting" or "refused".
	State string `json:"state"`
	// Mirrors counts the sessions that are shown in threads now.
	Mirrors int `json:"mirrors"`
}

// EventName implements [Event].
func (*ChatChanged) EventName() string { return "chat.changed" }
