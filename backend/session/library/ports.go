package library

import (
	"context"
	"io"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/session"
	"parley/backend/store/model"
)

// Records is where everything is kept that must outlive Parley.
type Records interface {
	// Sessions returns all records of sessions.
	Sessions() ([]model.Session, error)
	// Waiting calls yield for every prompt that waits, in the order of each session's
	// queue.
	Waiting(yield func(model.Prompt)) error
	// Queue returns a session's waiting prompts, in order.
	Queue(sessionID string) ([]model.Prompt, error)
	// Drafts calls yield for every draft.
	Drafts(yield func(model.Draft)) error
	// Draft returns a session's draft, and false when it has none.
	Draft(sessionID string) (model.Draft, bool, error)
	// Authors returns who wrote prompts, by their turns; those that a user wrote here
	// are not among them.
	Authors(turnIDs []string) (map[string]model.Authored, error)
	// Deeds returns who stopped turns and answered questions about tool uses, by the ids of
	// those.
	Deeds(ids []string) (map[string]model.Deed, error)
	// Outcomes returns how turns ended, by their last answers.
	Outcomes(messageIDs []string) (map[string]model.Outcome, error)
	// Unsaved returns what was said in a session and is not in the CLI's file, in order.
	Unsaved(sessionID string) ([]model.Unsaved, error)
	// Layout returns how a window was arranged, and false when nobody knows.
	Layout(window string) (model.Layout, bool, error)
	// Write makes all of the changes or none, and returns when they are safe. Its
	// errors are faults that a user can act on.
	Write(Changes) error
}

// Changes is what to write at once.
type Changes struct {
	Sessions []model.Session
	// Forgotten are the ids of sessions to remove, Unsigned those whose authors, deeds
	// outcomes and unsaved messages are not needed any more.
	Forgotten []string
	Unsigned  []string
	Prompts   []model.Prompt
	Released  []PromptKey
	Drafts    []model.Draft
	// Undrafted are the ids of sessions whose draft is to be removed.
	Undrafted []string
	Layouts   []model.Layout
	// Authors are new; of each session the newest model.MaxAuthored stay.
	// So it is with Deeds, and the newest model.MaxOutcomes of Outcomes.
	Authors  []model.Authored
	Deeds    []model.Deed
	Outcomes []model.Outcome
	// Unsaved are new, of each session the newest model.MaxUnsaved stay; Saved are the ids
	// of messages among them that are not needed any more.
	Unsaved []model.Unsaved
	Saved   []string
}

// PromptKey is where a waiting prompt is.
type PromptKey struct {
	SessionID string
	Order     int64
}

// Blobs keeps what belongs to drafts and waiting prompts, by the hash of its
// contents.
type Blobs interface {
	// Put keeps contents and returns their name.
	Put(contents []byte) (name string, err error)
	// Open returns what is kept under a name (errors.Is fs.ErrNotExist).
	Open(name string) (io.ReadCloser, error)
	// Sweep removes what is not to be kept.
	Sweep(keep map[string]bool) error
}

// Live runs sessions. [session.Registry] is one.
type Live interface {
	Create(session.CreateParams) (event.Session, error)
	// Restore makes a session live, without starting a process.
	Restore(session.Saved, session.Past) error
	// Live says whether a session is live.
	Live(id string) bool
	// Saved is what the session would have kept now.
	Saved(ctx context.Context, id string) (session.Saved, error)
	Get(ctx context.Context, id string) (event.Session, error)
	List() []event.Session
	History(ctx context.Context, id string, limit int, before string) (event.History, error)
	Rename(ctx context.Context, id, title string, chosen bool) error
	Suspend(ctx context.Context, id string) error
	Fresh(ctx context.Context, id string) error
	// CloseSession ends a session with its process. What it was can still be read.
	CloseSession(ctx context.Context, id string) error
	// Forget ends a session with its process and forgets it. It is no error when it is
	// not live.
	Forget(ctx context.Context, id string) error
	// Rest forgets a session that has nothing to do: no process, no prompt that waits
	// and no question. It is a conflict when it has, and no error when it is not live.
	Rest(ctx context.Context, id string) error
}

// Catalog knows the conversations on disk. [history.Catalog] is one.
type Catalog interface {
	Entries() []history.Entry
	Hidden() []history.Entry
	Changes() <-chan history.Change
}

// Workspaces knows the folders that a user works in.
type Workspaces interface {
	// Use returns the id of a folder's workspace, made if there is none. The folder
	// must exist.
	Use(folder string) (id string, err error)
	// Of returns the id of a folder's workspace, "" for none.
	Of(folder string) string
	// Seen takes note of folders that the CLI was used in, with the time of the last
	// use.
	Seen(folders map[string]int64) error
}
