package port

// ChatConfig is what a user decided about the chat. It is chat.json in the config folder
// (0600) and what the border shows; the token is not in it.
type ChatConfig struct {
	// Enabled is false to stay off the chat.
	Enabled bool `json:"enabled"`
	// URL is the server's address: https://chat.example.org, without a path unless the
	// server has one. http only for this machine, and for others when AllowInsecure is true.
	URL           string `json:"url"`
	AllowInsecure bool   `json:"allowInsecure,omitempty"`
	// TeamID is the team whose channels are offered.
	TeamID string `json:"teamId"`
	// Channels are those that Parley listens in. Others it ignores.
	Channels []ChatMapping `json:"channels"`
	// Direct is for direct messages; nil ignores those.
	Direct *ChatMapping `json:"direct"`
	// Access says who may do what. What no grant allows is refused.
	Access []ChatGrant `json:"access"`
	// MirrorChannelID is where the threads of mirrored sessions begin, "" asks each time.
	MirrorChannelID string `json:"mirrorChannelId"`
	// MirrorFolders are folders whose new sessions are shown in a thread of MirrorChannelID
	// from their first prompt on, without being asked each time. Absolute, at most 100;
	// sessions that began in a thread, runs of heartbeats and rehearsals are left out.
	MirrorFolders []string `json:"mirrorFolders,omitempty"`
	// CallbackURL is an address under which the chat's server can reach this Parley's
	// gateway: it makes posts with buttons possible. "" for none.
	CallbackURL string `json:"callbackUrl,omitempty"`
	// DisplayTools is "line" (a line for each use of a tool, the default) or "none".
	DisplayTools string `json:"displayTools,omitempty"`
	// Calls says how people hear of questions that wait for them; nil is the usual.
	Calls *ChatCalls `json:"calls,omitempty"`
	// SuggestFixes is true where an answer in a thread that finds a cause, and proposes no
	// fixes, is followed by a prompt that asks for those: once in a thread.
	SuggestFixes bool `json:"suggestFixes,omitempty"`
}

// ChatCalls is how people hear of questions. Those whom a right names who may answer are
// called: first whoever wrote what led to the question, if they may, then the others in the
// order of their rights. Teams are not.
type ChatCalls struct {
	// Who is named in the post of a question: "first" (also for ""), "all", or "none".
	Who string `json:"who,omitempty"`
	// RemindMinutes is after how long those are reminded; HandOverMinutes after how long the
	// next one is named instead, and then the next. 0 is never, at most a day.
	RemindMinutes   int `json:"remindMinutes,omitempty"`
	HandOverMinutes int `json:"handOverMinutes,omitempty"`
	// Nobody is named from QuietFrom to QuietTo, but right after: times of the computer's
	// clock, such as "22:00" and "07:30"; both are "" for no such hours.
	QuietFrom string `json:"quietFrom,omitempty"`
	QuietTo   string `json:"quietTo,omitempty"`
}

// ChatMapping ties a channel to a folder.
type ChatMapping struct {
	// ChannelID is "" for direct messages. Name is what it was called when it was chosen.
	ChannelID string `json:"channelId"`
	Name      string `json:"name"`
	// Folder is absolute; sessions of the channel begin in it.
	Folder string `json:"folder"`
	// PermissionMode, Model and Effort are for new sessions, "" for the usual.
	PermissionMode string `json:"permissionMode,omitempty"`
	Model          string `json:"model,omitempty"`
	Effort         string `json:"effort,omitempty"`
	// Mention is true where only posts that begin a thread and name Parley's account
	// begin a session; replies in its threads need no mention.
	Mention bool `json:"mention,omitempty"`
}

// ChatRole is what somebody may do, from little to much; each includes those before it.
type ChatRole string

// The roles. Who has no grant is a stranger.
const (
	// RoleNone may nothing.
	RoleNone ChatRole = ""
	// RoleWatch may use commands that only read.
	RoleWatch ChatRole = "watch"
	// RolePrompt may begin sessions, write to them, and interrupt their turns.
	RolePrompt ChatRole = "prompt"
	// RoleApprove may answer permissions, questions and plans.
	RoleApprove ChatRole = "approve"
	// RoleAdmin may change modes, folders, rules and heartbeats, kill sessions, and restart.
	RoleAdmin ChatRole = "admin"
)

// ChatGrant gives a role. All that is set must fit; nothing set but the role gives nothing.
type ChatGrant struct {
	Role ChatRole `json:"role"`
	// UserID or Team (its id: everybody who is in it), or Everyone who can post in
	// ChannelID. Name is what is shown.
	UserID   string `json:"userId,omitempty"`
	TeamID   string `json:"teamId,omitempty"`
	Everyone bool   `json:"everyone,omitempty"`
	// ChannelID limits the grant to a channel; Everyone needs it.
	ChannelID string `json:"channelId,omitempty"`
	Name      string `json:"name"`
}
