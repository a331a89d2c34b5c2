//go:build linux

package border

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app/files"
	"parley/app/settings"
	"parley/backend/demo"
	"parley/backend/event"
)

// A subagent's conversation can be read from its own file, while the session runs, after
// a restart of Parley, and page by page.
func TestSessionAgent(t *testing.T) {
	t.Parallel()
	oneEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().
			When(demo.Contains("delegate"),
				demo.Answer(demo.Tool("Agent", m{"description": "look", "prompt": "look around",
					"subagent_type": "general-purpose", "run_in_background": false}).ID("toolu_agent")),
				demo.Say("Delegated.")).
			WhenAgent(demo.Any,
				demo.Answer(demo.Text("I look. "), demo.Tool("Read", m{"file_path": "notes.txt"}).ID("toolu_inner")),
				demo.Say("All quiet.")))
		s := p.openWith(m{"engine": engine})
		s.write("notes.txt", "nothing")
		s.turn("delegate")
		whole := []string{"user: look around", "assistant: I look.  ", "assistant: All quiet."}
		read := func(params m) event.History {
			t.Helper()
			params["sessionId"], params["toolUseId"] = s.id, "toolu_agent"
			page := call[event.History](p.watcher, "session.agent", params)
			for _, message := range page.Messages {
				if message.ParentToolUseID != "toolu_agent" {
					t.Errorf("%s is of %q", message.ID, message.ParentToolUseID)
				}
			}
			return page
		}
		check := func(what string) {
			t.Helper()
			if diff := cmp.Diff(whole, spoken(read(m{}).Messages)); diff != "" {
				t.Errorf("%s: %s", what, diff)
			}
		}
		check("while it runs")
		page := read(m{"limit": 1})
		if diff := cmp.Diff(whole[2:], spoken(page.Messages)); diff != "" || !page.HasMore {
			t.Errorf("the newest page: %s", diff)
		}
		if diff := cmp.Diff(whole[:2], spoken(read(m{"before": page.Before}).Messages)); diff != "" {
			t.Errorf("the older page: %s", diff)
		}
		p.terminate()
		p.again()
		check("after a restart")
		inner := read(m{}).Messages[1].Blocks
		if tool := inner[len(inner)-1].Tool; tool == nil || tool.ToolUseID != "toolu_inner" || tool.State != "done" {
			t.Errorf("the subagent's tool: %+v", tool)
		}
		p.watcher.refused("session.agent", m{"sessionId": s.id, "toolUseId": "toolu_other"}, "not_found")
		p.watcher.refused("session.agent", m{"sessionId": s.id, "toolUseId": ""}, "invalid", "toolUseId")
		p.watcher.refused("session.agent", m{"sessionId": "none", "toolUseId": "toolu_agent"}, "not_found")
	})
}

// A file is opened in the configured editor, resolved from the session's folder.
func TestEditorOpen(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewQueue())
	s := p.open()
	s.write("a b.go", "package a")
	said := filepath.Join(t.TempDir(), "said")
	program := filepath.Join(filepath.Dir(said), "zed")
	script := "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\n' \"$a\"; done > '" + said + "'\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	open := m{"sessionId": s.id, "path": "a b.go", "line": 7, "column": 2}
	p.watcher.refused("settings.set", m{"editor": "sh -c"}, "invalid", "editor")
	call[settings.Settings](p.watcher, "settings.set", m{"editor": "/nowhere/zed"})
	p.watcher.refused("editor.open", open, "not_found", "/nowhere/zed", "settings")
	call[settings.Settings](p.watcher, "settings.set", m{"editor": program})
	if got := call[files.EditorOpened](p.watcher, "editor.open", open); got.Editor != "Zed" {
		t.Errorf("opened in %q", got.Editor)
	}
	// It may be slower than Parley waits.
	if got := strings.TrimSpace(pollFile(t, said)); !filepath.IsAbs(got) || filepath.Base(got) != "a b.go:7:2" {
		t.Errorf("the editor was told %q", got)
	}
	for _, c := range []struct {
		change m
		code   string
	}{
		{m{"path": "none.go"}, "not_found"}, {m{"path": "."}, "invalid"}, {m{"path": ""}, "invalid"}, {m{"line": -1}, "invalid"}, {m{"sessionId": "none"}, "not_found"},
	} {
		params := m{}
		for k, v := range open {
			params[k] = v
		}
		for k, v := range c.change {
			params[k] = v
		}
		p.watcher.refused("editor.open", params, c.code)
	}
	for _, found := range call[files.EditorList](p.watcher, "editor.list", m{}).Editors {
		if found.ID == "" || found.Name == "" || !filepath.IsAbs(found.Path) {
			t.Errorf("%+v", found)
		}
	}
}
