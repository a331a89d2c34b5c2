//go:build linux

package border

import (
	"slices"
	"strings"
	"testing"

	appsessions "parley/app/sessions"
	"parley/backend/demo"
	"parley/backend/event"
)

// The current choices are those that the CLI reports, before its process
// runs and in the middle of a session, with either engine.
func TestChoices(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			rules := demo.NewRules().
				When(demo.Contains("effort"), demo.Answer(bash(`echo "$CLAUDE_EFFORT" >> efforts`)), demo.Say("Noted.")).
				When(demo.Any, demo.Say("Fine."))
			p := start(t, demo.ScriptFunc(func(r demo.Request) demo.Reply {
				if r.Model == "no-such-model" {
					return demo.Fail(404, "model: no-such-model").Final()
				}
				return rules.Reply(r)
			}))
			s := p.openWith(m{"engine": engine, "model": "sonnet", "permissionMode": "plan", "effort": "low"})
			set := func(method, name, value string) {
				t.Helper()
				call[m](s.c, method, m{"sessionId": s.id, name: value})
			}
			// reportedAs plays a turn: the CLI reports at its start.
			reportedAs := func(model, mode, effort string) {
				t.Helper()
				s.turn("hello")
				got := s.record()
				if got.Model != model || got.PermissionMode != mode || got.Effort != effort {
					t.Errorf("in force: %q, %q, %q; want %q, %q, %q", got.Model, got.PermissionMode, got.Effort, model, mode, effort)
				}
				if asked := p.lastRequest().Model; asked != model {
					t.Errorf("the request names the model %q", asked)
				}
			}
			models := call[appsessions.ModelList](s.c, "model.list", m{}).Models
			resolved := func(value string) string {
				t.Helper()
				i := slices.IndexFunc(models, func(one appsessions.Model) bool { return one.Value == value })
				if i < 0 || models[i].Resolved == "" {
					t.Fatalf("the model %s is not among %+v", value, models)
				}
				return models[i].Resolved
			}

			reportedAs(resolved("sonnet"), "plan", "low")
			set("session.setModel", "model", "haiku")
			if got := s.record().Model; got != resolved("haiku") {
				t.Errorf("after setting haiku the model is %q, not %q", got, resolved("haiku"))
			}
			set("session.setPermissionMode", "mode", "acceptEdits")
			set("session.setEffort", "effort", "max")
			reportedAs(resolved("haiku"), "acceptEdits", "max")
			for _, mode := range []string{"auto", "dontAsk", "plan", "default"} {
				set("session.setPermissionMode", "mode", mode)
				if got := s.record().PermissionMode; got != mode {
					t.Errorf("after setting %s the mode is %q", mode, got)
				}
			}
			reportedAs(resolved("haiku"), "default", "max")

			// The effort as the CLI's own commands see it.
			for _, effort := range []string{"high", "low"} {
				set("session.setEffort", "effort", effort)
				turn := s.prompt("effort?")
				s.allow(s.question())
				s.done(turn, "completed")
			}
			if got := pollFile(t, s.dir+"/efforts"); got != "high\nlow\n" {
				t.Errorf("the CLI's efforts were %q", got)
			}

			// An unknown model: the CLI requests it, reports the error, and continues as before.
			s.c.refused("session.setModel", m{"sessionId": s.id, "model": "no-such-model"}, "conflict", "no-such-model", "not found")
			reportedAs(resolved("haiku"), "default", "low")
			set("session.setModel", "model", "")
			reportedAs(resolved("default"), "default", "low")

			// A CLI that was started without it cannot be switched to skip all questions; one
			// that is not running yet will be started that way.
			s.c.refused("session.setPermissionMode", m{"sessionId": s.id, "mode": "bypassPermissions"}, "conflict", "Suspend the session", "choose the mode again")
			reportedAs(resolved("default"), "default", "low")
			call[event.Session](s.c, "session.suspend", m{"sessionId": s.id})
			set("session.setPermissionMode", "mode", "bypassPermissions")
			if got := s.record().PermissionMode; got != "bypassPermissions" {
				t.Errorf("the mode of the next process is %q", got)
			}
		})
	}
}

// The choices come from the session's own CLI while one runs, and otherwise from a
// separate CLI, which leaves nothing behind and calls no model.
func TestModelList(t *testing.T) {
	t.Parallel()
	p := start(t, demo.NewRules().When(demo.Any, demo.Say("Fine.")))
	c := p.watcher
	before := call[appsessions.ModelList](c, "model.list", m{})
	if len(before.Models) == 0 || before.At == 0 || before.Message != "" {
		t.Fatalf("%+v", before)
	}
	poll(t, "Parley is alone", p.alone)
	if n := len(p.model.Requests()); n != 0 {
		t.Errorf("%d requests to the model", n)
	}
	sessions := call[appsessions.SessionList](c, "session.list", m{})
	if len(sessions.Sessions) != 0 {
		t.Errorf("sessions: %+v", sessions)
	}
	s := p.open()
	s.turn("hello")
	var own appsessions.ModelList
	poll(t, "the word of its own CLI", func() bool {
		own = call[appsessions.ModelList](c, "model.list", m{"sessionId": s.id})
		return own.At > before.At && len(own.Commands) > 0
	})
	if len(own.Models) != len(before.Models) {
		t.Errorf("%d models, not %d", len(own.Models), len(before.Models))
	}
	c.refused("model.list", m{"sessionId": "nobody"}, "not_found")
	gone := call[appsessions.ModelList](c, "model.list", m{"profile": "nobody"})
	if len(gone.Models) != 0 || gone.At != 0 || !strings.Contains(gone.Message, "deleted") {
		t.Errorf("%+v", gone)
	}
}
