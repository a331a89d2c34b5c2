package sessions

import "parley/backend/event"

// TaskList has the background tasks of a session's process.
type TaskList struct {
	// Tasks are the running and finished ones, oldest first.
	Tasks []event.Task `json:"tasks"`
}

// TaskRef names a background task.
type TaskRef struct {
	SessionID string `json:"sessionId"`
	TaskID    string `json:"taskId"`
}

// TaskOutput is the end of a task's output.
type TaskOutput struct {
	Text string `json:"text"`
	// Bytes is the size of the whole output.
	Bytes int64 `json:"bytes"`
	// Cut is true if there is more before the text.
	Cut bool `json:"cut"`
}
