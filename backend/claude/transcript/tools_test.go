package transcript

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// list reads a checked-in list of names. The frontend's tests compare the list of
// tools with the type file of the installed CLI.
func list(t *testing.T, file string) []string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			names = append(names, line)
		}
	}
	return names
}

// Every tool of the CLI becomes one call with its own input and result, even if all run
// in parallel and their results come in reverse order.
func TestEveryToolOfTheCLI(t *testing.T) {
	names := list(t, "testdata/tools.txt")
	if len(names) < 40 {
		t.Fatalf("%d tools", len(names))
	}
	var lines []string
	for i, name := range names {
		lines = append(lines, assistant("a", fmt.Sprintf(`{"type":"tool_use","id":"t%d","name":%q,"input":{"n":%d}}`, i, name, i)))
	}
	for i := range slices.Backward(names) {
		lines = append(lines, fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","is_error":%v,"content":"r%d"}]},"tool_use_result":{"n":%d},"uuid":"u%d"}`,
			i, i%3 == 0, i, i, i))
	}
	p := NewProjector()
	log := NewLog(1000, 1<<24)
	for _, line := range lines {
		frame, err := wire.Decode([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Frame(frame) {
			log.Apply(e)
		}
	}
	seen := 0
	page := log.Page(1000, "")
	for _, m := range page.Messages {
		for _, b := range m.Blocks {
			if b.Tool == nil {
				continue
			}
			i := seen
			seen++
			var in, out struct{ N int }
			want := map[bool]string{true: "error", false: "done"}[i%3 == 0]
			if b.Tool.Name != names[i] || b.Tool.State != want || json.Unmarshal(b.Tool.Input, &in) != nil || in.N != i ||
				json.Unmarshal(b.Tool.Structured, &out) != nil || out.N != i || !slices.Equal(b.Tool.Content, []event.ResultContent{{Type: "text", Text: fmt.Sprint("r", i)}}) {
				t.Errorf("%s: %+v", names[i], b.Tool)
			}
		}
	}
	if seen != len(names) {
		t.Errorf("%d of %d tools", seen, len(names))
	}
}

// Every decoded CLI message appears in a test of this package, or in a recording of
// the CLI.
func TestEveryMessageIsProjectedSomewhere(t *testing.T) {
	var sources strings.Builder
	for _, pattern := range []string{"*_test.go", "testdata/*/*.jsonl", "testdata/*.jsonl", "../claudetest/testdata/*/*.jsonl", "../history/testdata/pairs/*/*.jsonl"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources.Write(raw)
		}
	}
	all := sources.String()
	for _, name := range list(t, "../wire/testdata/messages.txt") {
		if strings.Contains(name, " - ") {
			continue
		}
		typ, subtype, _ := strings.Cut(name, "/")
		want := fmt.Sprintf(`"type":%q`, typ)
		if subtype != "" {
			want = fmt.Sprintf(`"subtype":%q`, subtype)
		}
		if !strings.Contains(all, want) {
			t.Errorf("nothing tests what becomes of %s", name)
		}
	}
}

// Messages only used by the CLI's own windows change nothing in a conversation.
func TestMessagesThatChangeNothing(t *testing.T) {
	for _, line := range []string{
		`{"type":"system","subtype":"session_state_changed","state":"running"}`, `{"type":"system","subtype":"commands_changed","commands":[]}`,
		`{"type":"tool_use_summary","summary":"s","preceding_tool_use_ids":[]}`, `{"type":"prompt_suggestion","suggestion":"s"}`,
	} {
		if got := project(t, NewProjector(), true, line); got != nil {
			t.Errorf("%s: %q", line, got)
		}
	}
}
