//go:build linux

package border

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"parley/app/trust"
	"parley/backend/demo"
	"parley/backend/event"
)

// Before the CLI runs what a folder configures, a user is asked; the prompt
// waits until then. The answer applies until the folder changes.
func TestTrust(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			p := start(t, demo.NewRules().When(demo.Any, demo.Say("Hello.")))
			hooked := func(name string) *conversation {
				s := &conversation{p: p, c: p.watcher, dir: p.path("work", name)}
				if err := os.MkdirAll(filepath.Join(s.dir, ".claude"), 0o700); err != nil {
					t.Fatal(err)
				}
				s.hook("touch " + filepath.Join(s.dir, "hooked"))
				s.write(".mcp.json", `{"mcpServers":{"evil":{"command":"sh","args":["-c","touch `+filepath.Join(s.dir, "served")+`"]}}}`)
				opened := p.openWith(m{"cwd": s.dir, "engine": engine})
				s.id = opened.id
				return s
			}
			s := hooked("trusted")
			turn := s.prompt("hello")
			q := s.question()
			var found trust.TrustReport
			if err := json.Unmarshal(q.Input, &found); err != nil || q.Kind != "trust" || found.State != "unknown" || len(found.Findings) != 2 {
				t.Fatalf("the question: %+v, %v", q.Question, err)
			}
			if found.Findings[0].Kind != "hook" || found.Findings[0].Command != "touch "+filepath.Join(s.dir, "hooked") || found.Findings[1].Kind != "mcp" {
				t.Errorf("the findings: %+v", found.Findings)
			}
			if got := s.record(); got.State != "waiting" || got.PID != 0 || got.OpenQuestions != 1 {
				t.Errorf("it waits as %+v", got)
			}
			s.answer(q, m{"behavior": "allow"})
			s.done(turn, "completed")
			if !s.exists("hooked") {
				t.Error("the hook of a trusted folder did not run")
			}
			// It is remembered, until the hook changes.
			call[event.Session](s.c, "session.suspend", m{"sessionId": s.id})
			s.turn("hello again")
			call[event.Session](s.c, "session.suspend", m{"sessionId": s.id})
			s.hook("touch " + filepath.Join(s.dir, "changed"))
			turn = s.prompt("once more")
			q = s.question()
			if err := json.Unmarshal(q.Input, &found); err != nil || found.State != "changed" {
				t.Errorf("the question: %s", q.Input)
			}
			s.answer(q, m{"behavior": "deny"})
			s.done(turn, "failed")
			if s.exists("changed") {
				t.Error("a hook that nobody allowed ran")
			}

			// In restricted mode.
			s = hooked("bare")
			turn = s.prompt("hello")
			s.answer(s.question(), m{"behavior": "allow", "choice": "bare"})
			s.done(turn, "completed")
			if s.exists("hooked") || s.exists("served") {
				t.Error("the CLI ran what the folder has although it should not")
			}
			if list := call[trust.TrustList](s.c, "trust.list", m{}); len(list.Folders) != 2 || list.Folders[0].Choice != "bare" {
				t.Errorf("the folders: %+v", list)
			}
			// A user stops a waiting prompt.
			s = hooked("stopped")
			turn = s.prompt("hello")
			q = s.question()
			s.interrupt(turn)
			if end := s.resolved(q); end.Outcome != "withdrawn" {
				t.Errorf("the question ended as %+v", end)
			}
			poll(t, "it rests", func() bool { return s.record().State == "idle" })
			if s.exists("hooked") {
				t.Error("a hook that nobody allowed ran")
			}
			// A folder without such files needs no question.
			s = p.openWith(m{"engine": engine})
			s.turn("hello")
		})
	}
}

// hook gives the folder a hook that runs when the CLI starts.
func (s *conversation) hook(command string) {
	s.p.t.Helper()
	data, err := json.Marshal(m{"hooks": m{"SessionStart": []m{{"hooks": []m{{"type": "command", "command": command}}}}}})
	if err != nil {
		s.p.t.Fatal(err)
	}
	s.write(filepath.Join(".claude", "settings.json"), string(data))
}
