// Package plan defines what a heartbeat is: its format in heartbeats.yaml, when it is
// due, and its prompt. It is pure: it takes text and times, and returns text,
// problems and times. It knows neither the disk nor who runs what is due.
//
// Errors are per heartbeat: an invalid one doesn't affect the others. An edit of the
// file leaves everything else unchanged, including comments; see Put. Timetable
// describes how schedules handle clock changes, and Job.Due what happens to missed due
// times.
//
// It starts no goroutine.
package plan

// Spec is a heartbeat as a user writes it. Field names are those of the file and of the
// API. Durations have the form "90s", "15m", "2h", "1d"; "" is the default.
type Spec struct {
	// Name is the key in the file: 1 to 64 letters, digits, "-" and "_".
	Name        string `json:"name" yaml:"-"`
	Description string `json:"description,omitempty" yaml:"description,omitempty"`
	// Prompt may contain {{date}}, {{time}}, {{datetime}}, {{zone}}, {{name}},
	// {{workspace}}, {{folder}}, {{due}}, {{last}} (the last run's answer), {{lastAt}},
	// {{lastState}} and {{count}}.
	Prompt   string   `json:"prompt" yaml:"prompt"`
	Schedule Schedule `json:"schedule" yaml:"schedule"`
	// Folder is the absolute path where it runs; ~ is the home folder. A heartbeat with a
	// session as destination needs none.
	Folder         string `json:"folder" yaml:"folder"`
	Model          string `json:"model,omitempty" yaml:"model,omitempty"`
	Effort         string `json:"effort,omitempty" yaml:"effort,omitempty"`
	PermissionMode string `json:"permissionMode,omitempty" yaml:"permissionMode,omitempty"`
	// Guard is "off", "static" or "reviewed"; "" leaves it to the settings.
	Guard string `json:"guard,omitempty" yaml:"guard,omitempty"`
	// Session is "fresh" (a new one for each run; the default) or "persistent" (one that is
	// continued).
	Session string `json:"session,omitempty" yaml:"session,omitempty"`
	// Destination is an existing session, or a channel; empty for its own session.
	Destination Destination `json:"destination,omitzero" yaml:"destination,omitempty"`
	// Timeout ends a run; the default is 10m.
	Timeout string `json:"timeout,omitempty" yaml:"timeout,omitempty"`
	// Enabled is true unless the file says false.
	Enabled bool `json:"enabled" yaml:"enabled"`
	// Quiet are the quiet hours; due times within them are skipped.
	Quiet *Quiet `json:"quiet,omitempty" yaml:"quiet,omitempty"`
	// Missed is what to do about due times while Parley wasn't running: "once" (one
	// run for all; the default), "skip" or "all" (at most 24). Job.Due has the
	// details.
	Missed string `json:"missed,omitempty" yaml:"missed,omitempty"`
	// Overlap is what to do if one is due while it runs: "skip" (the default), "queue"
	// (at most one waits) or "cancel" (the running one).
	Overlap string `json:"overlap,omitempty" yaml:"overlap,omitempty"`
	// Again is how often a heartbeat with RunAt may be moved after the reset of a usage
	// limit that its run hit; each move decrements it.
	Again int64 `json:"again,omitempty" yaml:"again,omitempty"`
	// StartDeadline is how late a run may start; "" for any time.
	StartDeadline string `json:"startDeadline,omitempty" yaml:"startDeadline,omitempty"`
	// IdlePause skips runs if nobody has used its session or folder for that long; ""
	// for never.
	IdlePause string  `json:"idlePause,omitempty" yaml:"idlePause,omitempty"`
	Budgets   Budgets `json:"budgets,omitzero" yaml:"budgets,omitempty"`
}

// Schedule is when a heartbeat is due. Exactly one of Cron, Every and RunAt is
// set.
type Schedule struct {
	// Cron has five fields, with month and day names, or is one of @hourly, @daily,
	// @weekly, @monthly, @yearly.
	Cron string `json:"cron,omitempty" yaml:"cron,omitempty"`
	// Every is a duration of at least one second and at most 366 days. It counts elapsed
	// time from Epoch.
	Every string `json:"every,omitempty" yaml:"every,omitempty"`
	// RunAt is one moment: RFC 3339, or "2006-01-02 15:04" in the zone.
	RunAt string `json:"runAt,omitempty" yaml:"runAt,omitempty"`
	// Zone is an IANA name, "" for the computer's.
	Zone string `json:"zone,omitempty" yaml:"zone,omitempty"`
	// Once disables it in the file after its first run.
	Once bool `json:"once,omitempty" yaml:"once,omitempty"`
}

// Destination is where a run goes.
type Destination struct {
	Session string `json:"session,omitempty" yaml:"session,omitempty"`
	Channel string `json:"channel,omitempty" yaml:"channel,omitempty"`
}

// Quiet is a range of times of day in the schedule's zone, as 15:04; if To is before From,
// it is on the next day. From is inclusive, To exclusive.
type Quiet struct {
	From string `json:"from" yaml:"from"`
	To   string `json:"to" yaml:"to"`
	// Days are "mon" to "sun", the days on which it starts; none means all.
	Days []string `json:"days,omitempty" yaml:"days,omitempty"`
}

// Budgets limit the usage of runs; nil means no limit.
type Budgets struct {
	Run   *Limit `json:"run,omitempty" yaml:"run,omitempty"`
	Day   *Limit `json:"day,omitempty" yaml:"day,omitempty"`
	Month *Limit `json:"month,omitempty" yaml:"month,omitempty"`
}

// Limit is a usage limit; a field that is 0 limits nothing.
type Limit struct {
	Tokens int64   `json:"tokens,omitempty" yaml:"tokens,omitempty"`
	USD    float64 `json:"usd,omitempty" yaml:"usd,omitempty"`
	// Turns are the model's answers.
	Turns int64 `json:"turns,omitempty" yaml:"turns,omitempty"`
}

// Problem is an error in the file or in one heartbeat.
type Problem struct {
	// Line and Column start at 1 (columns count characters); 0 if it isn't about a
	// file.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Name is the heartbeat's, Field the path within it ("schedule.cron"); "" for the file.
	Name    string `json:"name"`
	Field   string `json:"field"`
	Message string `json:"message"`
}
