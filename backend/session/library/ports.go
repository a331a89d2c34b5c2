package library

import (
	"context"
	"io"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/session"
	"parley/backend/store/model"
)

// Records stores everything that must outlive Parley.
type Records interface {
	// Sessions returns all records of sessions.
	Sessions() ([]model.Session, error)
	// Waiting calls yield for every waiting prompt, in the order of each session's
	// queue.
	Waiting(yield func(model.Prompt)) error
	// Queue returns a session's waiting prompts, in order.
	Queue(sessionID string) ([]model.Prompt, error)
	// Drafts calls yield for every draft.
	Drafts(yield func(model.Draft)) error
	// Draft returns a session's draft, and false when it has none.
	Draft(sessionID string) (model.Draft, bool, error)
	// Authors returns the authors of prompts by turn; a user's own prompts aren't
	// included.
	Authors(turnIDs []string) (map[string]model.Authored, error)
	// Deeds returns who stopped turns and answered questions about tool uses, by the ids of
	// those.
	Deeds(ids []string) (map[string]model.Action, error)
	// Outcomes returns how turns ended, by their last answers.
	Outcomes(messageIDs []string) (map[string]model.Outcome, error)
	// Unsaved returns a session's messages that aren't in the CLI's file, in order.
	Unsaved(sessionID string) ([]model.Unsaved, error)
	// Layout returns a window's layout, and false if unknown.
	Layout(window string) (model.Layout, bool, error)
	// Write makes all of the changes or none, and returns when they are durable.
	// Its errors are faults that a user can act on.
	Write(Changes) error
}

// Changes is a set of changes to write atomically.
type Changes struct {
	Sessions []model.Session
	// Forgotten are the ids of sessions to remove, Unsigned those whose authors,
	// deeds, outcomes and unsaved messages are no longer needed.
	Forgotten []string
	Unsigned  []string
	Prompts   []model.Prompt
	Released  []PromptKey
	Drafts    []model.Draft
	// Undrafted are the ids of sessions whose draft is removed.
	Undrafted []string
	Layouts   []model.Layout
	// Authors are added; of each session the newest model.MaxAuthored stay.
	// The same applies to Deeds, and to the newest model.MaxOutcomes of
	// Outcomes.
	Authors  []model.Authored
	Deeds    []model.Action
	Outcomes []model.Outcome
	// Unsaved are added, of each session the newest model.MaxUnsaved stay; Saved are the
	// ids of messages among them that are no longer needed.
	Unsaved []model.Unsaved
	Saved   []string
}

// PromptKey identifies a waiting prompt.
type PromptKey struct {
	SessionID string
	Order     int64
}

// Blobs stores the files of drafts and waiting prompts by content hash.
type Blobs interface {
	// Put stores contents and returns their name.
	Put(contents []byte) (name string, err error)
	// Open opens the contents stored under a name (errors.Is fs.ErrNotExist).
	Open(name string) (io.ReadCloser, error)
	// Sweep removes everything not in keep.
	Sweep(keep map[string]bool) error
}

// LiveSessions runs sessions. [session.Registry] implements it.
type LiveSessions interface {
	Create(session.CreateParams) (event.Session, error)
	// Restore makes a session live, without starting a process.
	Restore(session.Snapshot, session.ResumeState) error
	// Live reports whether a session is live.
	Live(id string) bool
	// Saved returns the session's current state to store.
	Saved(ctx context.Context, id string) (session.Snapshot, error)
	Get(ctx context.Context, id string) (event.Session, error)
	List() []event.Session
	History(ctx context.Context, id string, limit int, before string) (event.History, error)
	Rename(ctx context.Context, id, title string, chosen bool) error
	Suspend(ctx context.Context, id string) error
	Fresh(ctx context.Context, id string) error
	// CloseSession ends a session with its process. It can still be read.
	CloseSession(ctx context.Context, id string) error
	// Forget ends a session with its process and removes it. It is no error if it
	// isn't live.
	Forget(ctx context.Context, id string) error
	// Rest removes an inactive session: no process, no waiting prompt and no open
	// question. It is a conflict if it has one, and no error if it isn't live.
	Rest(ctx context.Context, id string) error
}

// Catalog knows the conversations on disk. [history.Catalog] implements it.
type Catalog interface {
	Entries() []history.Entry
	Hidden() []history.Entry
	Changes() <-chan history.Change
}

// Workspaces knows the user's folders.
type Workspaces interface {
	// Use returns the id of a folder's workspace and creates it if necessary. The
	// folder must exist.
	Use(folder string) (id string, err error)
	// Of returns the id of a folder's workspace, "" for none.
	Of(folder string) string
	// Seen records folders that the CLI was used in, with the time of the last use.
	Seen(folders map[string]int64) error
}
