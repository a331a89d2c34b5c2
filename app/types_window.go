package app

// WindowShowParams say what the window shows.
type WindowShowParams struct {
	// SessionID is what the window goes to, "" to stay where it is.
	SessionID string `json:"sessionId,omitempty"`
}

// WindowHiddenParams say why there is no window to be seen.
type WindowHiddenParams struct {
	// How is "tray" (an icon in the panel stands for it), "background" (Parley ends when
	// its work is done) or "stuck" (as before, and the page did not answer); "" is "tray".
	How string `json:"how,omitempty"`
}

// WindowAnswerParams answer the event window.closing.
type WindowAnswerParams struct {
	// Serial is the question's.
	Serial int `json:"serial"`
	// Answer is "shown" (a person sees the question), "background", "quit" or "cancel".
	Answer string `json:"answer"`
}
