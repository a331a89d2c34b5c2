package history_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/claude/history"
)

// longText is how much of a long string is kept in lines outside the
// conversation: they repeat the CLI's own instructions.
const longText = 60

// scrub replaces what differs between recordings: ids become numbers and times
// seconds, in order of appearance; folders become generic ones.
func scrub(t *testing.T, files map[string][]byte, folders map[string]string) map[string][]byte {
	t.Helper()
	ids, times := make(map[string]string), make(map[string]string)
	idPattern := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	timePattern := regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	clean := func(s string) string {
		for from, to := range folders {
			s = strings.ReplaceAll(s, from, to)
			s = strings.ReplaceAll(s, history.FolderName(from), history.FolderName(to))
		}
		s = idPattern.ReplaceAllStringFunc(s, func(id string) string {
			if ids[id] == "" {
				ids[id] = fmt.Sprintf("00000000-0000-4000-8000-%012d", len(ids)+1)
			}
			return ids[id]
		})
		return timePattern.ReplaceAllStringFunc(s, func(at string) string {
			if times[at] == "" {
				times[at] = time.Date(2026, 1, 1, 0, 0, len(times), 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
			}
			return times[at]
		})
	}
	out := make(map[string][]byte)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var body bytes.Buffer
		for line := range bytes.Lines(files[name]) {
			line := clean(strings.TrimSuffix(string(line), "\n"))
			if !isConversation(line) {
				line = cutStrings(line)
			}
			if !json.Valid([]byte(line)) {
				t.Fatalf("scrubbing broke a line: %.300s", line)
			}
			body.WriteString(line + "\n")
		}
		out[clean(name)] = body.Bytes()
	}
	return out
}

// isConversation reports whether a line's texts are relevant.
func isConversation(line string) bool {
	var head struct {
		Type, Subtype string
		Attachment    struct{ Type string }
	}
	if json.Unmarshal([]byte(line), &head) != nil {
		return true
	}
	switch head.Type {
	case "control_response", "api-request", "api-request-blob", "api-request-shape":
		return false
	case "system":
		return head.Subtype != "init"
	case "attachment":
		return head.Attachment.Type == "queued_command" || head.Attachment.Type == "file"
	}
	return true
}

// cutStrings shortens the long strings and the long lists of strings of a line of
// JSON; the rest stays unchanged byte for byte.
func cutStrings(line string) string {
	text := regexp.MustCompile(`"(?:[^"\\]|\\.){` + fmt.Sprint(longText) + `,}"`)
	line = text.ReplaceAllStringFunc(line, func(s string) string {
		cut := []rune(s[1:])
		end := longText / 2
		for end > 0 && (cut[end-1] == '\\' || strings.ContainsRune(string(cut[max(0, end-6):end]), '\\')) {
			end--
		}
		return `"` + string(cut[:end]) + `…"`
	})
	list := regexp.MustCompile(`\[("(?:[^"\\]|\\.)*",){3}(?:"(?:[^"\\]|\\.)*",?)+\]`)
	return list.ReplaceAllStringFunc(line, func(s string) string {
		var items []json.RawMessage
		if json.Unmarshal([]byte(s), &items) != nil {
			return s
		}
		short, err := json.Marshal(items[:3])
		if err != nil {
			return s
		}
		return string(short)
	})
}
