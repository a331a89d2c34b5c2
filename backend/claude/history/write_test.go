package history_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/claude/history"
	"parley/backend/event"
)

// file writes lines to a new file.
func file(t testing.TB, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "-home-user-project", "00000000-0000-4000-8000-000000000001.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path, lines...)
	return path
}

// write appends lines, each with its line end.
func write(t testing.TB, path string, lines ...string) {
	t.Helper()
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	appendTo(t, path, b.String())
}

func appendTo(t testing.TB, path, body string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(body)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The CLI's lines, as short as possible.

func user(id, parent, text string) string {
	return fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,"type":"user","message":{"role":"user","content":%q},"uuid":%q,"timestamp":"2026-01-01T00:00:00.000Z","cwd":"/home/user/project","sessionId":"s","version":"2.1.329","gitBranch":"main"}`, link(parent), text, id)
}

func answer(id, parent, text string) string {
	return piece(id, parent, "msg-"+id, 0, fmt.Sprintf(`{"type":"text","text":%q}`, text))
}

func tool(id, parent, message string, index int) string {
	return piece(id, parent, message, index, fmt.Sprintf(`{"type":"tool_use","id":"tool-%s","name":"Bash","input":{"command":"ls"}}`, id))
}

func piece(id, parent, message string, index int, block string) string {
	return fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,"message":{"id":%q,"model":"claude-opus-5-5","role":"assistant","content":[%s],"usage":{"input_tokens":1,"cache_read_input_tokens":20,"cache_creation_input_tokens":300,"output_tokens":4000}},"apiBlockIndex":%d,"type":"assistant","uuid":%q,"timestamp":"2026-01-01T00:00:01.000Z","cwd":"/home/user/project"}`, link(parent), message, block, index, id)
}

func result(id, parent, tool, text string) string {
	return fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"tool-%s","content":%q}]},"uuid":%q,"timestamp":"2026-01-01T00:00:02.000Z"}`, link(parent), tool, text, id)
}

func link(parent string) string {
	if parent == "" {
		return "null"
	}
	return `"` + parent + `"`
}

// say formats messages.
func say(messages []event.Message) []string {
	out := []string{}
	for _, m := range messages {
		s := m.Role + ":"
		if m.Notice != nil {
			s += " " + m.Notice.Kind
		}
		for _, b := range m.Blocks {
			if b.Tool == nil {
				s += " " + b.Text
				continue
			}
			s += " " + b.Tool.Name + " " + b.Tool.State
			for _, c := range b.Tool.Content {
				s += " " + c.Text
			}
		}
		out = append(out, s)
	}
	return out
}

func newest(t testing.TB, path string, limit int) history.Page {
	t.Helper()
	p, err := history.Open(path).Page(t.Context(), limit, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}
