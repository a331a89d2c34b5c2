package notices

// WindowShowParams say what the window shows.
type WindowShowParams struct {
	// SessionID is what the window goes to, "" to stay where it is.
	SessionID string `json:"sessionId,omitempty"`
	// Folder is one in which a session may be begun then; nothing is begun by that.
	Folder string `json:"folder,omitempty"`
	// Linked has the window itself say what cannot be shown.
	Linked bool `json:"linked,omitempty"`
}

// WindowHiddenParams say why there is no window to be seen.
type WindowHiddenParams struct {
	// How is "tray" (the tray icon represents it), "background" (Parley ends when its work is
	// done), "stuck" (as before, and the page did not respond) or "broken" (the page crashed
	// repeatedly; the next one starts in safe mode); "" is "tray".
	How string `json:"how,omitempty"`
}

// WindowAnswerParams answer the event window.closing.
type WindowAnswerParams struct {
	// Serial is the question's.
	Serial int `json:"serial"`
	// Answer is "shown" (a user sees the question), "background", "quit" or "cancel".
	Answer string `json:"answer"`
}
