package audit

// AuditFilter chooses records of the audit log; what is left out chooses all.
type AuditFilter struct {
	SessionID string `json:"sessionId,omitempty"`
	Tool      string `json:"tool,omitempty"`
	// Outcome is that of a question, or "asked" for the opening of questions.
	Outcome string `json:"outcome,omitempty"`
	// By is what decided, see the record; "device" is any paired device. Type is a record's type, RequestID the id of
	// one question.
	By        string `json:"by,omitempty"`
	Type      string `json:"type,omitempty"`
	RequestID string `json:"requestId,omitempty"`
	// Since and Until are times in milliseconds since 1970, both included.
	Since int64 `json:"since,omitempty"`
	Until int64 `json:"until,omitempty"`
}

// AuditListParams asks for a page of the audit log.
type AuditListParams struct {
	AuditFilter
	// Limit is 100 when it is left out, and 1000 at most.
	Limit int `json:"limit,omitempty"`
	// Before is the cursor of an earlier page; the newest records come first.
	Before int64 `json:"before,omitempty"`
}

// AuditPage is a page of the audit log, newest first.
type AuditPage struct {
	Records []AuditRecord `json:"records"`
	// Next is the cursor for the page after this one, 0 when there is none.
	Next int64 `json:"next"`
}

// AuditRecord is how a question ended, or something that happened to the log.
type AuditRecord struct {
	// Seq counts the records from 1.
	Seq int64 `json:"seq"`
	At  int64 `json:"at"`
	// Type is "asked" or "ended" for a question; "rule" for a rule that was "made",
	// "changed" or "removed" (its outcome); "chat" for what somebody did by way of the chat
	// (kind says how, summary what; its outcome is "done" or "refused"); "outside" for a
	// file (kind) that another program changed, which a user "accepted" or had "undone"; "restored" where a snapshot (kind) took the place of
	// Parley's data, "budget" where a user chose how much to spend; "gap" where records could not be
	// written (lost says how many), "torn" where a crash left half a record (lost says
	// how many bytes), "intruder" where somebody else than Parley spoke to a session's CLI
	// (summary says how that was noticed), "broken" where the log was found changed.
	Type      string `json:"type"`
	SessionID string `json:"sessionId,omitempty"`
	TurnID    string `json:"turnId,omitempty"`
	RequestID string `json:"requestId,omitempty"`
	Tool      string `json:"tool,omitempty"`
	// Kind is that of the question.
	Kind string `json:"kind,omitempty"`
	// InputSHA256 is the hash of the exact input, as the question shows it without
	// white space between its parts; Summary is a line about it, without secrets.
	InputSHA256 string `json:"inputSha256,omitempty"`
	Summary     string `json:"summary,omitempty"`
	// Outcome is "allow", "deny", "expired", "withdrawn" (the CLI no longer asks),
	// "remembered" (allowed by an earlier answer) or "lost" (Parley crashed).
	Outcome string `json:"outcome,omitempty"`
	// By is the surface that answered ("window", "gateway", "@Phone (device)"…), "rule", "guard" (it looked
	// harmless), "reviewer" (a small model found it harmless), "timeout",
	// "cli" for what was withdrawn, or "parley" for what was not asked. Connection
	// tells the clients of the gateway from each other.
	By         string `json:"by,omitempty"`
	Connection string `json:"connection,omitempty"`
	// Message is what the model was told when it was not allowed, or what there is to
	// say about the log.
	Message string `json:"message,omitempty"`
	// Remembered are the rules that were made with the answer.
	Remembered []string `json:"remembered"`
	// Rules are those that decided, and Why what let it pass when that was no person.
	Rules []string `json:"rules"`
	Why   string   `json:"why,omitempty"`
	// EditedSHA256 is the hash of the input that was allowed, when it is another one.
	EditedSHA256 string `json:"editedSha256,omitempty"`
	Lost         int64  `json:"lost,omitempty"`
	// Hash is the record's place in the chain.
	Hash string `json:"hash"`
}

// AuditReport says whether the audit log is as it was written.
type AuditReport struct {
	OK      bool  `json:"ok"`
	Records int64 `json:"records"`
	Files   int   `json:"files"`
	// Missing counts records that could not be written, as the log itself says.
	Missing int64 `json:"missing"`
	// Head is the hash of the newest record: kept elsewhere, it shows later that all
	// up to it is unchanged.
	Head string `json:"head"`
	// Problem is the first place that is not as it was written.
	Problem string `json:"problem,omitempty"`
}

// AuditExportParams asks for the audit log as it stands in its files.
type AuditExportParams struct {
	AuditFilter
	// After is the cursor of an earlier part; the oldest records come first.
	After int64 `json:"after,omitempty"`
}

// AuditExport is a part of the audit log.
type AuditExport struct {
	// Text has one JSON object on each line, up to 1 MiB.
	Text string `json:"text"`
	// Next is the cursor for the part after this one, 0 when there is none.
	Next int64 `json:"next"`
}
