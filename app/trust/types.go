package trust

// TrustCheckParams names a folder.
type TrustCheckParams struct {
	CWD string `json:"cwd"`
}

// TrustReport is what the CLI would load or run automatically in a folder.
type TrustReport struct {
	Folder string `json:"folder"`
	// Hash identifies the findings: when it changes, the user is asked again.
	Hash string `json:"hash"`
	// State is "none" (nothing to ask about), "trusted", "bare" (restricted: the CLI runs without
	// them), "changed" (they differ from those the user decided about) or "unknown".
	State    string         `json:"state"`
	Findings []TrustFinding `json:"findings"`
	// More counts the findings that are not listed.
	More int `json:"more"`
}

// TrustFinding is one thing that a folder makes the CLI load or run.
type TrustFinding struct {
	// Kind is "hook", "mcp", "env", "helper" (a program that gives out credentials),
	// "statusLine", "plugin", "marketplace", "permissions" (rules that allow, or folders
	// that are opened), "mode" (a permission mode that asks less), "prompt" (a command, a
	// skill or an agent that runs or allows something) or "unreadable".
	Kind string `json:"kind"`
	// File is the file with it.
	File string `json:"file"`
	// Name is the hook's event, the server's or the variable's name.
	Name string `json:"name"`
	// Command is what would run, or the value, in full; values that look like secrets are masked.
	Command string `json:"command"`
	// Why is a sentence about when it runs.
	Why string `json:"why"`
}

// TrustList has the folders that a user decided about.
type TrustList struct {
	Folders []TrustedFolder `json:"folders"`
}

// TrustedFolder is a folder that a user decided about.
type TrustedFolder struct {
	Folder string `json:"folder"`
	Hash   string `json:"hash"`
	// Choice is "trusted" or "bare".
	Choice string `json:"choice"`
	At     int64  `json:"at"`
	// By is the surface that answered.
	By string `json:"by"`
}

// TrustRef names a folder that a user decided about.
type TrustRef struct {
	Folder string `json:"folder"`
}
