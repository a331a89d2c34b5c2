// Package model has the types of what Parley stores between runs: plain data
// with JSON names that are on users' disks and therefore never change. New fields
// may be added at any time, because an older Parley leaves them alone; a change of
// a field's meaning needs a migration in backend/store/schema.
//
// Times are milliseconds since 1970, 0 for never. The package does no I/O, starts
// no goroutine, and knows neither the store nor its users.
package model

import "encoding/json"

// Bounds of what is stored. Writers of records must observe them.
const (
	// MaxQueued bounds a session's queued prompts.
	MaxQueued = 200
	// MaxText bounds a draft or a prompt, in bytes.
	MaxText = 8 << 20
	// MaxAttachments bounds the attachments of a draft or a prompt.
	MaxAttachments = 20
)

// Session is the record of a session. The conversation itself is in the
// CLI's transcript; see Draft and Prompt for unsent text.
type Session struct {
	ID          string `json:"id"`
	WorkspaceID string `json:"workspaceId,omitempty"`
	// CWD is the folder where the conversation started. The CLI finds it only from
	// there.
	CWD   string `json:"cwd"`
	Title string `json:"title,omitempty"`
	// TitleSource is the origin of the title; a user's is never replaced.
	TitleSource    TitleSource `json:"titleSource,omitempty"`
	Engine         string      `json:"engine,omitempty"`
	Model          string      `json:"model,omitempty"`
	Effort         string      `json:"effort,omitempty"`
	PermissionMode string      `json:"permissionMode,omitempty"`
	Guard          string      `json:"guard,omitempty"`
	Scripted       bool        `json:"rehearsal,omitempty"`
	Profile        string      `json:"profile,omitempty"`
	// CLISessionID is the CLI's id of the conversation.
	CLISessionID string `json:"cliSessionId,omitempty"`
	// Begun is true once the CLI knows that id, so that it can be resumed.
	Begun bool `json:"begun,omitempty"`
	// Unanswered is true while no turn of the conversation has ended.
	Unanswered bool `json:"unanswered,omitempty"`
	// PreviousCLISessionIDs are the ids before each /clear, oldest first.
	PreviousCLISessionIDs []string `json:"previousCliSessionIds,omitempty"`
	ForkedFrom            *Fork    `json:"forkedFrom,omitempty"`
	// State is the session's state at the last write, see event.Session.
	State string `json:"state,omitempty"`
	// InterruptedTurn is the turn that was running when an earlier Parley ended.
	InterruptedTurn string `json:"interruptedTurn,omitempty"`
	// Window and Used are the meter's last reading, in tokens: the CLI's files do not contain
	// the size of the context window.
	Window       int64   `json:"window,omitempty"`
	Used         int64   `json:"used,omitempty"`
	WindowSource string  `json:"windowSource,omitempty"`
	Tokens       Tokens  `json:"tokens,omitzero"`
	TotalCostUSD float64 `json:"totalCostUSD,omitempty"`
	// LastSeq is the sequence number of its newest event.
	LastSeq uint64 `json:"lastSeq,omitempty"`
	// Seen are the last accepted prompts, oldest first.
	Seen []HandledPrompt `json:"seen,omitempty"`
	// Messages is the number of messages in the conversation at LastActivityAt: if
	// there are more, it was continued elsewhere.
	Messages int `json:"messages,omitempty"`
	// Adopted is true for a conversation that started outside Parley.
	Adopted        bool  `json:"adopted,omitempty"`
	CreatedAt      int64 `json:"createdAt"`
	LastActivityAt int64 `json:"lastActivityAt"`
	ArchivedAt     int64 `json:"archivedAt,omitempty"`
	// DeletedAt is when it was moved to the trash.
	DeletedAt int64 `json:"deletedAt,omitempty"`
	Pinned    bool  `json:"pinned,omitempty"`
	Unread    bool  `json:"unread,omitempty"`
	// Trouble is set while a page shows the session, and cleared when that succeeded:
	// a session that has it set at the start opens in safe mode, and never automatically.
	Trouble Trouble `json:"trouble,omitempty"`
	// Heartbeat is the name of the heartbeat that ran it, "" for none. Quiet is set
	// if that run found nothing to do.
	Heartbeat string `json:"heartbeat,omitempty"`
	Quiet     bool   `json:"quiet,omitempty"`
	// SpawnedBy is the session whose model created it, "" for none.
	SpawnedBy string `json:"spawnedBy,omitempty"`
	// Mirror is the Mattermost thread in which it is mirrored, nil for none.
	Mirror *Mirror `json:"mirror,omitempty"`
	// Hidden sessions are internal and not listed.
	Hidden bool `json:"hidden,omitempty"`
}

// Tokens are the parts of the meter's last reading, or of a turn's usage.
type Tokens struct {
	Input         int64 `json:"input,omitempty"`
	CacheRead     int64 `json:"cacheRead,omitempty"`
	CacheCreation int64 `json:"cacheCreation,omitempty"`
	Output        int64 `json:"output,omitempty"`
}

// HandledPrompt is a prompt that must not be sent again, with its turn.
type HandledPrompt struct {
	PromptID string `json:"promptId"`
	TurnID   string `json:"turnId"`
}

// MaxOutcomes bounds the stored outcomes of a session's turns; the newest are kept.
const MaxOutcomes = 5000

// Outcome is what the CLI reported when a turn ended, because its transcript does not
// contain it: above all the cost. It is deleted with the session.
type Outcome struct {
	// MessageID is the turn's last answer.
	MessageID  string  `json:"messageId"`
	SessionID  string  `json:"sessionId"`
	IsError    bool    `json:"isError,omitempty"`
	Stopped    bool    `json:"stopped,omitempty"`
	CostUSD    float64 `json:"costUSD,omitempty"`
	DurationMs int64   `json:"durationMs,omitempty"`
	NumTurns   int     `json:"numTurns,omitempty"`
	TTFTMs     int64   `json:"ttftMs,omitempty"`
	Tokens     Tokens  `json:"tokens,omitzero"`
	At         int64   `json:"at"`
}

// MaxUnsaved bounds the stored messages of a session that are not in the CLI's file; the
// newest are kept.
const MaxUnsaved = 500

// Unsaved is a message that is missing in the CLI's file, or may be one day.
type Unsaved struct {
	MessageID    string `json:"messageId"`
	SessionID    string `json:"sessionId"`
	CLISessionID string `json:"cliSessionId"`
	// In is the message of the CLI's file that contains it, if it was stored in case the
	// conversation continues without it; "" for a message that the file did not contain.
	In string `json:"in,omitempty"`
	// After is the previous message, "" for none.
	After string `json:"after,omitempty"`
	// Order increases with each message.
	Order int64 `json:"order"`
	// Message is the message in the border's format.
	Message json.RawMessage `json:"message"`
}

// TitleSource is the origin of a title.
type TitleSource string

const (
	// TitleByPerson is a title typed by a user.
	TitleByPerson TitleSource = "person"
	// TitleByPrompt is the start of the first prompt.
	TitleByPrompt TitleSource = "prompt"
	// TitleByCLI is the CLI's summary.
	TitleByCLI TitleSource = "cli"
)

// Trouble is what happened to the page that showed a session.
type Trouble string

const (
	// TroubleHung: the page stopped answering.
	TroubleHung Trouble = "hung"
	// TroubleCrashed: the page died.
	TroubleCrashed Trouble = "crashed"
)

// Fork describes the origin of a forked session.
type Fork struct {
	SessionID    string `json:"sessionId,omitempty"`
	CLISessionID string `json:"cliSessionId"`
	// MessageID is the last copied message, "" for all. LineID is the CLI's own id
	// of that message's last line.
	MessageID string `json:"messageId,omitempty"`
	LineID    string `json:"lineId,omitempty"`
}

// ListState is where a session is listed.
type ListState string

const (
	// ShelfOpen is the list itself.
	ShelfOpen ListState = "open"
	// ShelfArchive holds archived sessions.
	ShelfArchive ListState = "archive"
	// ShelfTrash holds deleted sessions that can be restored.
	ShelfTrash ListState = "trash"
	// ShelfNone is for hidden sessions.
	ShelfNone ListState = ""
)

// Shelf returns where the session is listed.
func (s *Session) Shelf() ListState {
	switch {
	case s.Hidden:
		return ShelfNone
	case s.DeletedAt != 0:
		return ShelfTrash
	case s.ArchivedAt != 0:
		return ShelfArchive
	}
	return ShelfOpen
}

// Draft is unsent text of a session. It has a separate record
// because it changes with every pause in typing.
type Draft struct {
	SessionID   string       `json:"sessionId"`
	Text        string       `json:"text,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	UpdatedAt   int64        `json:"updatedAt"`
}

// Prompt is an accepted prompt that the CLI has not started.
type Prompt struct {
	SessionID string `json:"sessionId"`
	// Order is its place in the session's queue; gaps have no meaning.
	Order    int64  `json:"order"`
	PromptID string `json:"promptId"`
	TurnID   string `json:"turnId"`
	// UUID is the CLI's id of it, "" for TurnID.
	UUID        string       `json:"uuid,omitempty"`
	Text        string       `json:"text,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	// Phase is its delivery state, as defined by the session. Records of older versions have
	// Sent instead: it was written to a CLI, which may have started it before it ended.
	Phase string `json:"phase,omitempty"`
	Sent  bool   `json:"sent,omitempty"`
	// Why is why it failed, nil if it did not.
	Why *Failure `json:"why,omitempty"`
	At  int64    `json:"at"`
	// Note is set if it is not a prompt but a note to the model before the next one.
	Note *Note `json:"note,omitempty"`
	// Author is its author, nil for the local user; Lead is a line before the text that
	// only the model gets.
	Author *Author `json:"author,omitempty"`
	Lead   string  `json:"lead,omitempty"`
}

// Failure is why a prompt never ran.
type Failure struct {
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

// Note tells the model about something that a user did.
type Note struct {
	Messages []NoteMessage `json:"messages"`
	// Shown is the message that represents it in the conversation, as JSON.
	Shown json.RawMessage `json:"shown,omitempty"`
}

// NoteMessage is one message of a note. ID is its uuid.
type NoteMessage struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Attachment refers to a stored file.
type Attachment struct {
	Name      string `json:"name,omitempty"`
	MediaType string `json:"mediaType"`
	// Blob is the file's name: the SHA-256 of its contents in hexadecimal digits.
	Blob string `json:"blob"`
	Size int64  `json:"size"`
}
