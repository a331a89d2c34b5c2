package sessions

// TodoList is what a session's model has written down to be done.
type TodoList struct {
	// Todos are in the order in which they were written down, at most 500.
	Todos []Todo `json:"todos"`
	// Unread counts those that could not be read.
	Unread int `json:"unread"`
}

// Todo is one thing to be done.
type Todo struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
	// Doing is the subject as something that goes on, About says more; both may be "".
	Doing string `json:"doing"`
	About string `json:"about"`
	// State is "pending", "in_progress" or "completed".
	State string `json:"state"`
	// Owner is the agent that works on it, or "".
	Owner string `json:"owner"`
	// BlockedBy are the ids of those that have to be done before.
	BlockedBy []string `json:"blockedBy"`
}
