package wire

import "encoding/json"

// Cancelled decodes the answer to [CancelAsyncMessage]: whether the prompt was
// canceled.
func Cancelled(answer json.RawMessage) bool {
	var out struct {
		Cancelled bool `json:"cancelled"`
	}
	return json.Unmarshal(answer, &out) == nil && out.Cancelled
}
