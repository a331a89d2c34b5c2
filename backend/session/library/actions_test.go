package library_test

import (
	"fmt"
	"os"
	"testing"

	"parley/backend/session"
)

// Who stopped a turn or answered for a tool in a chat is known when only the transcript
// is left, and before it is written.
func TestDeeds(t *testing.T) {
	const alice = "@alice in Mattermost"
	r := newRig(t)
	id := r.create("/p")
	r.live.set(id, func(s *session.Snapshot) { s.Begun = true })
	path := r.write("cli-"+id, "turn-1")
	r.writeTool("cli-"+id, "use-1")
	stop(t, path, "a-use-1", "stop-1")
	r.write("cli-"+id, "turn-2")
	stop(t, path, "a-turn-2", "stop-2")
	r.restart()
	r.l.RecordAction(id, "turn-1", alice, false)
	r.l.RecordAction(id, "use-1", alice, true)
	check := func(when string) {
		t.Helper()
		page, err := r.l.History(t.Context(), id, 20, "")
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, m := range page.Messages {
			if m.Notice != nil {
				got[m.ID] = m.Notice.By
			}
			for _, b := range m.Blocks {
				if b.Tool != nil {
					got[b.Tool.ToolUseID] = fmt.Sprint(b.Tool.AnsweredBy, b.Tool.Said)
				}
			}
		}
		want := map[string]string{"notice:stop-1": alice, "use-1": alice + "true", "notice:stop-2": ""}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	check("at once")
	r.restart()
	check("after a restart")
	if err := r.l.Wake(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	page, err := r.l.History(t.Context(), id, 20, "")
	if err != nil {
		t.Fatal(err)
	}
	by := ""
	for _, m := range page.Messages {
		if m.Notice != nil && m.ID == "notice:stop-1" {
			by = m.Notice.By
		}
	}
	if by != alice {
		t.Errorf("woken, it was stopped by %q", by)
	}
}

// stop appends what the CLI writes about an interrupted turn.
func stop(t *testing.T, path, parent, id string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b = fmt.Appendf(b, `{"parentUuid":%q,"isSidechain":false,"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]},"timestamp":"2026-01-01T00:00:03.000Z","uuid":"%s"}`+"\n", parent, id)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
