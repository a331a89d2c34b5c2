package transcript

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// pair is a conversation with the real CLI from both sides: its output, and the
// files it wrote.
type pair struct {
	prompts map[string]*event.UserMessage
	frames  []byte
	// main are the transcripts in order of creation, agents those of subagents by the
	// tool use that started them.
	main   [][]byte
	agents map[string][]byte
}

func pairs(t testing.TB) map[string]pair {
	t.Helper()
	root := filepath.FromSlash("../history/testdata/pairs")
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]pair)
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		read := func(path string) []byte {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		p := pair{
			prompts: make(map[string]*event.UserMessage), frames: read(filepath.Join(dir, "frames.jsonl")),
			agents: make(map[string][]byte),
		}
		for line := range bytes.Lines(read(filepath.Join(dir, "prompts.jsonl"))) {
			var u wire.User
			if err := json.Unmarshal(line, &u); err != nil {
				t.Fatal(err)
			}
			said := &event.UserMessage{MessageID: u.UUID}
			for _, b := range u.Message.Content {
				if b.Type == "text" {
					said.Text = b.Text
				} else {
					said.Attachments = append(said.Attachments, event.Attachment{MediaType: b.Source.MediaType})
				}
			}
			p.prompts[u.UUID] = said
		}
		for _, pattern := range []string{"projects/*/*.jsonl", "projects/*/*/subagents/*.jsonl"} {
			paths, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(paths)
			for _, path := range paths {
				if !strings.Contains(path, "subagents") {
					p.main = append(p.main, read(path))
					continue
				}
				var meta struct{ ToolUseID string }
				if err := json.Unmarshal(read(strings.TrimSuffix(path, ".jsonl")+".meta.json"), &meta); err != nil {
					t.Fatal(err)
				}
				p.agents[meta.ToolUseID] = read(path)
			}
		}
		found[e.Name()] = p
	}
	if len(found) < 20 {
		t.Fatalf("only %d pairs", len(found))
	}
	return found
}

// live plays the frames as the session's owner would.
func (p pair) live(t testing.TB) []event.Message {
	t.Helper()
	s := newStage()
	for line := range bytes.Lines(p.frames) {
		var own struct{ Type, Did, Leaf string }
		if json.Unmarshal(line, &own) == nil && own.Type == "parley" {
			switch own.Did {
			case "interrupt":
				s.take(s.p.Stop()...)
				s.take(&event.Interrupted{})
			case "rewind":
				s.forgetAfter(own.Leaf)
			}
			continue
		}
		f, err := wire.Decode(line)
		if err != nil {
			t.Fatalf("%v: %.80s", err, line)
		}
		switch f := f.(type) {
		case *wire.CommandLifecycle:
			if f.State == "started" {
				said := *p.prompts[f.CommandUUID]
				s.take(&said)
			}
			continue
		case *wire.ControlResponse:
			continue // the marks show when a user interrupted
		case *wire.ControlRequest:
			if f.CanUseTool != nil {
				s.p.Asking(f.CanUseTool.ToolUseID)
			}
		case *wire.User:
			for _, m := range f.ToolResultMeta {
				if m.PermissionDecision.Decision == "reject" {
					s.take(&event.PermissionResolved{ToolUseID: m.ID, Outcome: "deny"})
				}
			}
		}
		s.frame(f)
	}
	return s.log.Page(10_000, "").Messages
}

// forgetAfter does to the log what going back to an answer does. Frames have a
// line's uuid and messages the API's id; in these scenarios the first answer is the
// one.
func (s *stage) forgetAfter(string) {
	kept := NewLog(10_000, 64<<20)
	n := 0
	for _, e := range s.events {
		if _, ok := e.(*event.UserMessage); ok {
			if n++; n == 2 {
				break
			}
		}
		kept.Apply(e)
	}
	s.log = kept
}

// read turns a file's lines into messages, following the newest branch.
func read(t testing.TB, parent string, file []byte) *File {
	t.Helper()
	var lines []Line
	for raw := range bytes.Lines(file) {
		l, ok := ReadLine(raw)
		if !ok {
			t.Fatalf("not read: %.100s", raw)
		}
		lines = append(lines, l)
	}
	f := NewFile(parent, 10_000, 64<<20)
	for _, l := range onTrail(lines, parent != "") {
		f.Add(l)
	}
	return f
}

// onTrail keeps the lines of the newest branch, and those without links.
func onTrail(lines []Line, sidechain bool) []Line {
	var trail Trail[string]
	keep := make([]bool, len(lines))
	for i, l := range slices.Backward(lines) {
		if l.UUID == "" || l.Sidechain != sidechain {
			keep[i] = l.UUID == ""
			continue
		}
		on, found := trail.Take(l.Node(), i)
		keep[i] = on
		for _, j := range found {
			keep[j] = true
		}
	}
	var out []Line
	for i, l := range lines {
		if keep[i] {
			out = append(out, l)
		}
	}
	return out
}

// same removes what the two sides can't have in common, each with its reason.
func same(messages []event.Message) []event.Message {
	var out []event.Message
	for _, m := range messages {
		// Turns, prompt ids and event times come from the session's owner; a file
		// has the CLI's times.
		m.TurnID, m.PromptID, m.At = "", "", 0
		// Outcomes are compared separately (TestOutcomes).
		m.Result = nil
		// The owner creates and numbers notices.
		if m.Role == "notice" {
			m.ID = "notice"
		}
		// The id of a text that the CLI created itself differs on each side.
		if m.Model == wire.SyntheticModel {
			m.ID = "synthetic"
		}
		blocks := slices.Clone(m.Blocks)
		for j := range blocks {
			b := &blocks[j]
			// Estimates of hidden thinking aren't written down.
			b.Tokens = 0
			if m.Model == wire.SyntheticModel {
				b.ID = "synthetic"
			}
			if b.Tool != nil {
				tool := *b.Tool
				tool.StartedAt, tool.DurationMs = 0, 0
				b.Tool = &tool
			}
		}
		m.Blocks = blocks
		// Only the sender knows an image's name and size.
		for j := range m.Attachments {
			m.Attachments[j].Name, m.Attachments[j].Bytes = "", 0
		}
		out = append(out, m)
		// The CLI writes a user's /compact after the compaction.
		if n := len(out); n >= 3 && m.Role == "user" && m.Blocks[0].Text == "/compact" && out[n-2].Synthetic && out[n-3].Role == "notice" {
			out[n-3], out[n-2], out[n-1] = out[n-1], out[n-3], out[n-2]
		}
	}
	return out
}

func ofThread(messages []event.Message, parent string) []event.Message {
	return slices.DeleteFunc(slices.Clone(messages), func(m event.Message) bool { return m.ParentToolUseID != parent })
}

// TestPairs compares the messages from both sources.
func TestPairs(t *testing.T) {
	for name, p := range pairs(t) {
		t.Run(name, func(t *testing.T) {
			live := p.live(t)
			files := p.main
			if name == "forked" { // the fork has the whole conversation
				files = files[1:]
			}
			var filed []event.Message
			for _, file := range files {
				filed = append(filed, read(t, "", file).Messages()...)
			}
			if diff := cmp.Diff(same(ofThread(live, "")), same(filed)); diff != "" {
				t.Errorf("messages (-live +file):\n%s", diff)
			}
			for parent, file := range p.agents {
				want, got := same(ofThread(live, parent)), same(read(t, parent, file).Messages())
				if len(want) > 0 && want[0].Role == "assistant" {
					got = got[1:] // a background agent's prompt isn't sent live
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("messages of agent %s (-live +file):\n%s", parent, diff)
				}
			}
		})
	}
}

// TestCounting: a file's messages can be counted without creating them.
func TestCounting(t *testing.T) {
	for name, p := range pairs(t) {
		for i, file := range p.main {
			var lines []Line
			for raw := range bytes.Lines(file) {
				l, _ := ReadLine(raw)
				lines = append(lines, l)
			}
			n, last := 0, ""
			for _, l := range onTrail(lines, false) {
				adds := l.Adds()
				if adds > 0 && l.Type == "assistant" {
					if l.MessageID == last {
						adds--
					}
					last = l.MessageID
				}
				n += adds
			}
			if got := read(t, "", file).Len(); got != n {
				t.Errorf("%s file %d: counted %d, made %d", name, i, n, got)
			}
		}
	}
}

// TestOutcomes: outcomes computed from a file match the live ones, except for costs
// and times, which the files of these pairs don't contain.
func TestOutcomes(t *testing.T) {
	compared := 0
	for name, p := range pairs(t) {
		live := make(map[string]event.TurnResult)
		for _, m := range p.live(t) {
			if m.Result != nil && m.Model != wire.SyntheticModel && !m.Result.Stopped {
				live[m.ID] = event.TurnResult{NumTurns: m.Result.NumTurns, Usage: m.Result.Usage}
			}
		}
		filed := make(map[string]event.TurnResult)
		for _, file := range p.main {
			for _, m := range read(t, "", file).Messages() {
				if m.Result != nil {
					filed[m.ID] = event.TurnResult{NumTurns: m.Result.NumTurns, Usage: m.Result.Usage}
				}
			}
		}
		if diff := cmp.Diff(live, filed); diff != "" {
			t.Errorf("%s (-live +file):\n%s", name, diff)
		}
		compared += len(filed)
	}
	if compared < 30 {
		t.Errorf("only %d turns were compared", compared)
	}
}
