package tour

// RehearsalBeginParams starts a guided tour.
type RehearsalBeginParams struct {
	// Play sends the tour's first prompt.
	Play bool `json:"play,omitempty"`
}

// RehearsalTour is a session's place in the guided tour.
type RehearsalTour struct {
	// Steps are the tour's steps, in order. A session that was not created for it has none.
	Steps []RehearsalStep `json:"steps"`
	// Next is the id of the next step, "" when the tour has ended.
	Next string `json:"next"`
}

// RehearsalStep is a step of the guided tour.
type RehearsalStep struct {
	ID string `json:"id"`
	// Prompt is the prompt that runs it.
	Prompt string `json:"prompt"`
}
