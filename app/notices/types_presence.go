package notices

// PresenceParams say what a page has in front of a person.
type PresenceParams struct {
	// Focused is true while the page has the person's attention.
	Focused bool `json:"focused"`
	// Sessions are those that are on the page, at most 8.
	Sessions []string `json:"sessions"`
}
