package demo_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/demo"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// player plays the CLI's part of a conversation, without a CLI.
type player struct {
	t        *testing.T
	server   *demo.Server
	messages []m
	log      strings.Builder
	calls    int
	// answer returns the result of a tool and whether it is an error.
	answer func(name string, input map[string]any) (string, bool)
}

const (
	planPath = "/home/ada/.claude/plans/calm-cup.md"
	workDir  = "/home/ada/Corner Café"
)

func newPlayer(t *testing.T, s *demo.Server, answer func(string, map[string]any) (string, bool)) *player {
	return &player{t: t, server: s, answer: answer}
}

// prompt sends a prompt and plays until the model ends its turn.
func (p *player) prompt(text string) {
	p.t.Helper()
	p.messages = append(p.messages, m{"role": "user", "content": text})
	if len(p.messages) == 1 {
		p.messages = append(p.messages, m{"role": "system", "content": "# Environment\n - Primary working directory: " + workDir + "\n - Platform: linux"})
	}
	fmt.Fprintf(&p.log, "> %s\n\n", text)
	for p.turn() {
	}
}

// next is the prompt of the next step.
func (p *player) next() string {
	p.t.Helper()
	id := demo.Next(p.said())
	for _, s := range demo.Steps() {
		if s.ID == id {
			return s.Prompt
		}
	}
	p.t.Fatalf("no step comes next (%q):\n%s", id, p.log.String())
	return ""
}

// said is the conversation as Parley keeps it.
func (p *player) said() []demo.Message {
	raw, err := json.Marshal(p.messages)
	if err != nil {
		p.t.Fatal(err)
	}
	var list []struct {
		Role    string
		Content any
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		p.t.Fatal(err)
	}
	var out []demo.Message
	for _, one := range list {
		said := demo.Message{Role: one.Role}
		if text, ok := one.Content.(string); ok {
			said.Blocks = append(said.Blocks, demo.Block{Type: "text", Text: text})
		}
		blocks, _ := one.Content.([]any)
		for _, b := range blocks {
			fields := b.(map[string]any)
			str := func(key string) string { s, _ := fields[key].(string); return s }
			input, _ := json.Marshal(fields["input"])
			isError, _ := fields["is_error"].(bool)
			id := str("id") + str("tool_use_id")
			said.Blocks = append(said.Blocks, demo.Block{
				Type: str("type"), Text: str("text"), ToolUseID: id, Name: str("name"), Input: input, IsError: isError,
			})
		}
		if one.Role != "system" {
			out = append(out, said)
		}
	}
	return out
}

// turn requests one message and sends the results of its tools.
func (p *player) turn() bool {
	p.t.Helper()
	p.calls++
	if p.calls > 60 {
		p.t.Fatal("the tour does not end:\n", p.log.String())
	}
	body, err := json.Marshal(m{
		"model": "m", "messages": p.messages, "tools": []m{{"name": "Bash"}, {"name": "AskUserQuestion"}},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	resp := post(p.t, p.server, "/v1/messages", string(body))
	raw := readAll(p.t, resp.Body)
	var got struct {
		Content    []map[string]any
		StopReason string `json:"stop_reason"`
		Error      struct{ Message string }
	}
	if err := json.Unmarshal([]byte(raw), &got); err != nil {
		p.t.Fatal(err)
	}
	if got.Error.Message != "" {
		fmt.Fprintf(&p.log, "[error %d] %s\n\n", resp.StatusCode, got.Error.Message)
		return false
	}
	p.messages = append(p.messages, m{"role": "assistant", "content": got.Content})
	var results []m
	plan := false
	for _, b := range got.Content {
		switch b["type"] {
		case "text":
			fmt.Fprintf(&p.log, "%s\n\n", b["text"])
		case "thinking":
			fmt.Fprintf(&p.log, "[thinking] %s\n\n", b["thinking"])
		case "tool_use":
			name := b["name"].(string)
			input := b["input"].(map[string]any)
			pretty, _ := json.MarshalIndent(input, "", "  ")
			fmt.Fprintf(&p.log, "[%s] %s\n\n", name, pretty)
			content, isError := p.answer(name, input)
			fmt.Fprintf(&p.log, "[result, error %v] %s\n\n", isError, content)
			results = append(results, m{"type": "tool_result", "tool_use_id": b["id"], "content": content, "is_error": isError})
			plan = plan || name == "EnterPlanMode"
		}
	}
	if results == nil {
		return false
	}
	p.messages = append(p.messages, m{"role": "user", "content": results})
	if plan {
		p.messages = append(p.messages, m{"role": "system", "content": "Plan mode is active.\nNo plan file exists yet. You should create your plan at " + planPath + " using the Write tool."})
	}
	return got.StopReason == "tool_use"
}

// world answers tools as the CLI does when a user allows everything.
type world struct {
	file   string // content of receipt.sh; "" if it doesn't exist
	label  string // answer to the question; "" for none
	deny   map[string]string
	denied map[string]int // how often a tool is still denied; missing means always
}

func (w *world) answer(name string, input map[string]any) (string, bool) {
	if note, ok := w.deny[name]; ok {
		left, counted := w.denied[name]
		if !counted || left > 0 {
			if counted {
				w.denied[name] = left - 1
			}
			return note, true
		}
	}
	switch name {
	case "Bash":
		switch {
		case w.file == "":
			return "Exit code 2\nsh: 0: cannot open receipt.sh: No such file", true
		case strings.Contains(w.file, "total + price"):
			return "coffee         3\ntotal          9", false
		}
		return "coffee         3\ntotal          4", false
	case "AskUserQuestion":
		if w.label == "" {
			return "The user did not answer the questions.", false
		}
		q := input["questions"].([]any)[0].(map[string]any)["question"]
		return fmt.Sprintf("Your questions have been answered: %q=%q. You can now continue with these answers in mind.", q, w.label), false
	case "Read":
		if w.file == "" {
			return "<tool_use_error>File does not exist.</tool_use_error>", true
		}
		return numbered(w.file), false
	case "Edit":
		before, after := input["old_string"].(string), input["new_string"].(string)
		if !strings.Contains(w.file, before) {
			return "<tool_use_error>String to replace not found in file.</tool_use_error>", true
		}
		w.file = strings.Replace(w.file, before, after, 1)
		return "The file has been updated successfully.", false
	case "ExitPlanMode":
		return "User has approved your plan. You can now start coding.", false
	}
	return "ok", false
}

// numbered formats a file as the CLI's Read does.
func numbered(s string) string {
	var b strings.Builder
	for i, line := range strings.Split(s, "\n") {
		fmt.Fprintf(&b, "%d\t%s\n", i+1, line)
	}
	return b.String()
}

func demoScript(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := demo.Folder(dir); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "receipt.sh"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The golden files are the tour as a user reads it: review their diff.
func TestTourGolden(t *testing.T) {
	script := demoScript(t)
	for _, c := range []struct {
		name    string
		world   world
		prompts []string
	}{
		{"all allowed", world{file: script, label: "Change and comment"}, []string{"Hello, can you build me a game?", "and now?", "tour"}},
		{"all denied", world{file: script, deny: map[string]string{
			"Bash": "no", "AskUserQuestion": "no", "ExitPlanMode": "Make it\nshorter.", "Edit": "no",
		}}, []string{"hello", "go on", "diff"}},
		{"plan sent back once", world{file: script, label: "Smallest change",
			deny: map[string]string{"ExitPlanMode": "Shorter, please."}, denied: map[string]int{"ExitPlanMode": 1}}, []string{"plan"}},
		{"another folder", world{label: "Something else"}, []string{"hello"}},
		{"steps", world{file: script, label: "Change and comment"}, make([]string, 7)},
		{"steps denied", world{file: script, deny: map[string]string{
			"Bash": "no", "AskUserQuestion": "no", "ExitPlanMode": "no", "Edit": "no",
		}}, make([]string, 6)},
		{"steps undone by nobody", world{file: script, deny: map[string]string{"Edit": "no"}, denied: map[string]int{"Edit": 0}},
			[]string{"", "diff", "Please take that change back.", "Please take that change back."}},
		{"words", world{file: script}, []string{"Command!", "question", "show diff", "long", "thinking", "slow", "error", "hm"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlayer(t, start(t, demo.Tour()), c.world.answer)
			for _, text := range c.prompts {
				if text == "" { // the next step, whichever it is
					text = p.next()
				}
				p.prompt(text)
			}
			golden(t, strings.ReplaceAll(c.name, " ", "-")+".md", p.log.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "tour", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
	if m := regexp.MustCompile(`\{[a-z]+\}`).FindString(got); m != "" {
		t.Errorf("a passage still has %s in it", m)
	}
}

// The tour keeps no state: a server that never saw the first half gives the same
// second half.
func TestTourAfterRestart(t *testing.T) {
	w := world{file: demoScript(t), label: "Smallest change"}
	whole := newPlayer(t, start(t, demo.Tour()), w.answer)
	whole.prompt("hello")

	w = world{file: demoScript(t), label: "Smallest change"}
	split := newPlayer(t, nil, w.answer)
	split.messages = []m{{"role": "user", "content": "hello"},
		{"role": "system", "content": " - Primary working directory: " + workDir}}
	split.log.WriteString("> hello\n\n")
	for more := true; more; {
		split.server = start(t, demo.Tour())
		more = split.turn()
	}
	if diff := cmp.Diff(whole.log.String(), split.log.String()); diff != "" {
		t.Error(diff)
	}
}

// After an interrupt at an open question the next prompt continues with the next step.
func TestTourAfterInterrupt(t *testing.T) {
	w := world{file: demoScript(t), label: "Smallest change"}
	p := newPlayer(t, start(t, demo.Tour()), w.answer)
	p.messages = []m{
		{"role": "user", "content": "hello"},
		{"role": "assistant", "content": []m{{"type": "tool_use", "id": "t1", "name": "Bash", "input": m{"command": "sh receipt.sh"}}}},
		{"role": "user", "content": []m{
			{"type": "tool_result", "tool_use_id": "t1", "content": "rejected", "is_error": true},
			{"type": "text", "text": "[Request interrupted by user for tool use]\n"},
			{"type": "text", "text": "sorry, go on"},
		}},
	}
	p.turn()
	got := p.log.String()
	if !strings.Contains(got, "You stopped the answer") || !strings.Contains(got, "[AskUserQuestion]") {
		t.Error(got)
	}
}

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := demo.Folder(dir); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(dir, "order.txt")
	if err := os.WriteFile(mine, []byte("tea 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "README.md")); err != nil {
		t.Fatal(err)
	}
	if err := demo.Folder(dir); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(mine); err != nil || string(b) != "tea 1\n" {
		t.Errorf("a changed file was overwritten: %q, %v", b, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
	if err := demo.Folder(mine); err == nil {
		t.Error("no error for a folder that is a file")
	}
}

// The next step follows from the conversation, however its steps were requested.
func TestNext(t *testing.T) {
	script := demoScript(t)
	play := func(t *testing.T, w world, prompts ...string) string {
		p := newPlayer(t, start(t, demo.Tour()), w.answer)
		for _, text := range prompts {
			p.prompt(text)
		}
		return demo.Next(p.said())
	}
	prompts := map[string]string{}
	for _, s := range demo.Steps() {
		prompts[s.ID] = s.Prompt
	}
	allowed := func() world { return world{file: script, label: "Smallest change"} }
	denied := world{file: script, deny: map[string]string{"Edit": "no"}}
	for _, c := range []struct {
		name    string
		world   world
		prompts []string
		want    string
	}{
		{"nothing was said", allowed(), nil, "welcome"},
		{"greeted", allowed(), []string{prompts["welcome"]}, "command"},
		{"a step by its word", allowed(), []string{prompts["welcome"], "command"}, "question"},
		{"something else was said", allowed(), []string{prompts["welcome"], "thinking"}, "command"},
		{"a later step first", allowed(), []string{prompts["welcome"], prompts["plan"]}, "command"},
		{"all at once", allowed(), []string{"hello"}, "undo"},
		{"taken back", allowed(), []string{"hello", prompts["undo"]}, "end"},
		{"nothing to take back", denied, []string{"hello"}, "end"},
		{"over", allowed(), []string{"hello", prompts["end"]}, ""},
		{"left early", allowed(), []string{prompts["welcome"], prompts["end"]}, ""},
		{"left and typed on", allowed(), []string{prompts["welcome"], prompts["end"], "command"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := play(t, c.world, c.prompts...); got != c.want {
				t.Errorf("next is %q, want %q", got, c.want)
			}
		})
	}
	// The first answer never arrived.
	unanswered := []demo.Message{{Role: "user", Blocks: []demo.Block{{Type: "text", Text: prompts["welcome"]}}}}
	if got := demo.Next(unanswered); got != "welcome" {
		t.Errorf("next is %q", got)
	}
}
