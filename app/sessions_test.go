package app

import (
	"strings"
	"testing"

	"parley/app/feature"
	"parley/app/sessions"
	"parley/backend/event"
	"parley/backend/fault"
)

// Everything in lists and records is bounded, whatever its source.
func TestTitlesAndIDsAreBounded(t *testing.T) {
	d := newDesk(t)
	ctx, folder := t.Context(), d.folder("project")
	made, err := d.sessions.Create(ctx, sessions.SessionCreateParams{CWD: folder, Title: strings.Repeat("ü", 200)})
	if err != nil {
		t.Fatal(err)
	}
	for name, title := range map[string]string{"long": strings.Repeat("ü", 201), "two lines": "a\nb", "not text": "\xff"} {
		if _, err := d.sessions.Create(ctx, sessions.SessionCreateParams{CWD: folder, Title: title}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("create, %s: %v", name, err)
		}
		if _, err := d.sessions.Fork(ctx, sessions.SessionForkParams{SessionID: made.ID, Title: title}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("fork, %s: %v", name, err)
		}
	}
	_, err = d.sessions.Prompt(ctx, sessions.SessionPromptParams{SessionID: made.ID, Text: "x", PromptID: strings.Repeat("p", feature.MaxID+1)})
	if fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a long id: %v", err)
	}
}

// However many sessions a user creates and opens, few are in memory, all are listed, and one more
// can be opened.
func TestManySessionsRest(t *testing.T) {
	d := newDesk(t)
	ctx, folder := t.Context(), d.folder("project")
	var ids []string
	for range 130 {
		ids = append(ids, must[event.Session](t)(d.sessions.Create(ctx, sessions.SessionCreateParams{CWD: folder})).ID)
	}
	check := func() {
		t.Helper()
		if n := len(d.registry.List()); n > 101 {
			t.Errorf("%d sessions are in memory", n)
		}
		if n := len(d.list(sessions.SessionListParams{Limit: 500})); n != 130 {
			t.Errorf("%d sessions are listed", n)
		}
	}
	check()
	for _, id := range ids {
		if _, err := d.sessions.SetModel(ctx, sessions.SessionModelParams{SessionID: id, Model: "m-" + id}); err != nil {
			t.Fatal(err)
		}
	}
	check()
	d.restart()
	for _, id := range ids {
		if s := must[event.Session](t)(d.sessions.Get(ctx, feature.SessionRef{SessionID: id})); s.Model != "m-"+id || s.State != "idle" {
			t.Errorf("%+v", s)
		}
	}
}
