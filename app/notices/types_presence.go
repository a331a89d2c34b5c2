package notices

// PresenceParams say what a page shows the user.
type PresenceParams struct {
	// Focused is true while the page has the user's attention.
	Focused bool `json:"focused"`
	// Sessions are those visible on the page, at most 8.
	Sessions []string `json:"sessions"`
}
