package wire_test

import (
	"encoding/json"
	"testing"

	"parley/backend/claude/wire"
)

func TestCancelled(t *testing.T) {
	for answer, want := range map[string]bool{
		`{"cancelled":true,"message_uuid":"6069d158-c355-4336-95f1-0bd98e272dd8"}`: true, // as recorded
		`{"cancelled":false}`: false,
		`{}`:                  false,
		``:                    false,
		`{"cancelled":"yes"}`: false,
	} {
		if got := wire.Cancelled(json.RawMessage(answer)); got != want {
			t.Errorf("%s is %v", answer, got)
		}
	}
}
