// Package port defines what the relay between sessions and Mattermost depends on: a
// chat, sessions, the desk with its questions, and a store; and the user's
// configuration. Package app connects these to their implementations. It has no
// logic.
package port

import (
	"context"
	"encoding/json"
	"io"

	"parley/backend/chat"
	"parley/backend/event"
)

// Chat is the connection to the chat: each call waits for the server, retries where
// that helps, and fails with the errors of package chat. Package mattermost implements
// it.
type Chat interface {
	Me() chat.Person
	Limits() chat.Limits
	Connection() chat.Connection
	// Send creates a post, once per key.
	Send(ctx context.Context, p chat.NewPost) (chat.Post, error)
	// Edit replaces a post's text and, unless nil, its buttons.
	Edit(ctx context.Context, postID, text string, buttons []chat.Button) error
	React(ctx context.Context, postID, emoji string) error
	Unreact(ctx context.Context, postID, emoji string) error
	// Upload uploads a file that a post can reference; Download reads one of at most
	// limit bytes (chat.ErrTooLarge).
	Upload(ctx context.Context, channelID, name string, r io.Reader) (chat.File, error)
	Download(ctx context.Context, fileID string, limit int64) ([]byte, error)
	Typing(ctx context.Context, channelID, threadID string) error
	// Post returns one post; Thread the newest limit posts of a thread, oldest
	// first.
	Post(ctx context.Context, postID string) (chat.Post, error)
	Thread(ctx context.Context, rootID string, limit int) ([]chat.Post, error)
	// Reactions returns a post's reactions.
	Reactions(ctx context.Context, postID string) ([]chat.Reaction, error)
	// Person, Channel and InTeam may be minutes out of date.
	Person(ctx context.Context, id string) (chat.Person, error)
	Channel(ctx context.Context, id string) (chat.Channel, error)
	InTeam(ctx context.Context, personID, teamID string) (bool, error)
	// Link returns the address of a post in a browser.
	Link(postID string) string
}

// Sessions runs conversations; package app implements it with its services. All
// errors are faults with readable sentences.
type Sessions interface {
	Create(ctx context.Context, n NewSession) (event.Session, error)
	Get(ctx context.Context, id string) (event.Session, error)
	// List returns all sessions except those in the trash.
	List(ctx context.Context) ([]event.Session, error)
	// Prompt sends a prompt. A repeated ID isn't sent twice, even after a restart. A
	// suspended session is woken, a closed or archived one is reopened.
	Prompt(ctx context.Context, sessionID string, p Prompt) (turnID string, err error)
	// SendQueued sends a held prompt of a session's Queued, DropQueued drops a waiting
	// one, EditQueued changes its text. They are a conflict if it was already taken up.
	SendQueued(ctx context.Context, sessionID, promptID string) error
	DropQueued(ctx context.Context, sessionID, promptID string) error
	EditQueued(ctx context.Context, sessionID, promptID, text string) error
	// Fresh clears a session's context; waiting prompts are sent into the new
	// conversation.
	Fresh(ctx context.Context, sessionID string) error
	// History returns the newest page of messages.
	History(ctx context.Context, sessionID string, limit int) (event.History, error)
	// Subscribe calls fn with the events of all sessions, in order, from one goroutine,
	// until ctx ends; lagged means that events were missed and a session's history must be
	// read. fn must return quickly.
	Subscribe(ctx context.Context, fn func(e event.Event), lagged func())
	SetMirror(ctx context.Context, sessionID string, m *event.Mirror) error
}

// NewSession is a session to create.
type NewSession struct {
	CWD, Title, Model, Effort, PermissionMode string
	// By is the user who started it.
	By chat.Person
	// Mirror is in its record from the start: a relay that crashed right after creating
	// the session finds it by that.
	Mirror *event.Mirror
}

// Prompt is a user's prompt for a session.
type Prompt struct {
	// ID is derived from the post's: one post is one prompt.
	ID   string
	Text string
	// By is who wrote it.
	By    chat.Person
	Files []Attachment
	// Delivery is "now" or "queue".
	Delivery string
	// Command is true if Text starts with a CLI command that a chat command produced.
	// What people write never does, whatever it starts with.
	Command bool
}

// Attachment is a post's file in a prompt. It was checked: an image is what its MediaType
// says.
type Attachment struct {
	Name, MediaType string
	Data            []byte
}

// RequestQueue holds the open questions of all sessions.
type RequestQueue interface {
	// Open returns those of a session, or all for "", oldest first.
	Open(sessionID string) []Request
	// Answer answers a question. If it wasn't the first answer, Won is false and the
	// outcome says who was.
	Answer(ctx context.Context, a Answer) (Outcome, error)
}

// Request is an open question of a session.
type Request struct {
	SessionID, TurnID string
	event.Question
}

// Answer is a user's answer to a question.
type Answer struct {
	RequestID string
	// Allow is the decision. Message is the reason for a denial, and the feedback
	// for a plan.
	Allow   bool
	Message string
	// Input replaces the tool's input if it is allowed.
	Input json.RawMessage
	// Answers are the answers to a request of kind "question", by question text: a
	// label, several, or free text.
	Answers map[string]any
	// Rules creates the rules of one of the question's offers, for the rest of the
	// session. They must be exactly those of an offer of the open question: otherwise the
	// answer fails and nothing is allowed.
	Rules []string
	// Mode is the permission mode after a plan is approved: "default", "acceptEdits",
	// or "" for the CLI's choice.
	Mode string
	// Choice is for the kind "trust".
	Choice string
	// By is who answered, for the audit log.
	By chat.Person
}

// Outcome is how a question ended.
type Outcome struct {
	Won bool
	// What is "allowed", "denied", "expired" or "withdrawn"; By is who decided, in readable
	// form.
	What, By, Message string
	At                int64
	// Warning is a sentence if part of the answer couldn't be stored.
	Warning string
}

// Records stores what must survive the end of the process.
type Records interface {
	Threads(ctx context.Context) ([]Thread, error)
	// PutThread returns when the thread is safely on disk.
	PutThread(ctx context.Context, t Thread) error
	DeleteThread(ctx context.Context, id string) error
}

// Thread maps a thread to a session.
type Thread struct {
	// ID is the post that started it.
	ID        string `json:"id"`
	ChannelID string `json:"channelId"`
	// SessionID is "" while the thread has no session.
	SessionID string `json:"sessionId"`
	// Folder is the folder chosen with !cd for the thread's next session, "" for the
	// channel's.
	Folder string `json:"folder,omitempty"`
	// Mirror is true for a desktop session that is mirrored in the thread, Paused while
	// mirroring is paused. Run is true for a heartbeat's result: only answers to messages
	// in the thread are shown there.
	Mirror bool `json:"mirror,omitempty"`
	Paused bool `json:"paused,omitempty"`
	Run    bool `json:"run,omitempty"`
	// Flat is true for the conversation of a direct message: its posts are in the channel
	// itself, and posts outside a thread continue it.
	Flat bool `json:"flat,omitempty"`
	// Since is when the thread started, or resumed, showing the session.
	Since int64 `json:"since,omitempty"`
	// Seq is the session's last event whose effects are in the thread.
	Seq uint64 `json:"seq"`
	// Inbox are unprocessed items, Waiting are accepted messages that wait for a turn to
	// end, Sent are unfinished prompts; all oldest first, at most 100 each.
	Inbox   []Item    `json:"inbox,omitempty"`
	Waiting []Message `json:"waiting,omitempty"`
	Sent    []Sent    `json:"sent,omitempty"`
	// Handled are the ids of the last handled items, at most 100: together with the
	// connection's cursor they ensure that each is handled once.
	Handled   []string `json:"handled,omitempty"`
	CreatedAt int64    `json:"createdAt"`
	UsedAt    int64    `json:"usedAt"`
	// Posts are those of the current turn and questions, by purpose, so that a
	// Parley that crashed continues with them.
	Posts map[string]string `json:"posts,omitempty"`
}

// Root returns the post that replies refer to, "" in a direct message
// conversation.
func (t *Thread) Root() string {
	if t.Flat {
		return ""
	}
	return t.ID
}

// Item is an incoming item.
type Item struct {
	// ID is the same when it is delivered again.
	ID string `json:"id"`
	// Kind is "post", "elsewhere", "edit", "delete", "react" or "unreact".
	Kind string    `json:"kind"`
	Post chat.Post `json:"post"`
	// PersonID and Emoji are those of a reaction, At when it was given.
	PersonID string `json:"personId,omitempty"`
	Emoji    string `json:"emoji,omitempty"`
	At       int64  `json:"at,omitempty"`
	// Begun is true for a command from just before it runs: it isn't run twice. Reply is
	// its answer.
	Begun bool   `json:"begun,omitempty"`
	Reply string `json:"reply,omitempty"`
}

// Message is a user's message for a session.
type Message struct {
	// Post has the text that is sent to the session.
	Post chat.Post   `json:"post"`
	By   chat.Person `json:"by"`
	// Command is true for what a chat command produced for the CLI to run. It must not be
	// merged with other messages or sent into a turn.
	Command bool `json:"command,omitempty"`
	// PromptID is set just before it is sent. Messages with the same id are one prompt.
	PromptID string `json:"promptId,omitempty"`
}

// Sent is a prompt that was sent to the session.
type Sent struct {
	PromptID string `json:"promptId"`
	TurnID   string `json:"turnId"`
	// Posts are the posts it consists of, By their author.
	Posts []string `json:"posts"`
	By    string   `json:"by,omitempty"`
	At    int64    `json:"at"`
	// Again is true if it was found unanswered after a start and sent again.
	Again bool `json:"again,omitempty"`
}

// AuditLog is the audit log.
type AuditLog interface {
	// Chat records a user's action through the chat, or its refusal.
	Chat(ctx context.Context, d Action)
}

// Action is an action or an attempt.
type Action struct {
	By        chat.Person
	ChannelID string
	// Path is the inbound path: "post", "reply", "reaction", "command", "edit", "file",
	// "button".
	Path string
	// What is the command's or emoji's name, or the action; Refused is why it was
	// refused.
	What, Refused string
	SessionID     string
	RequestID     string
}
