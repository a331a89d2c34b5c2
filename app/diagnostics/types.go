package diagnostics

import "parley/app/doctor"

// StyleSheet is the user's style sheet.
type StyleSheet struct {
	// Path is its expected path.
	Path string `json:"path"`
	// Found is false if there is no such file, TooLarge true if it exceeds the limit (64 KiB): CSS
	// is "" then.
	Found    bool `json:"found"`
	TooLarge bool `json:"tooLarge"`
	// Held is true if another program changed the file, and the change needs the user's decision
	// (outside.*). CSS is the accepted text then.
	Held bool   `json:"held"`
	CSS  string `json:"css"`
}

// LogListParams selects records of the log.
type LogListParams struct {
	// After is a record's number: only newer ones are returned.
	After uint64 `json:"after,omitempty"`
	// Level is the lowest level, "debug" if omitted.
	Level string `json:"level,omitempty"`
	// Text is a text in the message or the rest, ignoring case.
	Text string `json:"text,omitempty"`
	// Limit is 1 to 2,000, 500 if omitted. The newest are returned.
	Limit int `json:"limit,omitempty"`
}

// LogPage has records, oldest first.
type LogPage struct {
	Records []LogRecord `json:"records"`
	// Last is the number of the log's newest record, Dropped the number of old ones that are gone.
	Last    uint64 `json:"last"`
	Dropped uint64 `json:"dropped"`
}

// LogRecord is one line of Parley's log. What looks like a secret was removed.
type LogRecord struct {
	Seq uint64 `json:"seq"`
	At  int64  `json:"at"`
	// Level is "debug", "info", "warn" or "error".
	Level   string `json:"level"`
	Message string `json:"message"`
	// Rest has further key=value pairs.
	Rest string `json:"rest"`
}

// Diagnostics describe this Parley for a report: no prompts, no secrets, and the home
// folder as "~".
type Diagnostics struct {
	Text string `json:"text"`
}

// CheckupParams selects repairs.
type CheckupParams struct {
	// Fix are ids of checks. Their findings are repaired, if that is safe.
	Fix []string `json:"fix,omitempty"`
}

// Checkup is the result of checking Parley's requirements and data.
type Checkup struct {
	// Well is true if everything works.
	Well   bool                 `json:"well"`
	Checks []doctor.CheckResult `json:"checks"`
	// Report is the same as text, for sharing: no secrets, and the home folder as "~".
	Report string `json:"report"`
}
