package app

// StyleSheet is the person's own.
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

// PresenceParams say what a page has in front of a person.
type PresenceParams struct {
	// Focused is true while the page has the person's attention.
	Focused bool `json:"focused"`
	// Sessions are those that are on the page, at most 8.
	Sessions []string `json:"sessions"`
}
