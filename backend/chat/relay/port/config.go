package port

// ChatConfig is the user's Mattermost configuration. It is stored in chat.json in the
// config folder (0600) and returned by the API; the token isn't part of it.
type ChatConfig struct {
	// Enabled turns the Mattermost connection on.
	Enabled bool `json:"enabled"`
	// URL is the server's address: https://chat.example.org, without a path unless the
	// server has one. http is only allowed for this computer, and for others if
	// AllowInsecure is true.
	URL           string `json:"url"`
	AllowInsecure bool   `json:"allowInsecure,omitempty"`
	// TeamID is the team whose channels are offered.
	TeamID string `json:"teamId"`
	// Channels are the channels that Parley listens in. Others are ignored.
	Channels []ChatMapping `json:"channels"`
	// Direct is for direct messages; nil ignores those.
	Direct *ChatMapping `json:"direct"`
	// Access lists the granted roles. Everything not granted is denied.
	Access []ChatGrant `json:"access"`
	// MirrorChannelID is where the threads of mirrored sessions start; "" asks each time.
	MirrorChannelID string `json:"mirrorChannelId"`
	// MirrorFolders are folders whose new sessions are mirrored automatically in a thread
	// of MirrorChannelID from their first prompt on. Absolute, at most 100; sessions that
	// started in a thread, heartbeat runs and demo sessions are excluded.
	MirrorFolders []string `json:"mirrorFolders,omitempty"`
	// CallbackURL is an address where the Mattermost server can reach this Parley's
	// gateway, which enables posts with buttons. "" for none.
	CallbackURL string `json:"callbackUrl,omitempty"`
	// DisplayTools is "line" (one line per tool call, the default) or "none".
	DisplayTools string `json:"displayTools,omitempty"`
	// Calls configures how people are notified of open questions; nil means the
	// defaults.
	Calls *ChatCalls `json:"calls,omitempty"`
	// SuggestFixes makes an answer in a thread that finds a cause but proposes no fixes be
	// followed by a prompt that asks for them, once per thread.
	SuggestFixes bool `json:"suggestFixes,omitempty"`
}

// ChatCalls configures how people are notified of questions. Those granted the right to
// answer by name are mentioned: first the author of the prompt that led to the question, if
// they may answer, then the others in the order of their grants. Teams aren't mentioned.
type ChatCalls struct {
	// Who is mentioned in a question's post: "first" (same as ""), "all", or "none".
	Who string `json:"who,omitempty"`
	// RemindMinutes is the delay until they are reminded; HandOverMinutes the delay until
	// the next person is mentioned instead, and so on. 0 is never, at most a day.
	RemindMinutes   int `json:"remindMinutes,omitempty"`
	HandOverMinutes int `json:"handOverMinutes,omitempty"`
	// Nobody is mentioned between QuietFrom and QuietTo, but right after: local times
	// such as "22:00" and "07:30"; both are "" for no quiet hours.
	QuietFrom string `json:"quietFrom,omitempty"`
	QuietTo   string `json:"quietTo,omitempty"`
}

// ChatMapping maps a channel to a folder.
type ChatMapping struct {
	// ChannelID is "" for direct messages. Name is the channel's name when it was chosen.
	ChannelID string `json:"channelId"`
	Name      string `json:"name"`
	// Folder is absolute; the channel's sessions start in it.
	Folder string `json:"folder"`
	// PermissionMode, Model and Effort apply to new sessions, "" for the defaults.
	PermissionMode string `json:"permissionMode,omitempty"`
	Model          string `json:"model,omitempty"`
	Effort         string `json:"effort,omitempty"`
	// Mention is true if only posts that start a thread and mention Parley's account
	// start a session; replies in its threads need no mention.
	Mention bool `json:"mention,omitempty"`
}

// ChatRole is a user's role, in increasing order; each includes the previous ones.
type ChatRole string

// The roles. A user without a grant is a stranger.
const (
	// RoleNone has no rights.
	RoleNone ChatRole = ""
	// RoleWatch may use read-only commands.
	RoleWatch ChatRole = "watch"
	// RolePrompt may start sessions, write to them, and interrupt their turns.
	RolePrompt ChatRole = "prompt"
	// RoleApprove may answer permission requests, questions and plans.
	RoleApprove ChatRole = "approve"
	// RoleAdmin may change modes, folders, rules and heartbeats, kill sessions, and restart.
	RoleAdmin ChatRole = "admin"
)

// ChatGrant grants a role. All conditions must match; a grant without any grants nothing.
type ChatGrant struct {
	Role ChatRole `json:"role"`
	// UserID or Team (its id: all members), or Everyone who can post in ChannelID.
	// Name is for display.
	UserID   string `json:"userId,omitempty"`
	TeamID   string `json:"teamId,omitempty"`
	Everyone bool   `json:"everyone,omitempty"`
	// ChannelID limits the grant to a channel; Everyone needs it.
	ChannelID string `json:"channelId,omitempty"`
	Name      string `json:"name"`
}
