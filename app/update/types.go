package update

// UpdatesParams are those of app.updates.
type UpdatesParams struct {
	// Fresh asks the server now; else what it said within the last day is enough.
	Fresh bool `json:"fresh,omitempty"`
}

// Updates says whether there is a newer Parley.
type Updates struct {
	// State is "off" (this Parley cannot update itself; How says who can), "current" or
	// "available".
	State   string `json:"state"`
	Version string `json:"version"`
	How     string `json:"how,omitempty"`
	// Newer is the version that can be had, and Notes say what is new in it.
	Newer string `json:"newer,omitempty"`
	Notes string `json:"notes,omitempty"`
	// Told says that a user is to be told without having asked.
	Told bool `json:"told,omitempty"`
}

// Updated says what comes of app.update.
type Updated struct {
	Version string `json:"version"`
	// State is "restarting", or "waiting": for sessions, whose work a restart would cut.
	State string `json:"state"`
}
