package heartbeat

import (
	"context"
	"log/slog"
	"time"

	"parley/backend/event"
	"parley/backend/outside"
	"parley/backend/store/model"
)

// Limits of what runs, and of what is stored.
const (
	// MaxWorking is how many runs work at the same time, MaxRuns the number including
	// those waiting for an answer.
	MaxWorking = 4
	MaxRuns    = 32
	// MaxRepeats is how often a run may make the same tool call in a row.
	MaxRepeats = 5
	// MaxFailures is how many runs may fail in a row.
	MaxFailures = 3
	// KeepRecords is how many records are kept per heartbeat, KeepFor for how long.
	KeepRecords = 10_000
	KeepFor     = 400 * 24 * time.Hour
)

// Where a run takes place.
const (
	HomeFresh      = "fresh"
	HomePersistent = "persistent"
	HomeSession    = "session"
)

// Config configures heartbeats. All fields except Now, Take, Unwatched, Scripted, Keep
// and Channel are required.
type Config struct {
	// Path is heartbeats.yaml, Home the user's home folder.
	Path, Home string
	// Zone is the time zone of schedules without one.
	Zone     *time.Location
	Ledger   Ledger
	Sessions Sessions
	// Channel posts a run's answer in a channel. Without it, heartbeats with that
	// destination fail and say so.
	Channel func(ctx context.Context, channel string, run RunOutcome) error
	// Connected reports whether there is a Mattermost connection, even one still
	// connecting. nil means that there is one if Channel is set.
	Connected func() bool
	// Workspace returns the name of a folder's workspace.
	Workspace func(folder string) string
	// Scripted means demo mode. Heartbeats that ran with the real model are then not
	// run.
	Scripted bool
	// Keep stores what was accepted of the file. Changes by another program that
	// allow more don't apply; if nil, the file applies as it is.
	Keep outside.Keeper
	// Publish publishes [event.HeartbeatsChanged]; it never blocks for long.
	Publish func(event.Event)
	// Notify notifies the user. It never blocks for long.
	Notify func(Notice)
	// Now is the wall clock.
	Now func() time.Time
	// Take takes the lock of a linked file that another Parley may run too. release is nil
	// if another one has it.
	Take func(path string) (release func() error, err error)
	// Unwatched only polls the file.
	Unwatched bool
	Logger    *slog.Logger
}

// Asking is the state of a run that waits for a user's answer.
const Asking = "asking"

// RunOutcome is a run's result, or that it asks: then its channel shows the rest, too. ID is
// unique per run and its prompt's, SessionID where it ran.
type RunOutcome struct{ ID, SessionID, Name, Title, State, Text string }

// channels reports whether answers can be sent to channels.
func (c *Config) channels() bool {
	return c.Channel != nil && (c.Connected == nil || c.Connected())
}

// Notice is a notification for the user.
type Notice struct {
	// SessionID is where to look, "" if there is no session; Name is the heartbeat's,
	// Title its description.
	SessionID, Name, Title string
	// Kind is "found", "failed" or "stopped".
	Kind string
}

// Ledger stores what happens to due times.
type Ledger interface {
	// Load returns the heartbeats' states, the unfinished records, and whether all are
	// paused.
	Load() ([]model.HeartbeatState, []model.HeartbeatRun, model.Pause, error)
	// Write writes all of it, or nothing. A new record with an existing id is skipped,
	// and its id returned.
	Write(LedgerEntry) (known map[string]bool, err error)
	Beat(id string) (model.HeartbeatRun, bool, error)
	// History selects records, newest first, and reports whether there are more.
	History(HistoryQuery) ([]model.HeartbeatRun, bool, error)
	// Prune removes records from before a time, and all but the newest of each heartbeat.
	Prune(before time.Time, keep int) (int, error)
}

// LedgerEntry is an atomic write.
type LedgerEntry struct {
	// New are records of due times without one.
	New []model.HeartbeatRun
	// Changed are updated records.
	Changed []model.HeartbeatRun
	Hearts  []model.HeartbeatState
	Pause   *model.Pause
}

// HistoryQuery selects records. From and To bound the due time in milliseconds, 0 for
// open; Before is the id of the last known one.
type HistoryQuery struct {
	Name     string
	From, To int64
	Before   string
	Limit    int
}

// Place is where to run.
type Place struct {
	Name, Title, Folder, Model, Effort, PermissionMode, Guard string
	// Home is one of the Home constants. SessionID is the session to continue; ""
	// creates one.
	Home, SessionID string
	// USD is the run's cost limit, 0 for none. It is for the CLI of a session created for
	// the run: in another session the CLI also counts earlier costs.
	USD float64
}

// RunSession is the session of a run.
type RunSession struct {
	SessionID, PromptID, Home string
	// Rested is true if the session had no process before the run.
	Rested bool
}

// Sessions runs prompts. Its methods may be called from any goroutine. Session events go
// to [Service.Observe].
type Sessions interface {
	// Open creates a session, or wakes the given one; nothing is sent. rested means that
	// it had no process.
	Open(ctx context.Context, p Place) (id string, rested bool, err error)
	// Send sends the prompt, after the session's current work. A prompt id that was
	// sent before isn't sent again.
	Send(ctx context.Context, sessionID, promptID, text string) (turnID string, err error)
	// Stop drops the prompt if it is queued, and interrupts its turn if running.
	Stop(ctx context.Context, sessionID, promptID, turnID string) error
	// EndRunSession ends the process of a session after a run, unless others are using it,
	// and drops a prompt that is still queued. force ends it anyway.
	EndRunSession(ctx context.Context, s RunSession, force bool) error
	// Fold records whether the newest run in a heartbeat's own session found nothing to
	// do.
	Fold(sessionID string, quiet bool) error
	// Used returns when a session or else a folder was last used, in milliseconds, 0 for
	// never. Heartbeats' own sessions don't count for a folder.
	Used(ctx context.Context, sessionID, folder string) int64
}
