package app

// WindowShowParams say what the window shows.
type WindowShowParams struct {
	// SessionID is what the window goes to, "" to stay where it is.
	SessionID string `json:"sessionId,omitempty"`
}
