package sessions

// TodoList is the task list of a session's model.
type TodoList struct {
	// Todos are in the order of creation, at most 500.
	Todos []Todo `json:"todos"`
	// Unread counts unreadable ones.
	Unread int `json:"unread"`
}

// Todo is one task.
type Todo struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
	// Doing is the subject in present continuous form, About is a description; both may be "".
	Doing string `json:"doing"`
	About string `json:"about"`
	// State is "pending", "in_progress" or "completed".
	State string `json:"state"`
	// Owner is the agent working on it, or "".
	Owner string `json:"owner"`
	// BlockedBy are the ids of the tasks that must be completed first.
	BlockedBy []string `json:"blockedBy"`
}
