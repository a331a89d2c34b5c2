package event

// PermissionsChanged reports how many questions wait for an answer, without those
// decided by rules or the guard.
type PermissionsChanged struct {
	NoHeader
	// Open counts them over all sessions, Sessions the sessions that have any.
	Open     int `json:"open"`
	Sessions int `json:"sessions"`
	// OldestAt is when the oldest was asked, 0 if there is none.
	OldestAt int64 `json:"oldestAt"`
}

// RulesChanged reports that the user's rules, or the trusted folders, have
// changed.
type RulesChanged struct {
	NoHeader
}

// EventName implementations.
func (*PermissionsChanged) EventName() string { return "permissions.changed" }
func (*RulesChanged) EventName() string       { return "rules.changed" }
