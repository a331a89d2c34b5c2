package app

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app/feature"
	"parley/app/sessions"
	"parley/app/shell"
	"parley/backend/event"
)

// A user's own command counts as work: ending Parley would interrupt it.
func TestCommandIsWork(t *testing.T) {
	noBus(t)
	a, data := newPlace(t, true, nil)
	if a.Busy(t.Context()) {
		t.Error("there is work at the start")
	}
	s := ask[event.Session](t.Context(), t, a, "session.create", sessions.SessionCreateParams{CWD: data, Title: "Fix the upload"})
	ref := ask[shell.ShellRef](t.Context(), t, a, "shell.run", shell.ShellRunParams{SessionID: s.ID, Command: "sleep 600"})
	want := []event.Work{{SessionID: s.ID, Title: "Fix the upload", State: "command"}}
	if diff := cmp.Diff(want, a.notices.Work(t.Context())); diff != "" {
		t.Error(diff)
	}
	ask[feature.Empty](t.Context(), t, a, "shell.stop", ref)
	for deadline := time.Now().Add(10 * time.Minute); a.Busy(t.Context()); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the command that was stopped is still work")
		}
	}
}
