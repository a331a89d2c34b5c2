package event

// PermissionsChanged says how many questions wait for an answer. Those that rules or
// the guard decide are not among them.
type PermissionsChanged struct {
	Whole
	// Open counts them over all sessions, Sessions how many sessions they are of.
	Open     int `json:"open"`
	Sessions int `json:"sessions"`
	// OldestAt is when the oldest was asked, 0 without any.
	OldestAt int64 `json:"oldestAt"`
}

// RulesChanged says that the user's rules, or the folders that they trust, have
// changed.
type RulesChanged struct {
	Whole
}

// EventName implementations.
func (*PermissionsChanged) EventName() string { return "permissions.changed" }
func (*RulesChanged) EventName() string       { return "rules.changed" }
