package library_test

import (
	"slices"
	"testing"

	"parley/backend/claude/history"
	"parley/backend/event"
	"parley/backend/session"
	"parley/backend/store/model"
)

// tool returns the state of the last tool on a session's newest page, and of the log's if
// the session is live.
func (r *rig) tool(id string) string {
	r.t.Helper()
	page, err := r.l.History(r.t.Context(), id, 10, "")
	if err != nil {
		r.t.Fatal(err)
	}
	for _, m := range slices.Backward(page.Messages) {
		for _, b := range m.Blocks {
			if b.Tool != nil {
				return b.Tool.State
			}
		}
	}
	r.t.Fatalf("no tool in %v", ids(page.Messages))
	return ""
}

// A tool without a result won't get one if the session isn't running. For a
// conversation that continues elsewhere it is unknown.
func TestToolsOfARest(t *testing.T) {
	r := newRig(t)
	for _, cli := range []string{"cut", "rests", "found", "pinned"} {
		r.write(cli, "say-"+cli)
		r.writeTool(cli, "tool")
	}
	r.records.sessions["cut"] = model.Session{ID: "cut", CLISessionID: "cut", Begun: true, State: "running"}
	r.records.sessions["rests"] = model.Session{ID: "rests", CLISessionID: "rests", Begun: true, State: "idle", Messages: 3}
	r.restart()
	if _, err := r.l.Pin(t.Context(), "pinned", true); err != nil {
		t.Fatal(err)
	}
	for id, state := range map[string]string{"cut": "cutOff", "rests": "cutOff", "found": "pending", "pinned": "pending"} {
		want(t, id, r.tool(id), state)
	}
	located, err := r.l.Locate(t.Context(), "rests", "", "msg-tool", 1)
	if err != nil || located.Messages[0].Blocks[0].Tool.State != "cutOff" {
		t.Errorf("located: %+v, %v", located, err)
	}
	// It is continued in a terminal.
	r.write("rests", "elsewhere")
	r.writeTool("rests", "later")
	e := r.catalog.entry(r.root + "/project/rests.jsonl")
	r.catalog.say(history.Grew, e)
	want(t, "goes on elsewhere", r.tool("rests"), "pending")
	// Continuing it here starts from where it was cut off.
	for _, id := range []string{"found", "rests"} {
		if err := r.l.Wake(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		want(t, id+" woken", r.tool(id), "cutOff")
	}
}

// The meter reading missing in a record comes from the conversation's file.
func TestMeterOfARest(t *testing.T) {
	r := newRig(t)
	for _, cli := range []string{"lacks", "has", "found"} {
		r.write(cli, "say-"+cli)
		r.writeTool(cli, "tool")
	}
	r.records.sessions["lacks"] = model.Session{ID: "lacks", CLISessionID: "lacks", Begun: true, State: "idle", Messages: 3, Used: 7, Window: 1000, WindowSource: "cli"}
	r.records.sessions["has"] = model.Session{ID: "has", CLISessionID: "has", Begun: true, State: "idle", Messages: 3, Used: 10, Window: 1000, WindowSource: "cli", Tokens: model.Tokens{Input: 3, Output: 7}}
	r.restart()
	told := func(id string) *event.Context {
		t.Helper()
		if _, err := r.l.History(t.Context(), id, 1, ""); err != nil {
			t.Fatal(err)
		}
		return r.get(id).Context
	}
	filled := &event.Context{
		Used: 500, Window: 1000, WindowSource: "cli", Percent: new(50.0), Level: "ok",
		InputTokens: 30, CacheReadTokens: 400, CacheCreationTokens: 50, OutputTokens: 20,
	}
	want(t, "lacks", told("lacks"), filled)
	want(t, "has", told("has"), &event.Context{Used: 10, Window: 1000, WindowSource: "cli", Percent: new(1.0), Level: "ok", InputTokens: 3, OutputTokens: 7})
	if c := told("found"); c == nil || c.Used != 500 || c.Window != 0 || c.Percent != nil || c.Level != "" {
		t.Errorf("found: %+v", c)
	}
	if err := r.l.Wake(t.Context(), "lacks"); err != nil {
		t.Fatal(err)
	}
	saved, err := r.live.Saved(t.Context(), "lacks")
	if err != nil {
		t.Fatal(err)
	}
	want(t, "woken", saved.Context, filled)
}

// Prompts that the CLI took up before its session was archived no longer wait; the rest
// does, also in a closed session.
func TestWhatWaitsInARest(t *testing.T) {
	for name, end := range map[string]func(r *rig, id string) error{
		"trash":  func(r *rig, id string) error { _, err := r.l.Delete(r.t.Context(), id); return err },
		"closed": func(r *rig, id string) error { return r.l.CloseSession(r.t.Context(), id) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			id := r.create("/p")
			r.live.set(id, func(s *session.Snapshot) { s.Begun = true })
			for i, text := range []string{"taken", "lost", "waits"} {
				p := session.AcceptedPrompt{TurnID: text, Order: int64(i + 1), Phase: session.Accepted}
				if text != "waits" {
					p.Phase = session.Handed
				}
				p.ID, p.Text = text, text
				if err := r.l.Keep(id, p); err != nil {
					t.Fatal(err)
				}
			}
			r.write("cli-"+id, "taken")
			r.l.Refresh()
			if err := end(r, id); err != nil {
				t.Fatal(err)
			}
			var held []string
			for _, q := range r.get(id).Queued {
				held = append(held, q.Text+" "+q.State)
			}
			want(t, "what waits", held, []string{"lost unknown", "waits held"})
		})
	}
}
