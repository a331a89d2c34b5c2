package wire

import "encoding/json"

// GetTaskOutput asks for the end of what a background command or a monitor has
// written, see [DecodeTaskOutput]. Subagents have none.
func GetTaskOutput(taskID string) ControlBody {
	return struct {
		Subtype
		TaskID string `json:"task_id"`
	}{Subtype{"get_task_output"}, taskID}
}

// TaskOutput is the end of what a task has written.
type TaskOutput struct {
	Output     string `json:"output"`
	TotalBytes int64  `json:"total_bytes"`
	// Truncated is true when there is more before it.
	Truncated bool `json:"truncated"`
}

// DecodeTaskOutput reads the answer to [GetTaskOutput].
func DecodeTaskOutput(raw []byte) (TaskOutput, error) {
	var o TaskOutput
	err := json.Unmarshal(raw, &o)
	return o, err
}
