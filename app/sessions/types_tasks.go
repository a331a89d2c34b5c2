package sessions

import "parley/backend/event"

// TaskList is the background work of a session's process.
type TaskList struct {
	// Tasks are those that run and those that have ended, oldest first.
	Tasks []event.Task `json:"tasks"`
}

// TaskRef names a piece of background work.
type TaskRef struct {
	SessionID string `json:"sessionId"`
	TaskID    string `json:"taskId"`
}

// TaskOutput is the end of what a task has written.
type TaskOutput struct {
	Text string `json:"text"`
	// Bytes is the size of all of it.
	Bytes int64 `json:"bytes"`
	// Cut is true when there is more before the text.
	Cut bool `json:"cut"`
}
