//go:build linux

package border

import (
	"slices"
	"testing"

	"parley/app/permissions"
	"parley/backend/demo"
	"parley/backend/event"
)

// Questions of several sessions are in one list, oldest first, and a late client
// learns who answered. A new prompt ends none of them.
func TestQuestionsOfAll(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().
		When(demo.Contains("first"), demo.Answer(bash("touch first")), demo.Say("I see.")).
		When(demo.Contains("second"), demo.Answer(bash("touch second")), demo.Say("I see.")).
		When(demo.Any, demo.Say("Yes.")))
	p.watcher.subscribe("*")
	count := func(open, sessions int) {
		t.Helper()
		if _, err := p.watcher.find(func(s seen) bool {
			e, ok := s.Event.(*event.PermissionsChanged)
			return ok && e.Open == open && e.Sessions == sessions && (e.OldestAt != 0) == (open > 0)
		}); err != nil {
			t.Errorf("nobody said that %d wait: %v", open, err)
		}
	}
	one, two := p.openWith(m{"engine": "cli", "title": "One"}), p.openWith(m{"engine": "sdk", "title": "Two"})
	first := one.prompt("first")
	asked := one.question()
	count(1, 1)
	second := two.prompt("second")
	other := two.question()
	count(2, 2)
	later := one.prompt("are you there?")
	list := call[permissions.PermissionList](p.dial(), "permission.list", m{}).Requests
	if len(list) != 2 || list[0].RequestID != asked.RequestID || list[0].SessionTitle != "One" || list[1].RequestID != other.RequestID || list[1].SessionTitle != "Two" {
		t.Fatalf("open: %+v", list)
	}
	if !slices.ContainsFunc(call[permissions.PermissionList](p.watcher, "permission.list", m{"sessionId": two.id}).Requests,
		func(q permissions.OpenQuestion) bool { return q.RequestID == other.RequestID }) {
		t.Error("a session's own questions")
	}
	one.answer(asked, m{"behavior": "deny", "message": "not now"})
	late := call[permissions.PermissionRespondResult](p.dial(), "permission.respond", m{"requestId": asked.RequestID, "behavior": "allow"})
	if late.Won || late.By != "gateway" || late.Outcome != "deny" || late.At == 0 || late.Message != "not now" {
		t.Errorf("the late one heard %+v", late)
	}
	two.allow(other)
	one.done(first, "completed")
	one.done(later, "completed")
	two.done(second, "completed")
	count(0, 0)
	if one.exists("first") || !two.exists("second") {
		t.Error("what ran is not what was allowed")
	}
}
