// Package port is what the relay between sessions and a team chat needs of others: a
// chat, sessions, the desk with its questions, and a store; and what a user decided
// about it. Package app ties these to what provides them. It does nothing itself.
package port

import (
	"context"
	"encoding/json"
	"io"

	"parley/backend/chat"
	"parley/backend/event"
)

// Chat is the connection to the chat, as its calls: each waits for the server, tries
// again by itself where that helps, and fails with the errors of package chat. Package
// mattermost implements it.
type Chat interface {
	Me() chat.Person
	Limits() chat.Limits
	Connection() chat.Connection
	// Send makes a post, once for each key.
	Send(ctx context.Context, p chat.NewPost) (chat.Post, error)
	// Edit replaces a post's text and, unless it is nil, its buttons.
	Edit(ctx context.Context, postID, text string, buttons []chat.Button) error
	React(ctx context.Context, postID, emoji string) error
	Unreact(ctx context.Context, postID, emoji string) error
	// Upload hands over a file that a post can name; Download reads one of at most limit
	// bytes (chat.ErrTooLarge).
	Upload(ctx context.Context, channelID, name string, r io.Reader) (chat.File, error)
	Download(ctx context.Context, fileID string, limit int64) ([]byte, error)
	Typing(ctx context.Context, channelID, threadID string) error
	// Post is one; Thread the newest limit posts of a thread, oldest first.
	Post(ctx context.Context, postID string) (chat.Post, error)
	Thread(ctx context.Context, rootID string, limit int) ([]chat.Post, error)
	// Reactions are those that are on a post.
	Reactions(ctx context.Context, postID string) ([]chat.Reaction, error)
	// Person and Channel may be minutes old. InTeam may be, too.
	Person(ctx context.Context, id string) (chat.Person, error)
	Channel(ctx context.Context, id string) (chat.Channel, error)
	InTeam(ctx context.Context, personID, teamID string) (bool, error)
	// Link is the address of a post in a browser.
	Link(postID string) string
}

// Sessions runs conversations: package app ties this to its services. All fail with
// faults, whose sentences people can read.
type Sessions interface {
	Create(ctx context.Context, n NewSession) (event.Session, error)
	Get(ctx context.Context, id string) (event.Session, error)
	// List are all but those in the trash.
	List(ctx context.Context) ([]event.Session, error)
	// Prompt sends one. A repeated ID is not sent twice, also not after a restart. A session
	// that rests is woken, one that was closed or archived is opened again.
	Prompt(ctx context.Context, sessionID string, p Prompt) (turnID string, err error)
	// SendQueued lets a prompt of a session's Queued go that is held, DropQueued takes one
	// back that waits, EditQueued changes its text. They are a conflict when it was taken
	// up already.
	SendQueued(ctx context.Context, sessionID, promptID string) error
	DropQueued(ctx context.Context, sessionID, promptID string) error
	EditQueued(ctx context.Context, sessionID, promptID, text string) error
	// Fresh begins a new conversation in a session; prompts that wait go into it.
	Fresh(ctx context.Context, sessionID string) error
	// History is the newest page of messages.
	History(ctx context.Context, sessionID string, limit int) (event.History, error)
	// Subscribe has fn told of the events of all sessions, in order, from one goroutine,
	// until the end of ctx; lagged says that some were missed and a session's history has to
	// be read. fn must return soon.
	Subscribe(ctx context.Context, fn func(e event.Event), lagged func())
	SetMirror(ctx context.Context, sessionID string, m *event.Mirror) error
}

// NewSession is a session to be made.
type NewSession struct {
	CWD, Title, Model, Effort, PermissionMode string
	// By is the user who began it.
	By chat.Person
	// Mirror is what its record says from the first moment on: a relay that was cut off
	// right after finds by it the session that it made.
	Mirror *event.Mirror
}

// Prompt is what somebody wrote for a session.
type Prompt struct {
	// ID is made of the post's: one post is one prompt.
	ID   string
	Text string
	// By is who wrote it.
	By    chat.Person
	Files []Attachment
	// Delivery is "now" or "queue".
	Delivery string
	// Command is true when Text begins with a command of the CLI's that a command of the
	// chat made. What people write never does, whatever it begins with.
	Command bool
}

// Attachment is a file of a post that goes with a prompt. It was checked: an image is what its MediaType
// says.
type Attachment struct {
	Name, MediaType string
	Data            []byte
}

// Desk holds the open questions of all sessions.
type Desk interface {
	// Open are those of a session, or of all for "", oldest first.
	Open(sessionID string) []Asked
	// Answer gives one. Where it was not the first, Won is false and the outcome says
	// who was.
	Answer(ctx context.Context, a Answer) (Outcome, error)
}

// Asked is an open question of a session.
type Asked struct {
	SessionID, TurnID string
	event.Question
}

// Answer is somebody's answer to a question.
type Answer struct {
	RequestID string
	// Allow or not. Message says why not, and is the feedback for a plan.
	Allow   bool
	Message string
	// Input replaces the tool's, when it is allowed.
	Input json.RawMessage
	// Answers are those to the questions of the kind "question", by their text: a label,
	// several, or free text.
	Answers map[string]any
	// Rules makes the rules of one of the question's offers, for the rest of the session.
	// They must be exactly those of an offer of the question that is open: otherwise the
	// answer fails and nothing is allowed.
	Rules []string
	// Mode is the permission mode that the session goes on in when a plan is approved:
	// "default", "acceptEdits", or "" for what the CLI continues with.
	Mode string
	// Choice is for the kind "trust".
	Choice string
	// By is who answered: the audit log has it.
	By chat.Person
}

// Outcome is how a question ended.
type Outcome struct {
	Won bool
	// What is "allowed", "denied", "expired" or "withdrawn"; By who did it, as people read it.
	What, By, Message string
	At                int64
	// Warning is a sentence, when something of the answer could not be kept.
	Warning string
}

// Records keep what must survive the end of the process.
type Records interface {
	Threads(ctx context.Context) ([]Thread, error)
	// PutThread returns when it is safe on the disk.
	PutThread(ctx context.Context, t Thread) error
	DeleteThread(ctx context.Context, id string) error
}

// Thread ties a thread to a session.
type Thread struct {
	// ID is the post that began it.
	ID        string `json:"id"`
	ChannelID string `json:"channelId"`
	// SessionID is "" while the thread has none yet, or no more.
	SessionID string `json:"sessionId"`
	// Folder is what !cd chose for the session that the thread begins next, "" for the
	// channel's.
	Folder string `json:"folder,omitempty"`
	// Mirror is true for a desktop session that is shown in the thread, Paused while that
	// is switched off. Run is true for what a heartbeat came to: only answers to what is
	// written in the thread are shown there.
	Mirror bool `json:"mirror,omitempty"`
	Paused bool `json:"paused,omitempty"`
	Run    bool `json:"run,omitempty"`
	// Flat is true for the conversation of a direct message: what is said there stands in
	// the channel itself, and posts that begin no thread go on in it.
	Flat bool `json:"flat,omitempty"`
	// Since is when the thread began, or continued, to show the session.
	Since int64 `json:"since,omitempty"`
	// Seq is the session's last event whose effects are in the thread.
	Seq uint64 `json:"seq"`
	// Inbox is what came in and was not looked at, Waiting are messages that somebody may
	// send and that wait for a turn to end, Sent are prompts that are not over; all oldest
	// first, at most 100 each.
	Inbox   []Item    `json:"inbox,omitempty"`
	Waiting []Message `json:"waiting,omitempty"`
	Sent    []Sent    `json:"sent,omitempty"`
	// Handled are the ids of the last items that were handled, at most 100: together with
	// the connection's cursor they see to it that each is handled once.
	Handled   []string `json:"handled,omitempty"`
	CreatedAt int64    `json:"createdAt"`
	UsedAt    int64    `json:"usedAt"`
	// Posts are those of the turn and the questions under way, so that a Parley that
	// crashed continues with them; by what they are for.
	Posts map[string]string `json:"posts,omitempty"`
}

// Root is the post that replies name, "" in a conversation.
func (t *Thread) Root() string {
	if t.Flat {
		return ""
	}
	return t.ID
}

// Item is something that came in.
type Item struct {
	// ID is the same when it is told again.
	ID string `json:"id"`
	// Kind is "post", "elsewhere", "edit", "delete", "react" or "unreact".
	Kind string    `json:"kind"`
	Post chat.Post `json:"post"`
	// PersonID and Emoji are those of a reaction, At when it was given.
	PersonID string `json:"personId,omitempty"`
	Emoji    string `json:"emoji,omitempty"`
	At       int64  `json:"at,omitempty"`
	// Begun is true for a command from just before it is run: it is not run twice. Reply
	// is what it answered.
	Begun bool   `json:"begun,omitempty"`
	Reply string `json:"reply,omitempty"`
}

// Message is what somebody wrote for a session.
type Message struct {
	// Post has the text as it goes to the session.
	Post chat.Post   `json:"post"`
	By   chat.Person `json:"by"`
	// Command is true for what a command of the chat made for the CLI to run. It must not
	// be put together with others, nor into a turn.
	Command bool `json:"command,omitempty"`
	// PromptID is set from just before it is sent. Messages with the same are one prompt.
	PromptID string `json:"promptId,omitempty"`
}

// Sent is a prompt that is with the session.
type Sent struct {
	PromptID string `json:"promptId"`
	TurnID   string `json:"turnId"`
	// Posts are those that it is made of, By whoever wrote them.
	Posts []string `json:"posts"`
	By    string   `json:"by,omitempty"`
	At    int64    `json:"at"`
	// Again is true when it was found unanswered after a start, and sent on.
	Again bool `json:"again,omitempty"`
}

// Trail is the audit log.
type Trail interface {
	// Chat records what somebody did by way of the chat, or was refused.
	Chat(ctx context.Context, d Deed)
}

// Deed is what somebody did or tried.
type Deed struct {
	By        chat.Person
	ChannelID string
	// Path is the inbound path: "post", "reply", "reaction", "command", "edit", "file",
	// "button".
	Path string
	// What is the command's or emoji's name, or what was done; Refused says why not.
	What, Refused string
	SessionID     string
	RequestID     string
}
