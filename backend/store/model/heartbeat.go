package model

// HeartbeatRun is the record of one due time of a heartbeat, or of a manual run. It is
// written before a run starts and after it has ended.
type HeartbeatRun struct {
	// ID is derived from the name and the due time, so that a due time has one
	// record.
	ID   string `json:"id"`
	Name string `json:"name"`
	// State is "due", "started", "finished", "skipped", "late", "missed", "failed" or
	// "cancelled".
	State string `json:"state"`
	// Trigger is "schedule", "missed", "person" or "session".
	Trigger string `json:"trigger"`
	// Code and Reason are the reason for the state, a code and a sentence.
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
	DueAt  int64  `json:"dueAt"`
	// Count is more than 1 if the record stands for that many due times with the same
	// outcome: DueAt is the newest of them, FirstAt the oldest.
	Count     int64 `json:"count,omitempty"`
	FirstAt   int64 `json:"firstAt,omitempty"`
	StartedAt int64 `json:"startedAt,omitempty"`
	EndedAt   int64 `json:"endedAt,omitempty"`
	LateMs    int64 `json:"lateMs,omitempty"`
	// SessionID and TurnID are where it ran. Its prompt has the id of the record.
	SessionID string `json:"sessionId,omitempty"`
	TurnID    string `json:"turnId,omitempty"`
	// Home is whose session that is: "fresh" or "persistent" for the heartbeat's own,
	// "session" for an existing one.
	Home string `json:"home,omitempty"`
	// Open is true until the run has ended and its process is stopped.
	Open    bool    `json:"open,omitempty"`
	Turns   int64   `json:"turns,omitempty"`
	Tokens  int64   `json:"tokens,omitempty"`
	CostUSD float64 `json:"costUSD,omitempty"`
	// Usage is the usage of the main conversation; Tokens includes its subagents.
	Usage Tokens `json:"usage,omitzero"`
	// Quiet is true if the run found nothing to do.
	Quiet  bool   `json:"quiet,omitempty"`
	Answer string `json:"answer,omitempty"`
}

// HeartbeatState is a heartbeat's state besides its records. It stays when the heartbeat is
// removed from the file: a later one with the name continues with it.
type HeartbeatState struct {
	Name string `json:"name"`
	// Schedule is the schedule that AccountedAt refers to; with another one
	// accounting restarts.
	Schedule string `json:"schedule,omitempty"`
	// AccountedAt is the last due time that has a record, or when accounting
	// started.
	AccountedAt int64 `json:"accountedAt,omitempty"`
	// Scripted is true if it only ran in demo mode.
	Scripted bool `json:"rehearsal,omitempty"`
	// Off is true while it is not enabled.
	Off bool `json:"off,omitempty"`
	// Done is true if a one-time heartbeat ran and the file doesn't say so yet.
	Done bool `json:"done,omitempty"`
	// Failures counts consecutive failures; Stopped and Why describe an automatic
	// stop.
	Failures int    `json:"failures,omitempty"`
	Stopped  bool   `json:"stopped,omitempty"`
	Why      string `json:"why,omitempty"`
	// SessionID is the persistent session.
	SessionID string `json:"sessionId,omitempty"`
	// UsedAt is when a user last used its session or folder, FedAt when one of its
	// runs did.
	UsedAt int64 `json:"usedAt,omitempty"`
	FedAt  int64 `json:"fedAt,omitempty"`
	// Runs counts the started runs. The Last fields are about the newest finished
	// one.
	Runs       int64  `json:"runs,omitempty"`
	LastAt     int64  `json:"lastAt,omitempty"`
	LastState  string `json:"lastState,omitempty"`
	LastAnswer string `json:"lastAnswer,omitempty"`
	// Day is the day (2006-01-02, in the user's time zone) of DaySpent; the month
	// is Day's.
	Day        string `json:"day,omitempty"`
	DaySpent   Totals `json:"daySpent,omitzero"`
	MonthSpent Totals `json:"monthSpent,omitzero"`
}

// Totals is the usage of runs.
type Totals struct {
	Runs    int64   `json:"runs,omitempty"`
	Turns   int64   `json:"turns,omitempty"`
	Tokens  int64   `json:"tokens,omitempty"`
	CostUSD float64 `json:"costUSD,omitempty"`
}

// Pause tells whether heartbeats are paused.
type Pause struct {
	Paused bool  `json:"paused,omitempty"`
	From   int64 `json:"from,omitempty"`
	// Until is when it ends automatically, 0 for never.
	Until int64 `json:"until,omitempty"`
}
