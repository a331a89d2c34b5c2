//go:build linux

package border

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/app/permissions"
	"parley/app/sessions"
	"parley/backend/demo"
	"parley/backend/event"
)

// conversation is one session as seen by one client.
type conversation struct {
	p   *parley
	c   *client
	id  string
	dir string
	// asked counts the checked questions.
	asked int
}

// open creates a session in the work folder.
func (p *parley) open() *conversation { return p.openWith(m{}) }

// openWith creates a session with additional parameters.
func (p *parley) openWith(params m) *conversation {
	p.t.Helper()
	if params["cwd"] == nil {
		params["cwd"] = p.path("work")
	}
	record := call[event.Session](p.watcher, "session.create", params)
	if record.State != "idle" || record.PID != 0 || record.CWD != params["cwd"] {
		p.t.Fatalf("a new session: %+v", record)
	}
	return &conversation{p: p, c: p.watcher, id: record.ID, dir: record.CWD}
}

// write creates a file in the session's folder.
func (s *conversation) write(name, content string) {
	s.p.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600); err != nil {
		s.p.t.Fatal(err)
	}
}

// exists reports whether a file exists in the session's folder.
func (s *conversation) exists(name string) bool {
	_, err := os.Stat(filepath.Join(s.dir, name))
	return err == nil
}

func (s *conversation) record() event.Session {
	s.p.t.Helper()
	return call[event.Session](s.c, "session.get", m{"sessionId": s.id})
}

// prompt sends a prompt and returns its turn.
func (s *conversation) prompt(text string) string {
	s.p.t.Helper()
	return s.promptWith(m{"text": text})
}

func (s *conversation) promptWith(params m) string {
	s.p.t.Helper()
	params["sessionId"] = s.id
	turn := call[sessions.SessionPromptResult](s.c, "session.prompt", params).TurnID
	if turn == "" {
		s.p.t.Fatal("a prompt without a turn")
	}
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.accepted[turn] = true
	return turn
}

// done waits for the end of a turn, which must have the given reason.
func (s *conversation) done(turn, reason string) {
	s.p.t.Helper()
	e := await(s.c, s.id, "the end of the turn", func(e *event.Done) bool { return e.TurnID == turn })
	if e.Reason != reason {
		s.p.t.Fatalf("the turn is done because %q, want %q%s", e.Reason, reason, tail(s.c.all(), s.id))
	}
}

// turn sends a prompt that must be answered without questions, and returns the
// text of the answer.
func (s *conversation) turn(text string) string {
	s.p.t.Helper()
	turn := s.prompt(text)
	s.done(turn, "completed")
	return s.said(turn)
}

// said joins the model's text in a turn, without its subagents.
func (s *conversation) said(turn string) string {
	var b strings.Builder
	for _, e := range of[*event.TextDelta](s.c, s.id) {
		if e.TurnID == turn && e.ParentToolUseID == "" {
			b.WriteString(e.Text)
		}
	}
	return b.String()
}

// hears waits until the model's text of a turn contains text.
func (s *conversation) hears(turn, text string) {
	s.p.t.Helper()
	if _, err := s.c.find(func(seen) bool { return strings.Contains(s.said(turn), text) }); err != nil {
		s.p.t.Fatalf("%q was not said: %v%s", text, err, tail(s.c.all(), s.id))
	}
}

// question waits for the next question of the session.
func (s *conversation) question() *event.PermissionRequest {
	s.p.t.Helper()
	n := 0
	q := await(s.c, s.id, "a question", func(*event.PermissionRequest) bool { n++; return n > s.asked })
	s.asked++
	return q
}

// respond answers a question and reports whether this was the first answer.
func (c *client) respond(q *event.PermissionRequest, answer m) bool {
	c.t.Helper()
	answer["requestId"] = q.RequestID
	return call[permissions.PermissionRespondResult](c, "permission.respond", answer).Won
}

// allow allows a request.
func (s *conversation) allow(q *event.PermissionRequest) {
	s.p.t.Helper()
	s.answer(q, m{"behavior": "allow"})
}

// answer answers a question that must be open.
func (s *conversation) answer(q *event.PermissionRequest, answer m) {
	s.p.t.Helper()
	if !s.c.respond(q, answer) {
		s.p.t.Fatalf("someone else answered the question about %s%s", q.ToolName, tail(s.c.all(), s.id))
	}
}

// resolved waits for the end of a question.
func (s *conversation) resolved(q *event.PermissionRequest) *event.PermissionResolved {
	s.p.t.Helper()
	return await(s.c, s.id, "the end of the question",
		func(e *event.PermissionResolved) bool { return e.RequestID == q.RequestID })
}

// result waits for the result of a tool.
func (s *conversation) result(toolUseID string) *event.ToolResult {
	s.p.t.Helper()
	return await(s.c, s.id, "the tool's result", func(e *event.ToolResult) bool { return e.ToolUseID == toolUseID })
}

// interrupt stops the turn and returns how long it took until its done came.
func (s *conversation) interrupt(turn string) time.Duration {
	s.p.t.Helper()
	begun := time.Now()
	call[m](s.c, "session.interrupt", m{"sessionId": s.id})
	end, err := s.c.find(func(e seen) bool {
		d, ok := e.Event.(*event.Done)
		return ok && d.TurnID == turn
	})
	if err != nil {
		s.p.t.Fatalf("the interrupted turn did not end: %v%s", err, tail(s.c.all(), s.id))
	}
	s.done(turn, "interrupted")
	took := end.at.Sub(begun)
	noteTime(s.p.t, "done after an interrupt", took, time.Second)
	return took
}

// mainRequests are the model's requests for turns, without those of
// subagents and the CLI's own.
func (p *parley) mainRequests() []demo.Request {
	var list []demo.Request
	for _, r := range p.model.Requests() {
		if r.Kind == demo.Main {
			list = append(list, r)
		}
	}
	return list
}

// lastRequest is the newest of them.
func (p *parley) lastRequest() demo.Request {
	p.t.Helper()
	list := p.mainRequests()
	if len(list) == 0 {
		p.t.Fatal("the model was asked nothing")
	}
	return list[len(list)-1]
}

// bash calls the CLI's shell. Commands that change or start something need
// permission.
func bash(command string) demo.Part { return demo.Tool("Bash", m{"command": command}) }
