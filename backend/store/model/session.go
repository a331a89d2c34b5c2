// Package model has the types of what Parley keeps between two runs: plain data
// with JSON names that are on people's disks and therefore never change. New fields
// may be added at any time, because an older Parley leaves them alone; what changes
// a field's meaning needs a migration in backend/store/schema.
//
// Times are milliseconds since 1970, 0 for never. The package does no I/O, starts
// no goroutine, and knows neither the store nor who uses it.
package model

import "encoding/json"

// Bounds of what is kept. Whoever fills a record keeps to them.
const (
	// MaxQueued is how many prompts of a session wait.
	MaxQueued = 200
	// MaxText is the length of a draft or a prompt in bytes.
	MaxText = 8 << 20
	// MaxAttachments is how many attachments a draft or a prompt has.
	MaxAttachments = 20
)

// Session is what Parley remembers of a session. The conversation itself is in the
// CLI's transcript; see Draft and Prompt for what was not sent yet.
type Session struct {
	ID          string `json:"id"`
	WorkspaceID string `json:"workspaceId,omitempty"`
	// CWD is the folder the conversation began in. The CLI finds it again only from
	// there.
	CWD   string `json:"cwd"`
	Title string `json:"title,omitempty"`
	// TitleSource says who chose the title; a user's is never replaced.
	TitleSource    TitleSource `json:"titleSource,omitempty"`
	Engine         string      `json:"engine,omitempty"`
	Model          string      `json:"model,omitempty"`
	Effort         string      `json:"effort,omitempty"`
	PermissionMode string      `json:"permissionMode,omitempty"`
	Guard          string      `json:"guard,omitempty"`
	Rehearsal      bool        `json:"rehearsal,omitempty"`
	Profile        string      `json:"profile,omitempty"`
	// CLISessionID is the conversation's id on the CLI's side.
	CLISessionID string `json:"cliSessionId,omitempty"`
	// Begun is true once the CLI knows that id, so that it is to be resumed.
	Begun bool `json:"begun,omitempty"`
	// Unanswered is true while no turn of the conversation has ended.
	Unanswered bool `json:"unanswered,omitempty"`
	// PreviousCLISessionIDs are the ids before each /clear, oldest first.
	PreviousCLISessionIDs []string `json:"previousCliSessionIds,omitempty"`
	ForkedFrom            *Fork    `json:"forkedFrom,omitempty"`
	// State is what the session did at the last write, see event.Session.
	State string `json:"state,omitempty"`
	// InterruptedTurn is the turn that was under way when an earlier Parley ended.
	InterruptedTurn string `json:"interruptedTurn,omitempty"`
	// Window and Used are the meter's last reading, in tokens: the size of the context
	// window is in none of the CLI's files.
	Window       int64   `json:"window,omitempty"`
	Used         int64   `json:"used,omitempty"`
	WindowSource string  `json:"windowSource,omitempty"`
	Tokens       Tokens  `json:"tokens,omitzero"`
	TotalCostUSD float64 `json:"totalCostUSD,omitempty"`
	// LastSeq is the number of its newest event.
	LastSeq uint64 `json:"lastSeq,omitempty"`
	// Seen are the last prompts that were accepted, oldest first.
	Seen []HandledPrompt `json:"seen,omitempty"`
	// Messages is how many the conversation had when LastActivityAt was noted: when
	// there are more, somebody continued with it elsewhere.
	Messages int `json:"messages,omitempty"`
	// Adopted is true for a conversation that began without Parley.
	Adopted        bool  `json:"adopted,omitempty"`
	CreatedAt      int64 `json:"createdAt"`
	LastActivityAt int64 `json:"lastActivityAt"`
	ArchivedAt     int64 `json:"archivedAt,omitempty"`
	// DeletedAt is when it was put into the trash.
	DeletedAt int64 `json:"deletedAt,omitempty"`
	Pinned    bool  `json:"pinned,omitempty"`
	Unread    bool  `json:"unread,omitempty"`
	// Trouble is set while a page shows the session, and cleared when that went well:
	// what is found set at the start opens in safe mode, and never by itself.
	Trouble Trouble `json:"trouble,omitempty"`
	// Heartbeat is the name of the heartbeat whose run it is, "" for none. Quiet is set
	// when that run found nothing to do.
	Heartbeat string `json:"heartbeat,omitempty"`
	Quiet     bool   `json:"quiet,omitempty"`
	// SpawnedBy is the session whose model made it, "" for none.
	SpawnedBy string `json:"spawnedBy,omitempty"`
	// Mirror is the thread of a chat in which it is shown, nil for none.
	Mirror *Mirror `json:"mirror,omitempty"`
	// Hidden sessions are Parley's own and not listed.
	Hidden bool `json:"hidden,omitempty"`
}

// Tokens are what the meter's last reading is made of, or what a turn used.
type Tokens struct {
	Input         int64 `json:"input,omitempty"`
	CacheRead     int64 `json:"cacheRead,omitempty"`
	CacheCreation int64 `json:"cacheCreation,omitempty"`
	Output        int64 `json:"output,omitempty"`
}

// HandledPrompt is a prompt that is not to be sent again, with the turn it got.
type HandledPrompt struct {
	PromptID string `json:"promptId"`
	TurnID   string `json:"turnId"`
}

// MaxOutcomes is of how many turns of a session it is kept how they ended: the newest.
const MaxOutcomes = 5000

// Outcome is what the CLI said of a turn when it ended, because its transcript does not
// have it: what it cost, above all. It stays with the session.
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

// MaxUnsaved is how many messages of a session are kept that are not in the CLI's file: the
// newest.
const MaxUnsaved = 500

// Unsaved is a message that the CLI's own file lacks, or may lack one day.
type Unsaved struct {
	MessageID    string `json:"messageId"`
	SessionID    string `json:"sessionId"`
	CLISessionID string `json:"cliSessionId"`
	// In is the message of the CLI's file that has it, when it was kept in case that the
	// conversation continues without it; "" for one that the file did not have.
	In string `json:"in,omitempty"`
	// After is the message before it, "" for none.
	After string `json:"after,omitempty"`
	// Order rises with each.
	Order int64 `json:"order"`
	// Message is it as the border has it.
	Message json.RawMessage `json:"message"`
}

// TitleSource says where a title comes from.
type TitleSource string

const (
	// TitleByPerson was typed by a user.
	TitleByPerson TitleSource = "person"
	// TitleByPrompt is the beginning of the first prompt.
	TitleByPrompt TitleSource = "prompt"
	// TitleByCLI is the CLI's summary.
	TitleByCLI TitleSource = "cli"
)

// Trouble says what a session did to the page that showed it.
type Trouble string

const (
	// TroubleHung: the page stopped answering.
	TroubleHung Trouble = "hung"
	// TroubleCrashed: the page died.
	TroubleCrashed Trouble = "crashed"
)

// Fork says what a session was forked from.
type Fork struct {
	SessionID    string `json:"sessionId,omitempty"`
	CLISessionID string `json:"cliSessionId"`
	// MessageID is the last message taken over, "" for all. LineID is the CLI's own id
	// of that message's last line.
	MessageID string `json:"messageId,omitempty"`
	LineID    string `json:"lineId,omitempty"`
}

// ListState is where a session is listed.
type ListState string

const (
	// ShelfOpen is the list itself.
	ShelfOpen ListState = "open"
	// ShelfArchive holds what a user put away.
	ShelfArchive ListState = "archive"
	// ShelfTrash holds what a user deleted and may still want back.
	ShelfTrash ListState = "trash"
	// ShelfNone is for hidden sessions.
	ShelfNone ListState = ""
)

// Shelf says where the session is listed.
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

// Draft is what was typed in a session and not sent. It has a record of its own
// because it changes with every pause in typing.
type Draft struct {
	SessionID   string       `json:"sessionId"`
	Text        string       `json:"text,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	UpdatedAt   int64        `json:"updatedAt"`
}

// Prompt is a prompt that was accepted and not taken up by the CLI.
type Prompt struct {
	SessionID string `json:"sessionId"`
	// Order is its place in the session's queue; gaps mean nothing.
	Order    int64  `json:"order"`
	PromptID string `json:"promptId"`
	TurnID   string `json:"turnId"`
	// UUID is the one that the CLI knows it by, "" for TurnID.
	UUID        string       `json:"uuid,omitempty"`
	Text        string       `json:"text,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	// Phase is where it is on its way, as the session says. Records of older versions have
	// Sent instead: it was written to a CLI, which may have taken it up before it ended.
	Phase string `json:"phase,omitempty"`
	Sent  bool   `json:"sent,omitempty"`
	// Why says why it failed, nil when it did not.
	Why *Failure `json:"why,omitempty"`
	At  int64    `json:"at"`
	// Note is set when it is no prompt but what the model is told before the next one.
	Note *Note `json:"note,omitempty"`
	// Author is who wrote it, nil for whoever sits at this Parley; Lead is the line that
	// only the model is told before the text.
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

// Note is what the model is told of something that a user did.
type Note struct {
	Messages []NoteMessage `json:"messages"`
	// Shown is a message that stands for it in the conversation, as JSON.
	Shown json.RawMessage `json:"shown,omitempty"`
}

// NoteMessage is one message of a note. ID is its uuid.
type NoteMessage struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Attachment refers to a file that Parley keeps.
type Attachment struct {
	Name      string `json:"name,omitempty"`
	MediaType string `json:"mediaType"`
	// Blob names the file: the SHA-256 of its contents in hexadecimal digits.
	Blob string `json:"blob"`
	Size int64  `json:"size"`
}
