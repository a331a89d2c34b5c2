package app

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"

	"parley/app/sessions"
	"parley/backend/fault"
)

// Once Parley starts to close, all calls are refused.
func TestCallsWhileClosing(t *testing.T) {
	d := newDesk(t)
	ctx, table, folder := t.Context(), d.Methods(), d.folder("project")
	params, err := json.Marshal(sessions.SessionCreateParams{CWD: folder})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := table.Call(ctx, "session.create", params); err != nil {
		t.Fatal(err)
	}
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for {
				if _, err := table.Call(ctx, "session.create", params); err != nil {
					if fault.CodeOf(err) != fault.Unavailable {
						t.Errorf("while it closes: %v", err)
					}
					return
				}
			}
		})
	}
	d.stop()
	callers.Wait()
	own := []string{"subscribe", "unsubscribe", "method.list", "gateway.welcome"} // they reach no service
	for _, m := range table.List() {
		if slices.Contains(own, m.Name) {
			continue
		}
		// Even with valid parameters, the service is not reached.
		if _, err := table.Call(ctx, m.Name, nil); fault.CodeOf(err) != fault.Unavailable && fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
	for _, name := range []string{"session.list", "app.info", "settings.get", "library.status", "audit.list", "profile.list"} {
		if _, err := table.Call(ctx, name, nil); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	d.start()
}
