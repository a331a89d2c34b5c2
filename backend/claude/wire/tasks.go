package wire

import "encoding/json"

// GetTaskOutput asks for the end of the output of a background command or a
// monitor, see [DecodeTaskOutput]. Subagents have none.
func GetTaskOutput(taskID string) ControlBody {
	return struct {
		Subtype
		TaskID string `json:"task_id"`
	}{Subtype{"get_task_output"}, taskID}
}

// TaskOutput is the end of a task's output.
type TaskOutput struct {
	Output     string `json:"output"`
	TotalBytes int64  `json:"total_bytes"`
	// Truncated is true if there is more before it.
	Truncated bool `json:"truncated"`
}

// DecodeTaskOutput decodes the answer to [GetTaskOutput].
func DecodeTaskOutput(raw []byte) (TaskOutput, error) {
	var o TaskOutput
	err := json.Unmarshal(raw, &o)
	return o, err
}
