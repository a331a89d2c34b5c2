package claudetest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// keepItems is how many entries of lists irrelevant to the protocol (tools,
// commands, skills) are kept in a capture.
const keepItems = 3

var (
	uuidPattern = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	timePattern = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	textPattern = regexp.MustCompile(`"description":"(?:[^"\\\\]|\\\\.){100,}"`)
	listPattern = regexp.MustCompile(`"(tools|slash_commands|terminal_slash_commands|skills|agents|plugins|commands|models|output_styles|available_output_styles)":\[`)
)

// writeCapture saves the lines of one scenario. Ids become numbers in order of
// appearance; folders become generic ones.
func writeCapture(t *testing.T, name, version string, lines []string, folders map[string]string) {
	t.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, `{"capture":%q,"version":%q}`+"\n", name, version)
	ids := make(map[string]string)
	for _, line := range lines {
		for from, to := range folders {
			line = strings.ReplaceAll(line, from, to)
			line = strings.ReplaceAll(line, dashed(from), dashed(to))
		}
		line = uuidPattern.ReplaceAllStringFunc(line, func(id string) string {
			if ids[id] == "" {
				ids[id] = fmt.Sprintf("00000000-0000-4000-8000-%012d", len(ids)+1)
			}
			return ids[id]
		})
		line = timePattern.ReplaceAllString(line, "2026-01-01T00:00:00.000Z")
		line = cutLists(line)
		if !json.Valid([]byte(line)) {
			t.Fatalf("scrubbing broke a line: %.300s", line)
		}
		out.WriteString(line + "\n")
	}
	path := filepath.Join("testdata", "captures", name+".jsonl")
	if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// dashed returns the CLI's encoding of a folder in another's name.
func dashed(path string) string {
	return regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(path, "-")
}

// cutLists shortens long lists in init frames and initialize answers, and long
// descriptions in the latter; the rest of the line stays unchanged byte for byte.
func cutLists(line string) string {
	switch {
	case strings.HasPrefix(line, `{"type":"control_response"`):
		line = textPattern.ReplaceAllString(line, `"description":"…"`)
	case !strings.Contains(line, `"subtype":"init"`):
		return line
	}
	for at := 0; ; {
		m := listPattern.FindStringIndex(line[at:])
		if m == nil {
			return line
		}
		open := at + m[1] - 1
		dec := json.NewDecoder(strings.NewReader(line[open:]))
		var items []json.RawMessage
		if dec.Decode(&items) != nil {
			return line
		}
		end := open + int(dec.InputOffset())
		items = items[:min(len(items), keepItems)]
		short, _ := json.Marshal(items) // raw messages that were just decoded
		line = line[:open] + string(short) + line[end:]
		at = open + 1
	}
}
