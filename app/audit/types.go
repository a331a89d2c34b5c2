package audit

// AuditFilter selects records of the audit log; omitted fields match all.
type AuditFilter struct {
	SessionID string `json:"sessionId,omitempty"`
	Tool      string `json:"tool,omitempty"`
	// Outcome is a request's outcome, or "asked" for records of new requests.
	Outcome string `json:"outcome,omitempty"`
	// By is what decided, see the record; "device" is any paired device. Type is a record's type, RequestID the id of
	// one request.
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
	// Limit is 100 if omitted, and 1000 at most.
	Limit int `json:"limit,omitempty"`
	// Before is the cursor of an earlier page; the newest records come first.
	Before int64 `json:"before,omitempty"`
}

// AuditPage is a page of the audit log, newest first.
type AuditPage struct {
	Records []AuditRecord `json:"records"`
	// Next is the cursor for the next page, 0 if there is none.
	Next int64 `json:"next"`
}

// AuditRecord is the outcome of a request, or an event of the log itself.
type AuditRecord struct {
	// Seq counts the records from 1.
	Seq int64 `json:"seq"`
	At  int64 `json:"at"`
	// Type is "asked" or "ended" for a request; "rule" for a rule that was "made", "changed" or "removed" (its
	// outcome); "chat" for an action through Mattermost (kind is the action, summary its details; its outcome is "done"
	// or "refused"); "outside" for a file (kind) changed by another program, where a user "accepted" the change or had
	// it "undone"; "restored" if a snapshot (kind) replaced Parley's data, "budget" if a user set a budget, "gap" if
	// records could not be written (lost is how many), "torn" if a crash left an incomplete record (lost is how many
	// bytes), "intruder" if something other than Parley wrote to a session's CLI (summary says how that was detected),
	// "broken" if the log was found changed.
	Type      string `json:"type"`
	SessionID string `json:"sessionId,omitempty"`
	TurnID    string `json:"turnId,omitempty"`
	RequestID string `json:"requestId,omitempty"`
	Tool      string `json:"tool,omitempty"`
	// Kind is the request's kind.
	Kind string `json:"kind,omitempty"`
	// InputSHA256 is the hash of the exact input, as shown in the request without white space between its parts;
	// Summary is a line about it, without secrets.
	InputSHA256 string `json:"inputSha256,omitempty"`
	Summary     string `json:"summary,omitempty"`
	// Outcome is "allow", "deny", "expired", "withdrawn" (the CLI no longer asks),
	// "remembered" (allowed by an earlier answer) or "lost" (Parley crashed).
	Outcome string `json:"outcome,omitempty"`
	// By is the surface that answered ("window", "gateway", "@Phone (device)"…), "rule", "guard" (it looked harmless),
	// "reviewer" (a small model considered it harmless), "timeout", "cli" for withdrawn requests, or "parley" for those
	// that were not shown. Connection distinguishes the clients of the gateway.
	By         string `json:"by,omitempty"`
	Connection string `json:"connection,omitempty"`
	// Message is the reason sent to the model with a denial, or a note about the log.
	Message string `json:"message,omitempty"`
	// Remembered are the rules created with the answer.
	Remembered []string `json:"remembered"`
	// Rules are those that decided, and Why the reason if something other than a user allowed it.
	Rules []string `json:"rules"`
	Why   string   `json:"why,omitempty"`
	// EditedSHA256 is the hash of the allowed input, if it was edited.
	EditedSHA256 string `json:"editedSha256,omitempty"`
	Lost         int64  `json:"lost,omitempty"`
	// Hash is the record's hash in the chain.
	Hash string `json:"hash"`
}

// AuditReport reports whether the audit log is intact.
type AuditReport struct {
	OK      bool  `json:"ok"`
	Records int64 `json:"records"`
	Files   int   `json:"files"`
	// Missing counts records that could not be written, according to the log itself.
	Missing int64 `json:"missing"`
	// Head is the hash of the newest record: stored elsewhere, it later proves that everything up to it is unchanged.
	Head string `json:"head"`
	// Problem is the first place that was changed.
	Problem string `json:"problem,omitempty"`
}

// AuditExportParams requests the audit log as in its files.
type AuditExportParams struct {
	AuditFilter
	// After is the cursor of an earlier part; the oldest records come first.
	After int64 `json:"after,omitempty"`
}

// AuditExport is a part of the audit log.
type AuditExport struct {
	// Text has one JSON object on each line, up to 1 MiB.
	Text string `json:"text"`
	// Next is the cursor for the next part, 0 if there is none.
	Next int64 `json:"next"`
}
