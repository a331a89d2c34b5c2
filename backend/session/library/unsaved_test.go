package library_test

import (
	"strings"
	"testing"

	"parley/backend/event"
	"parley/backend/session"
)

// turnOf returns a turn as in a session's log.
func turnOf(name string) []event.Message {
	return []event.Message{
		{ID: name, Role: "user", Blocks: []event.Block{{ID: name + ":0", Type: "text", Text: "prompt of " + name}}},
		{ID: "msg-" + name, Role: "assistant", Model: "claude-test", Blocks: []event.Block{
			{ID: "msg-" + name + ":0", Type: "text", Text: "answer to " + name},
			{ID: "msg-" + name + ":1", Type: "tool", Tool: &event.Tool{ToolUseID: "tool-" + name, Name: "Bash", State: event.UseDone, Content: []event.ResultContent{{Type: "text", Text: "ran"}}}},
		}},
		{ID: "sub-" + name, Role: "assistant", Model: "claude-test", ParentToolUseID: "tool-" + name, Blocks: []event.Block{{Text: "of a subagent"}}},
		{ID: "own-" + name, Role: "assistant", Model: "<synthetic>", Blocks: []event.Block{{Text: "the CLI's own"}}},
	}
}

// shown returns the ids of a conversation's messages, with a mark on those missing in the
// CLI's file.
func (r *rig) shown(id string) string {
	r.t.Helper()
	page, err := r.l.History(r.t.Context(), id, 100, "")
	if err != nil {
		r.t.Fatal(err)
	}
	var list []string
	for _, m := range page.Messages {
		if m.Role == "notice" {
			continue
		}
		name := m.ID
		if m.Unsaved {
			name += "!"
		}
		list = append(list, name)
	}
	return strings.Join(list, " ")
}

// Messages that the CLI couldn't write stay in the history, in place and marked, even if
// the disks of both are full, until the file has them after all.
func TestUnsaved(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	r.live.set(id, func(s *session.Snapshot) { s.Begun = true })
	r.write("cli-"+id, "turn-1", "turn-2")
	r.restart()
	want := r.shown(id)
	// A turn that is in the file isn't stored.
	there := turnOf("turn-2")
	there[1].Blocks = there[1].Blocks[:1]
	r.l.Said(id, "cli-"+id, "", there)
	r.restart()
	if len(r.records.unsaved[id]) > 0 || r.shown(id) != want {
		t.Errorf("kept %+v, shown %s", r.records.unsaved[id], r.shown(id))
	}
	last := want[strings.LastIndex(want, " ")+1:]
	r.l.Said(id, "cli-"+id, last, turnOf("turn-3"))
	r.restart()
	want += " turn-3! msg-turn-3!"
	if got := r.shown(id); got != want {
		t.Errorf("lost: %s, want %s", got, want)
	}
	if err := r.l.Wake(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got := r.shown(id); got != want {
		t.Errorf("woken: %s, want %s", got, want)
	}
	// Missing tool results are detected too.
	r.l.Said(id, "cli-"+id, "turn-2", turnOf("turn-2"))
	r.restart()
	want = strings.Replace(want, "msg-turn-2", "msg-turn-2!", 1)
	if got := r.shown(id); got != want {
		t.Errorf("a tool's result: %s, want %s", got, want)
	}
	// Messages of another conversation aren't taken for this one's.
	r.l.Said(id, "cli-other", last, turnOf("turn-9"))
	r.restart()
	if got := r.shown(id); got != want {
		t.Errorf("another conversation: %s", got)
	}
}
