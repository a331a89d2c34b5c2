// Package plan knows what a heartbeat is: how it is written in heartbeats.yaml, when
// it is due, and what its prompt says. It is pure: it is handed text and times, and
// gives back text, problems and times. It knows neither the disk nor who runs what is
// due.
//
// Mistakes are found one heartbeat at a time: one that has some never takes the others
// away. What a change of the file does not change stays as it is, comments included; see
// Put. How schedules live through changes of the clock is told at Timetable, and what
// becomes of due times that nobody was there for at Job.Due.
//
// It starts no goroutine.
package plan

// Spec is a heartbeat as a user writes it. Names of fields are those of the file and
// of the border. Durations are written as in "90s", "15m", "2h", "1d"; "" is the default.
type Spec struct {
	// Name is the key in the file: 1 to 64 letters, digits, "-" and "_".
	Name        string `json:"name" yaml:"-"`
	Description string `json:"description,omitempty" yaml:"description,omitempty"`
	// Prompt may hold {{date}}, {{time}}, {{datetime}}, {{zone}}, {{name}}, {{workspace}},
	// {{folder}}, {{due}}, {{last}} (what the last run answered), {{lastAt}}, {{lastState}}
	// and {{count}}.
	Prompt   string   `json:"prompt" yaml:"prompt"`
	Schedule Schedule `json:"schedule" yaml:"schedule"`
	// Folder is where it runs, a whole path; ~ is the home folder. A heartbeat that goes to
	// a session needs none.
	Folder         string `json:"folder" yaml:"folder"`
	Model          string `json:"model,omitempty" yaml:"model,omitempty"`
	Effort         string `json:"effort,omitempty" yaml:"effort,omitempty"`
	PermissionMode string `json:"permissionMode,omitempty" yaml:"permissionMode,omitempty"`
	// Guard is "off", "static" or "reviewed"; "" leaves it to the settings.
	Guard string `json:"guard,omitempty" yaml:"guard,omitempty"`
	// Session is "fresh" (each run is a new one; the default) or "persistent" (one goes on).
	Session string `json:"session,omitempty" yaml:"session,omitempty"`
	// Destination is a session that already exists, or a channel; empty for one of its own.
	Destination Destination `json:"destination,omitzero" yaml:"destination,omitempty"`
	// Timeout ends a run; the default is 10m.
	Timeout string `json:"timeout,omitempty" yaml:"timeout,omitempty"`
	// Enabled is true unless it is written false.
	Enabled bool `json:"enabled" yaml:"enabled"`
	// Quiet is when it does not run; due times within are skipped.
	Quiet *Quiet `json:"quiet,omitempty" yaml:"quiet,omitempty"`
	// Missed is what to do about due times while nobody was there: "once" (one run for
	// all; the default), "skip" or "all" (at most 24). Job.Due has the details.
	Missed string `json:"missed,omitempty" yaml:"missed,omitempty"`
	// Overlap is what to do when one is due while it runs: "skip" (the default), "queue"
	// (at most one waits) or "cancel" (the one that runs).
	Overlap string `json:"overlap,omitempty" yaml:"overlap,omitempty"`
	// Again is how often a heartbeat with RunAt may be moved behind the reset of a usage
	// limit that its run met; each time takes one off.
	Again int64 `json:"again,omitempty" yaml:"again,omitempty"`
	// StartDeadline is how late a run may begin; "" for any time.
	StartDeadline string `json:"startDeadline,omitempty" yaml:"startDeadline,omitempty"`
	// IdlePause skips runs while nobody has used the session or folder that it feeds for
	// so long; "" for never.
	IdlePause string  `json:"idlePause,omitempty" yaml:"idlePause,omitempty"`
	Budgets   Budgets `json:"budgets,omitzero" yaml:"budgets,omitempty"`
}

// Schedule says when. Exactly one of Cron, Every and RunAt is set.
type Schedule struct {
	// Cron has five fields, with names of months and days, or is one of @hourly, @daily,
	// @weekly, @monthly, @yearly.
	Cron string `json:"cron,omitempty" yaml:"cron,omitempty"`
	// Every is a duration of at least one second and at most 366 days. It counts elapsed
	// time from Epoch.
	Every string `json:"every,omitempty" yaml:"every,omitempty"`
	// RunAt is one moment: RFC 3339, or "2006-01-02 15:04" in the zone.
	RunAt string `json:"runAt,omitempty" yaml:"runAt,omitempty"`
	// Zone is an IANA name, "" for the machine's.
	Zone string `json:"zone,omitempty" yaml:"zone,omitempty"`
	// Once disables it in the file after its first run.
	Once bool `json:"once,omitempty" yaml:"once,omitempty"`
}

// Destination is where a run goes.
type Destination struct {
	Session string `json:"session,omitempty" yaml:"session,omitempty"`
	Channel string `json:"channel,omitempty" yaml:"channel,omitempty"`
}

// Quiet is a time of day in the schedule's zone, as 15:04; To may be before From: it is on
// the next day then. From is quiet, To is not.
type Quiet struct {
	From string `json:"from" yaml:"from"`
	To   string `json:"to" yaml:"to"`
	// Days are "mon" to "sun", those on which it begins; none means all.
	Days []string `json:"days,omitempty" yaml:"days,omitempty"`
}

// Budgets bound what runs use; a nil one is not bounded.
type Budgets struct {
	Run   *Limit `json:"run,omitempty" yaml:"run,omitempty"`
	Day   *Limit `json:"day,omitempty" yaml:"day,omitempty"`
	Month *Limit `json:"month,omitempty" yaml:"month,omitempty"`
}

// Limit is a bound; a field that is 0 bounds nothing.
type Limit struct {
	Tokens int64   `json:"tokens,omitempty" yaml:"tokens,omitempty"`
	USD    float64 `json:"usd,omitempty" yaml:"usd,omitempty"`
	// Turns are the model's answers.
	Turns int64 `json:"turns,omitempty" yaml:"turns,omitempty"`
}

// Problem is something wrong with the file or with one heartbeat.
type Problem struct {
	// Line and Column begin at 1 (columns are letters); 0 when it is not about a file.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Name is the heartbeat's, Field the path within it ("schedule.cron"); "" for the file.
	Name    string `json:"name"`
	Field   string `json:"field"`
	Message string `json:"message"`
}
