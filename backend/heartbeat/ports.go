package heartbeat

import (
	"context"
	"log/slog"
	"time"

	"parley/backend/event"
	"parley/backend/outside"
	"parley/backend/store/model"
)

// Bounds of what runs, and of what is kept.
const (
	// MaxWorking is how many runs work at the same time, MaxRuns how many there are with
	// those that wait for an answer.
	MaxWorking = 4
	MaxRuns    = 32
	// MaxRepeats is how often a run may use the same tool in the same way in a row.
	MaxRepeats = 5
	// MaxFailures is how many runs may fail in a row.
	MaxFailures = 3
	// KeepRecords is how many records are kept of a heartbeat, KeepFor for how long.
	KeepRecords = 10_000
	KeepFor     = 400 * 24 * time.Hour
)

// Where a run takes place.
const (
	HomeFresh      = "fresh"
	HomePersistent = "persistent"
	HomeSession    = "session"
)

// Config is what heartbeats need. Everything but Now, Take, Unwatched, Rehearsal, Keep and
// Channel is required.
type Config struct {
	// Path is heartbeats.yaml, Home the user's home folder.
	Path, Home string
	// Zone is that of schedules which name none.
	Zone     *time.Location
	Ledger   Ledger
	Sessions Sessions
	// Channel sends to a channel what a run answered. Without it, heartbeats with that
	// destination fail and say so.
	Channel func(ctx context.Context, channel string, run Answered) error
	// Connected says whether there is a connection to a chat, if only one that is being
	// made. nil says that there is one if there is a Channel.
	Connected func() bool
	// Workspace names what a folder belongs to.
	Workspace func(folder string) string
	// Rehearsal says that sessions talk to a scripted model. Heartbeats that ran with the
	// real one are not run then.
	Rehearsal bool
	// Keep has what was accepted of the file. What somebody else wrote that lets more
	// happen does not hold; without it, what the file says holds.
	Keep outside.Keeper
	// Publish takes [event.HeartbeatsChanged]; it never blocks for long.
	Publish func(event.Event)
	// Notify tells a user who is not looking. It never blocks for long.
	Notify func(Notice)
	// Now is the wall clock.
	Now func() time.Time
	// Take takes the right to run what another Parley may run, too: the heartbeats of a file
	// that is linked to. release is nil when another one has it.
	Take func(path string) (release func() error, err error)
	// Unwatched leaves it at looking at the file now and then.
	Unwatched bool
	Logger    *slog.Logger
}

// Asking is the state of a run that waits for a user's answer.
const Asking = "asking"

// Answered is what a run came to, or that it asks: then its channel shows the rest, too. ID
// is unique for each run and that of its prompt, SessionID where it ran.
type Answered struct{ ID, SessionID, Name, Title, State, Text string }

// channels says whether answers can be sent to channels.
func (c *Config) channels() bool {
	return c.Channel != nil && (c.Connected == nil || c.Connected())
}

// Notice is something that a user is told of.
type Notice struct {
	// SessionID is where to look, "" when it did not get as far as a session; Name is the
	// heartbeat's, Title what it is about.
	SessionID, Name, Title string
	// Kind is "found", "failed" or "stopped".
	Kind string
}

// Ledger keeps what becomes of due times.
type Ledger interface {
	// Load returns what is remembered of heartbeats, the records that are not over, and
	// whether all are paused.
	Load() ([]model.Heart, []model.Beat, model.Pause, error)
	// Write writes all of it, or nothing. A new record whose id exists already is left
	// out, and its id returned.
	Write(Entry) (known map[string]bool, err error)
	Beat(id string) (model.Beat, bool, error)
	// History selects records, newest first, and says whether there are more.
	History(HistoryQuery) ([]model.Beat, bool, error)
	// Prune forgets records from before a time, and all but the newest of each heartbeat.
	Prune(before time.Time, keep int) (int, error)
}

// Entry is what is written at once.
type Entry struct {
	// New are records of due times that have none.
	New []model.Beat
	// Changed are records as they are now.
	Changed []model.Beat
	Hearts  []model.Heart
	Pause   *model.Pause
}

// HistoryQuery selects records. From and To bound the due time in milliseconds, 0 for
// open; Before is the id of the last one that is known already.
type HistoryQuery struct {
	Name     string
	From, To int64
	Before   string
	Limit    int
}

// Place is where a run is to take place.
type Place struct {
	Name, Title, Folder, Model, Effort, PermissionMode, Guard string
	// Home is one of the Home constants. SessionID is the one to continue with; "" makes
	// one.
	Home, SessionID string
	// USD is what the run may cost, 0 for any. It is for the CLI of a session that is made
	// for the run: in another one it counts what was before, too.
	USD float64
}

// Stay is a session that a run was in.
type Stay struct {
	SessionID, PromptID, Home string
	// Rested is true when the session had no process before the run.
	Rested bool
}

// Sessions runs prompts. Its methods may be called from any goroutine. What happens in a
// session is told to [Service.Observe].
type Sessions interface {
	// Open makes a session, or wakes the one that is named; nothing is sent. rested says
	// that it had no process.
	Open(ctx context.Context, p Place) (id string, rested bool, err error)
	// Send sends the prompt, after what the session is doing. A prompt id that was sent
	// before is not sent again.
	Send(ctx context.Context, sessionID, promptID, text string) (turnID string, err error)
	// Stop takes back the prompt if it waits, and interrupts its turn if that is under
	// way.
	Stop(ctx context.Context, sessionID, promptID, turnID string) error
	// PutAway ends the process of a session after a run, unless somebody else goes on
	// with it, and takes back a prompt that still waits. force ends it anyway.
	PutAway(ctx context.Context, s Stay, force bool) error
	// Fold says whether the newest run in a heartbeat's own session found nothing to do.
	Fold(sessionID string, quiet bool) error
	// Used is when a session or else a folder was last used by anybody, in milliseconds,
	// 0 for never. Heartbeats' own sessions do not count for a folder.
	Used(ctx context.Context, sessionID, folder string) int64
}
