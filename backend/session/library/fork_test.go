package library_test

import (
	"os"
	"slices"
	"testing"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/session"
)

// A fork continues from a message with everything that belongs to it.
func TestFork(t *testing.T) {
	r := newRig(t)
	path := r.write("x", turns("a", 100)...)
	more := `{"parentUuid":"a-a99","isSidechain":false,"message":{"id":"msg-tool","model":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"usage":{"input_tokens":1}},"apiBlockIndex":0,"type":"assistant","timestamp":"2026-01-01T00:00:01.000Z","uuid":"use"}
{"parentUuid":"use","isSidechain":false,"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},"timestamp":"2026-01-01T00:00:02.000Z","uuid":"result"}
`
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(more)
	}
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	r.write("x", "last")
	r.l.Refresh()
	whole := append(messages(turns("a", 100)), "msg-tool", "last", "msg-last")
	for _, tt := range []struct{ message, line, last string }{
		{"", "", "msg-last"}, {"a42", "a42", "a42"}, {"msg-a42", "a-a42", "msg-a42"}, {"msg-tool", "result", "msg-tool"},
	} {
		s, err := r.l.Fork(t.Context(), "x", tt.message, "")
		if err != nil {
			t.Fatalf("%q: %v", tt.message, err)
		}
		want(t, "forked from", s.ForkedFrom, &event.Fork{SessionID: "x", CLISessionID: "x", MessageID: tt.message})
		if s.Title != "found" || s.Origin != "parley" || s.Model != "" || s.WorkspaceID != "w:/home/person/project" {
			t.Errorf("%+v", s)
		}
		past := whole[:slices.Index(whole, tt.last)+1]
		for range 2 {
			want(t, tt.message+" live", r.all(s.ID, 30), past)
			saved, err := r.live.Saved(t.Context(), s.ID)
			if err != nil || saved.Fork == nil || *saved.Fork != (session.Fork{CLISessionID: "x", MessageID: tt.line}) || saved.Begun {
				t.Errorf("%+v, %v", saved.Fork, err)
			}
			r.restart()
			want(t, tt.message+" resting", r.all(s.ID, 30), past)
			if err := r.l.Wake(t.Context(), s.ID); err != nil {
				t.Fatal(err)
			}
		}
		// Once started, it has its own file.
		r.live.set(s.ID, func(s *session.Snapshot) { s.Begun, s.Fork = true, nil })
		r.write(s.CLISessionID, "own")
		r.l.Refresh()
		r.restart()
		want(t, "own file", r.all(s.ID, 30), []string{"own", "msg-own"})
	}
	if s := r.get("x"); s.Origin != "cli" {
		t.Errorf("the source is another: %+v", s)
	}
	if _, err := r.l.Fork(t.Context(), "x", "nobody", ""); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
	if _, err := r.l.Fork(t.Context(), r.create("/p"), "", ""); fault.CodeOf(err) != fault.Conflict {
		t.Error(err)
	}
	if s, err := r.l.Fork(t.Context(), "x", "", "mine"); err != nil || s.Title != "mine" || s.TitleSource != "person" {
		t.Errorf("%+v, %v", s, err)
	}
}
