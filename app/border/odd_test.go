//go:build linux

package border

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/backend/demo"
	"parley/backend/event"
)

// Each odd conversation is resumed with the real CLI. The prompts and answers that the CLI
// sends to the model must be those that Parley shows, in the same order. The table differ
// gives the reason for each conversation where they are not the same.
func TestOddConversations(t *testing.T) {
	onlyInAll(t)
	t.Parallel()
	const more = "the CLI drops it, and it is shown"
	differ := map[string]string{
		"commands":                  "commands and what they printed are shown as such",
		"hooks-and-teams":           "what hooks and other sessions say is shown as notes",
		"editor-context":            "what the person looked at is a chip",
		"compacted":                 "what was said before a compaction stays to be read",
		"kept-by-a-compaction":      "what was said before a compaction stays to be read",
		"content-of-other-kinds":    more,
		"cut-off-then-next":         more,
		"nul-bytes-before-a-record": more,
		"parent-missing":            more,
		"parent-of-itself":          more,
		"three-on-a-line":           more,
		"two-on-a-line":             more,
		"api-error":                 "errors are notices",
	}
	// The CLI does not start with these.
	ends := []string{"title-of-other-kinds"}
	files, err := filepath.Glob("../../backend/claude/history/testdata/odd/*.jsonl")
	if err != nil || len(files) < 40 {
		t.Fatal(files, err)
	}
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Still here.")))
	folder := p.path("home", ".claude", "projects", regexp.MustCompile(`[^a-zA-Z0-9]`).ReplaceAllString(p.path("work"), "-"))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{} // by file
	for i, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprintf("00000000-0000-4000-8000-%012x", 0xabc000+i)
		text := strings.NewReplacer("00000000-0000-4000-8000-0000000000ff", id, "/home/user/project", p.path("work")).Replace(string(data))
		if err := os.WriteFile(filepath.Join(folder, id+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		ids[id] = strings.TrimSuffix(filepath.Base(name), ".jsonl")
	}
	found := 0
	poll(t, "the conversations", func() bool { return len(p.sessions(m{"origin": "cli", "limit": 100})) >= len(files)-8 })
	for _, r := range p.sessions(m{"origin": "cli", "limit": 100}) {
		name := ids[r.CLISessionID]
		if name == "" {
			continue
		}
		found++
		if slices.Contains(ends, name) {
			continue
		}
		s := &conversation{p: p, c: p.watcher, id: r.ID, dir: r.CWD}
		shown := worded(call[event.History](p.watcher, "session.history", m{"sessionId": r.ID, "limit": 100}).Messages)
		s.done(s.prompt("go on"), "completed")
		got := asked(p.lastRequest())
		if slices.Equal(shown, got) == (differ[name] != "") {
			t.Errorf("%s (%s)\n  shown %q\n  model %q", name, cmp.Or(differ[name], "no difference is known"), shown, got)
		}
	}
	if found < len(files)-8 {
		t.Errorf("%d of %d conversations are listed", found, len(files))
	}
}

// worded are the texts of a conversation, by role.
func worded(messages []event.Message) []string {
	var list []string
	for _, message := range messages {
		if message.Role != "user" && message.Role != "assistant" {
			continue
		}
		for _, block := range message.Blocks {
			if block.Type == "text" && strings.TrimSpace(block.Text) != "" {
				list = append(list, message.Role+": "+strings.TrimSpace(block.Text))
			}
		}
	}
	return list
}

// asked are the texts in the model's request, without the newest prompt and without
// what the CLI adds.
func asked(r demo.Request) []string {
	var list []string
	for _, message := range r.Messages {
		for _, block := range message.Blocks {
			text := strings.TrimSpace(block.Text)
			if block.Type == "text" && text != "" && !(message.Role == "user" && strings.HasPrefix(text, "<system-reminder>")) &&
				text != "No response requested." && text != "(no content)" {
				list = append(list, message.Role+": "+text)
			}
		}
	}
	return list[:max(0, len(list)-1)]
}
