package model

// Beat is what became of one due time of a heartbeat, or of a run that somebody asked
// for. It is written before a run begins and after it has ended.
type Beat struct {
	// ID is made of the name and the due time, so that a due time has one record.
	ID   string `json:"id"`
	Name string `json:"name"`
	// State is "due", "started", "finished", "skipped", "late", "missed", "failed" or
	// "cancelled".
	State string `json:"state"`
	// Trigger is "schedule", "missed", "person" or "session".
	Trigger string `json:"trigger"`
	// Code and Reason say why it is so, a word and a sentence.
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
	DueAt  int64  `json:"dueAt"`
	// Count is more than 1 when the record stands for so many due times with the same
	// outcome: DueAt is the newest of them, FirstAt the oldest.
	Count     int64 `json:"count,omitempty"`
	FirstAt   int64 `json:"firstAt,omitempty"`
	StartedAt int64 `json:"startedAt,omitempty"`
	EndedAt   int64 `json:"endedAt,omitempty"`
	LateMs    int64 `json:"lateMs,omitempty"`
	// SessionID and TurnID are where it ran. Its prompt has the id of the record.
	SessionID string `json:"sessionId,omitempty"`
	TurnID    string `json:"turnId,omitempty"`
	// Home says whose session that is: "fresh" or "persistent" for the heartbeat's own,
	// "session" for one that was there.
	Home string `json:"home,omitempty"`
	// Open is true until the run has ended and its process put away.
	Open    bool    `json:"open,omitempty"`
	Turns   int64   `json:"turns,omitempty"`
	Tokens  int64   `json:"tokens,omitempty"`
	CostUSD float64 `json:"costUSD,omitempty"`
	// Usage is what the main conversation used; Tokens has its subagents, too.
	Usage Tokens `json:"usage,omitzero"`
	// Quiet is true when the run said that nothing was to do.
	Quiet  bool   `json:"quiet,omitempty"`
	Answer string `json:"answer,omitempty"`
}

// Heart is what is remembered of a heartbeat besides its records. It stays when the
// heartbeat is taken out of the file: one of the same name continues with it.
type Heart struct {
	Name string `json:"name"`
	// Schedule is what AccountedAt is about; with another one it starts again.
	Schedule string `json:"schedule,omitempty"`
	// AccountedAt is the last due time that has a record, or when it began to count.
	AccountedAt int64 `json:"accountedAt,omitempty"`
	// Rehearsal is true for one that only a Parley that rehearses has run.
	Rehearsal bool `json:"rehearsal,omitempty"`
	// Off is true while it is not enabled.
	Off bool `json:"off,omitempty"`
	// Done is true when it ran once and the file does not say so yet.
	Done bool `json:"done,omitempty"`
	// Failures counts those in a row; Stopped and Why are the fuse's.
	Failures int    `json:"failures,omitempty"`
	Stopped  bool   `json:"stopped,omitempty"`
	Why      string `json:"why,omitempty"`
	// SessionID is the persistent session.
	SessionID string `json:"sessionId,omitempty"`
	// UsedAt is when a user last used what it feeds, FedAt when a run of its own did.
	UsedAt int64 `json:"usedAt,omitempty"`
	FedAt  int64 `json:"fedAt,omitempty"`
	// Runs counts those that began. The Last are about the newest that has ended.
	Runs       int64  `json:"runs,omitempty"`
	LastAt     int64  `json:"lastAt,omitempty"`
	LastState  string `json:"lastState,omitempty"`
	LastAnswer string `json:"lastAnswer,omitempty"`
	// Day is the user's day (2006-01-02) that DaySpent is of; the month is Day's.
	Day        string `json:"day,omitempty"`
	DaySpent   Spent  `json:"daySpent,omitzero"`
	MonthSpent Spent  `json:"monthSpent,omitzero"`
}

// Spent is what runs used.
type Spent struct {
	Runs    int64   `json:"runs,omitempty"`
	Turns   int64   `json:"turns,omitempty"`
	Tokens  int64   `json:"tokens,omitempty"`
	CostUSD float64 `json:"costUSD,omitempty"`
}

// Pause says whether heartbeats run at all.
type Pause struct {
	Paused bool  `json:"paused,omitempty"`
	From   int64 `json:"from,omitempty"`
	// Until is when it ends by itself, 0 for never.
	Until int64 `json:"until,omitempty"`
}
