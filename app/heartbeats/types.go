package heartbeats

import (
	"parley/backend/event"
	"parley/backend/heartbeat/plan"
)

// The parameters and results of heartbeats: prompts on a schedule. A heartbeat is known
// by its name.

// HeartbeatList is the file of heartbeats, and what becomes of it.
type HeartbeatList struct {
	// Heartbeats are in the order of the file.
	Heartbeats []Heartbeat `json:"heartbeats"`
	// File is where they are written, Revision what is in it now.
	File     string `json:"file"`
	Revision string `json:"revision"`
	// Problems are what is wrong with the file. While there are any that stop it from
	// being read (Stale), the heartbeats are those of the last file that was right.
	Problems []plan.Problem `json:"problems"`
	Stale    bool           `json:"stale"`
	// Paused is true while nothing fires; PausedUntil is when that ends by itself, 0 for
	// never.
	Paused      bool  `json:"paused"`
	PausedUntil int64 `json:"pausedUntil"`
	// Zone is the time zone of those that name none.
	Zone string `json:"zone"`
	// Spent is what all heartbeats used.
	Today HeartbeatSpent `json:"today"`
	Month HeartbeatSpent `json:"month"`
}

// HeartbeatSpent is what runs used.
type HeartbeatSpent struct {
	Runs    int64   `json:"runs"`
	Turns   int64   `json:"turns"`
	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"costUSD"`
}

// Heartbeat is one with what is known of it.
type Heartbeat struct {
	plan.Spec
	// State is "idle", "running", "waiting" (a question of a run is open), "off" (not
	// enabled), "stopped" (the fuse) or "over" (it will not be due again).
	State string `json:"state"`
	// Why says why it is stopped, "" otherwise.
	Why string `json:"why"`
	// Next is when it is due, 0 for never; Words is its schedule as a sentence in
	// English.
	Next  int64  `json:"next"`
	Words string `json:"words"`
	// Line is where it stands in the file.
	Line int `json:"line"`
	// Last is the newest record, null before the first. Running is the one under way.
	Last    *HeartbeatRecord `json:"last"`
	Running *HeartbeatRecord `json:"running"`
	Today   HeartbeatSpent   `json:"today"`
	Month   HeartbeatSpent   `json:"month"`
}

// HeartbeatRecord is what became of one due time, or of one run that a user began.
type HeartbeatRecord struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// State is "due" (waits for another run or to begin), "started", "finished",
	// "skipped", "late" (too late: the deadline was over), "missed" (nobody was there),
	// "failed" or "cancelled".
	State string `json:"state"`
	// Trigger is "schedule", "missed" (run later by the policy), "person" or "session".
	Trigger string `json:"trigger"`
	// Reason is a sentence, "" where nothing needs to be said.
	Reason string `json:"reason"`
	// Code is a word for the reason: "paused", "quiet", "overlap", "deadline", "budget",
	// "disabled", "timeout", "auth", "limit", "repeats", "crash", "idle", "error", "".
	Code string `json:"code"`
	// DueAt is when it should have run, StartedAt and EndedAt when it did, 0 for not.
	DueAt int64 `json:"dueAt"`
	// Count is 1, or more when the record stands for so many due times that had the same
	// outcome: DueAt is the newest of them, FirstAt the oldest.
	Count     int64 `json:"count"`
	FirstAt   int64 `json:"firstAt"`
	StartedAt int64 `json:"startedAt"`
	EndedAt   int64 `json:"endedAt"`
	// LateMs is by how much it began late.
	LateMs int64 `json:"lateMs"`
	// SessionID, TurnID and Turns say where it ran, "" for nowhere.
	SessionID string  `json:"sessionId"`
	TurnID    string  `json:"turnId"`
	Turns     int64   `json:"turns"`
	Tokens    int64   `json:"tokens"`
	CostUSD   float64 `json:"costUSD"`
	// Found is false when the run said that nothing was to do.
	Found bool `json:"found"`
	// Answer is the beginning of what the run said last.
	Answer string `json:"answer"`
	// Usage is what the run used, null before it ended.
	Usage *event.Usage `json:"usage"`
}

// HeartbeatRef names a heartbeat.
type HeartbeatRef struct {
	Name string `json:"name"`
}

// HeartbeatSaveParams writes a heartbeat into the file.
type HeartbeatSaveParams struct {
	// Name is the one that is changed, "" for a new one.
	Name string    `json:"name,omitempty"`
	Spec plan.Spec `json:"spec"`
}

// HeartbeatText is the file as it is written.
type HeartbeatText struct {
	Text string `json:"text"`
	// Revision is given back to save: a file that changed meanwhile is a conflict.
	Revision string `json:"revision"`
}

// HeartbeatCheckParams asks about a heartbeat that is not saved, or about a whole file.
type HeartbeatCheckParams struct {
	Spec *plan.Spec `json:"spec,omitempty"`
	Text *string    `json:"text,omitempty"`
}

// HeartbeatCheck is what would become of it.
type HeartbeatCheck struct {
	Problems []plan.Problem `json:"problems"`
	// Words and Next (at most ten due times) are of the spec.
	Words string  `json:"words"`
	Next  []int64 `json:"next"`
	Zone  string  `json:"zone"`
}

// HeartbeatPreview is a dry run: what a run would send, and what it may cost.
type HeartbeatPreview struct {
	Prompt string `json:"prompt"`
	// Folder, Model and PermissionMode are what it would run with.
	Folder         string  `json:"folder"`
	Model          string  `json:"model"`
	PermissionMode string  `json:"permissionMode"`
	Next           []int64 `json:"next"`
	// Tokens and CostUSD are the middle of the last runs, Basis how many these are; with
	// none there is no estimate.
	Basis   int     `json:"basis"`
	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"costUSD"`
	// RunsPerMonth is how often it is due in the next 30 days, at most 100,000.
	RunsPerMonth int `json:"runsPerMonth"`
	// Blocked says why it would not run now, "" when it would.
	Blocked string `json:"blocked"`
}

// HeartbeatEnableParams switches one on or off, or takes back that it was stopped.
type HeartbeatEnableParams struct {
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
}

// HeartbeatPauseParams stops all, or lets them continue.
type HeartbeatPauseParams struct {
	Paused bool `json:"paused"`
	// Until is when it ends by itself, 0 for never.
	Until int64 `json:"until,omitempty"`
}

// HeartbeatRunResult names the run that was begun.
type HeartbeatRunResult struct {
	RecordID string `json:"recordId"`
}

// HeartbeatRunRef names a run.
type HeartbeatRunRef struct {
	RecordID string `json:"recordId"`
}

// HeartbeatHistoryParams asks for records, newest first.
type HeartbeatHistoryParams struct {
	// Name leaves out the others.
	Name string `json:"name,omitempty"`
	// From and To bound the due time: from included, to not; 0 is open.
	From int64 `json:"from,omitempty"`
	To   int64 `json:"to,omitempty"`
	// Before continues after a page: the id of its last record.
	Before string `json:"before,omitempty"`
	// Limit is 1 to 1,000; 0 means 100.
	Limit int `json:"limit,omitempty"`
}

// HeartbeatHistory is a page of the ledger.
type HeartbeatHistory struct {
	Records []HeartbeatRecord `json:"records"`
	More    bool              `json:"more"`
}

// HeartbeatSchema is the JSON schema of the file.
type HeartbeatSchema struct {
	Schema string `json:"schema"`
}
