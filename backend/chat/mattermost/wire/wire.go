// Package wire has the JSON types of Mattermost's API, version 4, as far as Parley uses
// them. Unused fields are omitted. The server's own Go model is the contract: a test
// compares every type here with it.
package wire

// Lengths that the server allows.
const (
	MaxText  = 16383 // runes of a post's message
	MaxEmoji = 64    // bytes of an emoji's name
	idLength = 26
)

// Types of posts that the server creates; most start with SystemPrefix.
const (
	SystemPrefix    = "system_"
	CustomPrefix    = "custom_" // of a plugin
	JoinChannel     = "system_join_channel"
	GuestJoin       = "system_guest_join_channel"
	JoinTeam        = "system_join_team"
	AddToChannel    = "system_add_to_channel"
	AddGuest        = "system_add_guest_to_chan"
	AddToTeam       = "system_add_to_team"
	AddBotsChannels = "add_bot_teams_channels"
	Reminder        = "reminder"
)

// Names of a post's properties.
const (
	PropAttachments = "attachments"
	PropAddedUser   = "addedUserId"
	PropFromWebhook = "from_webhook"
	PropFromBot     = "from_bot"
	PropFromPlugin  = "from_plugin"
)

// Roles of a user, in a list with spaces.
const (
	RoleAdmin = "system_admin"
	RoleGuest = "system_guest"
)

// Types of channels. All others are open.
const (
	ChannelPrivate = "P"
	ChannelDirect  = "D"
	ChannelGroup   = "G"
)

// Events and actions of the web socket. StatusOK answers an action.
const (
	StatusOK         = "OK"
	ActionChallenge  = "authentication_challenge"
	ActionPing       = "ping"
	Hello            = "hello"
	Posted           = "posted"
	PostEdited       = "post_edited"
	PostDeleted      = "post_deleted"
	ReactionAdded    = "reaction_added"
	ReactionRemoved  = "reaction_removed"
	UserAdded        = "user_added"
	UserRemoved      = "user_removed"
	UserUpdated      = "user_updated"
	UserRoleUpdated  = "user_role_updated"
	DirectAdded      = "direct_added"
	GroupAdded       = "group_added"
	LeaveTeam        = "leave_team"
	AddedToTeam      = "added_to_team"
	ChannelUpdated   = "channel_updated"
	ChannelDeleted   = "channel_deleted"
	ChannelRestored  = "channel_restored"
	ChannelConverted = "channel_converted"
)

// ErrUnknownAction is the id of the error that answers an action the server does not have.
const ErrUnknownAction = "api.web_socket_router.bad_action.app_error"

// Post is a message in a channel. Times are in Unix milliseconds.
type Post struct {
	ID         string         `json:"id"`
	CreateAt   int64          `json:"create_at"`
	UpdateAt   int64          `json:"update_at"`
	EditAt     int64          `json:"edit_at"`
	DeleteAt   int64          `json:"delete_at"`
	UserID     string         `json:"user_id"`
	ChannelID  string         `json:"channel_id"`
	RootID     string         `json:"root_id"`
	OriginalID string         `json:"original_id"` // of a row with a former version
	Message    string         `json:"message"`
	Source     string         `json:"message_source"` // the message without image proxy addresses
	Type       string         `json:"type"`
	Props      map[string]any `json:"props"`
	FileIDs    []string       `json:"file_ids"`
	Metadata   *Metadata      `json:"metadata"`
}

// Metadata is a post's metadata.
type Metadata struct {
	Files     []*File     `json:"files"`
	Reactions []*Reaction `json:"reactions"`
}

// PostList is a page of posts; Order has the newest first.
type PostList struct {
	Order   []string         `json:"order"`
	Posts   map[string]*Post `json:"posts"`
	HasNext *bool            `json:"has_next"`
}

// File is an uploaded file.
type File struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Size     int64  `json:"size"`
	MimeType string `json:"mime_type"`
}

// Uploaded answers an upload.
type Uploaded struct {
	Files []*File `json:"file_infos"`
}

// Reaction is a user's emoji on a post.
type Reaction struct {
	UserID    string `json:"user_id"`
	PostID    string `json:"post_id"`
	ChannelID string `json:"channel_id"`
	Emoji     string `json:"emoji_name"`
	CreateAt  int64  `json:"create_at"`
	UpdateAt  int64  `json:"update_at"`
	DeleteAt  int64  `json:"delete_at"`
}

// User is an account.
type User struct {
	ID        string `json:"id"`
	Username  string `json:"username"`
	Nickname  string `json:"nickname"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Roles     string `json:"roles"`
	IsBot     bool   `json:"is_bot"`
	DeleteAt  int64  `json:"delete_at"`
}

// Users is the answer to a user search.
type Users struct {
	Users []*User `json:"users"`
}

// Team is a team on the server.
type Team struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	DeleteAt    int64  `json:"delete_at"`
}

// TeamMember is an account's membership in a team.
type TeamMember struct {
	TeamID   string `json:"team_id"`
	UserID   string `json:"user_id"`
	DeleteAt int64  `json:"delete_at"`
}

// Channel is a team's channel, or a conversation of some people.
type Channel struct {
	ID          string `json:"id"`
	TeamID      string `json:"team_id"`
	Type        string `json:"type"`
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	CreateAt    int64  `json:"create_at"`
	DeleteAt    int64  `json:"delete_at"`
	LastPostAt  int64  `json:"last_post_at"`
}

// Attachment is shown below a post's text.
type Attachment struct {
	Actions []Action `json:"actions,omitempty"`
}

// Action is a button. When it is pressed, the server calls the integration.
type Action struct {
	ID          string      `json:"id,omitempty"`
	Type        string      `json:"type,omitempty"`
	Name        string      `json:"name,omitempty"`
	Style       string      `json:"style,omitempty"`
	Integration Integration `json:"integration"`
}

// ActionButton is the type of a button action.
const ActionButton = "button"

// Integration is whom the server calls, and with what.
type Integration struct {
	URL     string         `json:"url,omitempty"`
	Context map[string]any `json:"context,omitempty"`
}

// IsID reports whether a string has the form of an id. Ids are used in URL paths.
func IsID(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return len(s) == idLength
}
