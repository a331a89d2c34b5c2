package update

// UpdatesParams are those of app.updates.
type UpdatesParams struct {
	// Fresh asks the server now; otherwise an answer from the last day is enough.
	Fresh bool `json:"fresh,omitempty"`
}

// Updates reports whether there is a newer Parley.
type Updates struct {
	// State is "off" (this Parley cannot update itself; How says who can), "current" or
	// "available".
	State   string `json:"state"`
	Version string `json:"version"`
	How     string `json:"how,omitempty"`
	// Newer is the available version, and Notes its release notes.
	Newer string `json:"newer,omitempty"`
	Notes string `json:"notes,omitempty"`
	// Told is true if a user should be notified without having asked.
	Told bool `json:"told,omitempty"`
}

// Updated is the result of app.update.
type Updated struct {
	Version string `json:"version"`
	// State is "restarting", or "waiting" for sessions whose work a restart would interrupt.
	State string `json:"state"`
}
