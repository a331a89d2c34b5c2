package tour

// DemoBeginParams starts a guided tour.
type DemoBeginParams struct {
	// Play sends the tour's first prompt.
	Play bool `json:"play,omitempty"`
}

// DemoTour is a session's place in the guided tour.
type DemoTour struct {
	// Steps are the tour's steps, in order. A session that was not created for it has none.
	Steps []DemoStep `json:"steps"`
	// Next is the id of the next step, "" when the tour has ended.
	Next string `json:"next"`
}

// DemoStep is a step of the guided tour.
type DemoStep struct {
	ID string `json:"id"`
	// Prompt is the prompt that runs it.
	Prompt string `json:"prompt"`
}
