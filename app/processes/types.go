package processes

// ProcessList has the processes that Parley started, and Parley itself.
type ProcessList struct {
	Self      ProcessInfo   `json:"self"`
	Processes []ProcessInfo `json:"processes"`
	// Orphans counts what an earlier Parley left behind and this one ended at its
	// start.
	Orphans int `json:"orphans"`
	// Held is how the processes of sessions are contained: "cgroup" (by the kernel, in a control
	// group per CLI, whatever they do) or "marks" (by their environment and their parents, which a
	// program can shed).
	Held string `json:"held"`
}

// ProcessInfo is a running process.
type ProcessInfo struct {
	PID int `json:"pid"`
	// Kind is "parley", "cli" (a session's), "probe" or "descendant" (of a session's
	// CLI: a tool, an MCP server).
	Kind string `json:"kind"`
	// Name is the program's.
	Name      string `json:"name"`
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	Engine    string `json:"engine"`
	StartedAt int64  `json:"startedAt"`
	// CPUPercent is of one core, since the list was last read, or since the start; CPUMs is its
	// total CPU time.
	CPUPercent float64 `json:"cpuPercent"`
	CPUMs      int64   `json:"cpuMs"`
	// Bytes is its resident memory.
	Bytes int64 `json:"bytes"`
	// State is the session's.
	State string `json:"state"`
}

// ProcessEndParams ends a process that Parley started, with its descendants.
type ProcessEndParams struct {
	PID int `json:"pid"`
}
