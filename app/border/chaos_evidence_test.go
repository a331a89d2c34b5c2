//go:build linux

package border

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/backend/event"
)

// written returns the CLI's transcript of a session: a line for each record, with its
// parent. It shows why a prompt is missing in a conversation.
func (w *chaos) written(session string) string {
	id := call[event.Session](w.p.watcher, "session.get", m{"sessionId": session}).CLISessionID
	files, _ := filepath.Glob(w.p.path("home/.claude/projects/*/" + id + ".jsonl"))
	var b strings.Builder
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return err.Error()
		}
		fmt.Fprintf(&b, "\n  %s", file)
		for line := range strings.Lines(string(raw)) {
			var r struct {
				Type, Subtype, UUID, ParentUUID, PromptID, Timestamp, Operation string
				Content                                                         json.RawMessage
				Message                                                         struct{ Content json.RawMessage }
			}
			if json.Unmarshal([]byte(line), &r) != nil {
				fmt.Fprintf(&b, "\n    not JSON: %.60q", line)
				continue
			}
			fmt.Fprintf(&b, "\n    %s %s%s%s %.8s on %.8s %.60s%.60s", r.Timestamp, r.Type, r.Subtype, r.Operation, r.UUID, r.ParentUUID, r.Message.Content, r.Content)
		}
	}
	return b.String()
}
