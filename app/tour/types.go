package tour

// RehearsalBeginParams begins a guided tour.
type RehearsalBeginParams struct {
	// Play sends the tour's first prompt.
	Play bool `json:"play,omitempty"`
}

// RehearsalTour says where a session is on the guided tour.
type RehearsalTour struct {
	// Steps are those of the tour, in their order. A session that was not made for it has
	// none.
	Steps []RehearsalStep `json:"steps"`
	// Next is the id of the step that comes next, "" when the tour has ended.
	Next string `json:"next"`
}

// RehearsalStep is a part of the guided tour.
type RehearsalStep struct {
	ID string `json:"id"`
	// Prompt plays it.
	Prompt string `json:"prompt"`
}
