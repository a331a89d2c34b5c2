package heartbeats

import (
	"parley/backend/event"
	"parley/backend/heartbeat/plan"
)

// Parameters and results of heartbeats: scheduled prompts, identified by name.

// HeartbeatList is the heartbeats file and its state.
type HeartbeatList struct {
	// Heartbeats are in the order of the file.
	Heartbeats []Heartbeat `json:"heartbeats"`
	// File is its path, Revision identifies its current content.
	File     string `json:"file"`
	Revision string `json:"revision"`
	// Problems are the problems of the file. If they prevent it from being read (Stale), the
	// heartbeats are those of the last valid file.
	Problems []plan.Problem `json:"problems"`
	Stale    bool           `json:"stale"`
	// Paused is true if all are paused; PausedUntil is when that ends automatically, 0 for never.
	Paused      bool  `json:"paused"`
	PausedUntil int64 `json:"pausedUntil"`
	// Zone is the time zone of those without their own.
	Zone string `json:"zone"`
	// Today is the usage of all heartbeats today.
	Today HeartbeatSpent `json:"today"`
	Month HeartbeatSpent `json:"month"`
}

// HeartbeatSpent is the usage of runs.
type HeartbeatSpent struct {
	Runs    int64   `json:"runs"`
	Turns   int64   `json:"turns"`
	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"costUSD"`
}

// Heartbeat is a heartbeat with its state.
type Heartbeat struct {
	plan.Spec
	// State is "idle", "running", "waiting" (a question of a run is open), "off" (not
	// enabled), "stopped" (the fuse) or "over" (it will not be due again).
	State string `json:"state"`
	// Why is the reason it was turned off automatically, "" otherwise.
	Why string `json:"why"`
	// Next is when it is due, 0 for never; Words is its schedule as a sentence in
	// English.
	Next  int64  `json:"next"`
	Words string `json:"words"`
	// Line is its line in the file.
	Line int `json:"line"`
	// Last is the newest record, null before the first. Running is the current one.
	Last    *HeartbeatRecord `json:"last"`
	Running *HeartbeatRecord `json:"running"`
	Today   HeartbeatSpent   `json:"today"`
	Month   HeartbeatSpent   `json:"month"`
}

// HeartbeatRecord is the outcome of one due time, or of one run that a user started.
type HeartbeatRecord struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// State is "due" (waits for another run or to start), "started", "finished",
	// "skipped", "late" (too late: past the deadline), "missed" (Parley or the computer was not running),
	// "failed" or "cancelled".
	State string `json:"state"`
	// Trigger is "schedule", "missed" (run later by the policy), "person" or "session".
	Trigger string `json:"trigger"`
	// Reason is a sentence, "" if none is needed.
	Reason string `json:"reason"`
	// Code is a word for the reason: "paused", "quiet", "overlap", "deadline", "budget",
	// "disabled", "timeout", "auth", "limit", "repeats", "crash", "idle", "error", "".
	Code string `json:"code"`
	// DueAt is when it should have run, StartedAt and EndedAt when it did, 0 for not.
	DueAt int64 `json:"dueAt"`
	// Count is 1, or more if the record stands for that many due times with the same outcome: DueAt
	// is the newest of them, FirstAt the oldest.
	Count     int64 `json:"count"`
	FirstAt   int64 `json:"firstAt"`
	StartedAt int64 `json:"startedAt"`
	EndedAt   int64 `json:"endedAt"`
	// LateMs is how late it started.
	LateMs int64 `json:"lateMs"`
	// SessionID, TurnID and Turns are where it ran, "" for nowhere.
	SessionID string  `json:"sessionId"`
	TurnID    string  `json:"turnId"`
	Turns     int64   `json:"turns"`
	Tokens    int64   `json:"tokens"`
	CostUSD   float64 `json:"costUSD"`
	// Found is false if the run reported that there was nothing to do.
	Found bool `json:"found"`
	// Answer is the beginning of the run's last message.
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

// HeartbeatText is the text of the file.
type HeartbeatText struct {
	Text string `json:"text"`
	// Revision is passed back when saving: a file that changed since then is a conflict.
	Revision string `json:"revision"`
}

// HeartbeatCheckParams checks an unsaved heartbeat, or a whole file.
type HeartbeatCheckParams struct {
	Spec *plan.Spec `json:"spec,omitempty"`
	Text *string    `json:"text,omitempty"`
}

// HeartbeatCheck is the result.
type HeartbeatCheck struct {
	Problems []plan.Problem `json:"problems"`
	// Words and Next (at most ten due times) are of the spec.
	Words string  `json:"words"`
	Next  []int64 `json:"next"`
	Zone  string  `json:"zone"`
}

// HeartbeatPreview is a dry run: what a run would send, and its estimated cost.
type HeartbeatPreview struct {
	Prompt string `json:"prompt"`
	// Folder, Model and PermissionMode are what it would run with.
	Folder         string  `json:"folder"`
	Model          string  `json:"model"`
	PermissionMode string  `json:"permissionMode"`
	Next           []int64 `json:"next"`
	// Tokens and CostUSD are the median of the last runs, Basis is their number; without any there
	// is no estimate.
	Basis   int     `json:"basis"`
	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"costUSD"`
	// RunsPerMonth is how often it is due in the next 30 days, at most 100,000.
	RunsPerMonth int `json:"runsPerMonth"`
	// Blocked is why it would not run now, "" if it would.
	Blocked string `json:"blocked"`
}

// HeartbeatEnableParams turns one on or off, or back on after it was turned off automatically.
type HeartbeatEnableParams struct {
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
}

// HeartbeatPauseParams pauses or resumes all heartbeats.
type HeartbeatPauseParams struct {
	Paused bool `json:"paused"`
	// Until is when the pause ends automatically, 0 for never.
	Until int64 `json:"until,omitempty"`
}

// HeartbeatRunResult names the started run.
type HeartbeatRunResult struct {
	RecordID string `json:"recordId"`
}

// HeartbeatRunRef names a run.
type HeartbeatRunRef struct {
	RecordID string `json:"recordId"`
}

// HeartbeatHistoryParams asks for records, newest first.
type HeartbeatHistoryParams struct {
	// Name selects one heartbeat.
	Name string `json:"name,omitempty"`
	// From and To bound the due time: from included, to not; 0 is open.
	From int64 `json:"from,omitempty"`
	To   int64 `json:"to,omitempty"`
	// Before is the id of the last record of the previous page.
	Before string `json:"before,omitempty"`
	// Limit is 1 to 1,000; 0 means 100.
	Limit int `json:"limit,omitempty"`
}

// HeartbeatHistory is a page of records.
type HeartbeatHistory struct {
	Records []HeartbeatRecord `json:"records"`
	More    bool              `json:"more"`
}

// HeartbeatSchema is the JSON schema of the file.
type HeartbeatSchema struct {
	Schema string `json:"schema"`
}
