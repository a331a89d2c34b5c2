package diagnostics

import "parley/app/doctor"

// StyleSheet is the user's own.
type StyleSheet struct {
	// Path is where it is looked for.
	Path string `json:"path"`
	// Found is false when there is no such file, TooLarge true when it has more than is
	// read (64 KiB): CSS is "" then.
	Found    bool   `json:"found"`
	TooLarge bool   `json:"tooLarge"`
	CSS      string `json:"css"`
}

// LogListParams choose records of the log.
type LogListParams struct {
	// After is a record's number: only newer ones are returned.
	After uint64 `json:"after,omitempty"`
	// Level is the least that is wanted, "debug" when left out.
	Level string `json:"level,omitempty"`
	// Text is in the message or the rest, whatever the case.
	Text string `json:"text,omitempty"`
	// Limit is 1 to 2,000, 500 when left out. The newest are returned.
	Limit int `json:"limit,omitempty"`
}

// LogPage holds records, the oldest first.
type LogPage struct {
	Records []LogRecord `json:"records"`
	// Last is the number of the log's newest record, Dropped how many old ones are gone.
	Last    uint64 `json:"last"`
	Dropped uint64 `json:"dropped"`
}

// LogRecord is one line of Parley's log. What looks like a secret was taken out.
type LogRecord struct {
	Seq uint64 `json:"seq"`
	At  int64  `json:"at"`
	// Level is "debug", "info", "warn" or "error".
	Level   string `json:"level"`
	Message string `json:"message"`
	// Rest is more, as key=value pairs.
	Rest string `json:"rest"`
}

// Diagnostics describe this Parley for a report: no prompts, no secrets, and the home
// folder as "~".
type Diagnostics struct {
	Text string `json:"text"`
}

// CheckupParams say what to put right.
type CheckupParams struct {
	// Fix are ids of checks. Where a repair is safe, what they found is put right.
	Fix []string `json:"fix,omitempty"`
}

// Checkup is what a look at everything that Parley needs and keeps has found.
type Checkup struct {
	// Well is true when nothing does not work.
	Well   bool                 `json:"well"`
	Checks []doctor.CheckResult `json:"checks"`
	// Report is the same as text, to be given to others: no secrets, and the home folder
	// as "~".
	Report string `json:"report"`
}
