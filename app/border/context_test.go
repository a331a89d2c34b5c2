//go:build linux

package border

import (
	"testing"

	"parley/app/sessions"
	"parley/app/usage"
	"parley/backend/demo"
	"parley/backend/event"
)

// Until the CLI has reported the size of a model's window, no fill level is
// shown; from then on every session of that model knows it, also after a restart.
func TestWindowOfAModel(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().When(demo.Any,
			demo.Answer(demo.Text("As you said.")).Usage(demo.Usage{Input: 1_000, CacheRead: 159_000, CacheCreation: 900, Output: 100})))
		open := func(model string) *conversation { return p.openWith(m{"engine": engine, "model": model}) }
		readings := func(s *conversation) (list []event.Context) {
			for _, u := range of[*event.ContextUpdate](s.c, s.id) {
				list = append(list, u.Context)
			}
			return list
		}
		claimsNothing := func(c *event.Context) bool {
			return c != nil && c.Used > 0 && c.Window == 0 && c.WindowSource == "" && c.Percent == nil && c.Level == ""
		}
		isRight := func(c *event.Context) bool {
			return c != nil && c.Window == 1_000_000 && c.Percent != nil && *c.Percent > 0 && *c.Percent <= 17 && c.Level == "ok"
		}
		report := func(s *conversation) usage.ContextReport {
			return call[usage.ContextReport](p.watcher, "usage.context", m{"sessionId": s.id})
		}

		first := open("")
		first.turn("hello")
		told := readings(first)
		if len(told) < 2 || !claimsNothing(&told[0]) || !isRight(&told[len(told)-1]) {
			t.Errorf("the first session: %+v", told)
		}
		for _, c := range told {
			if !claimsNothing(&c) && !isRight(&c) {
				t.Errorf("the first session: %+v", c)
			}
		}
		if c := told[len(told)-1]; c.Used != 161_000 || *c.Percent != 16.1 {
			t.Errorf("at its end: %+v", c)
		}
		r, c := report(first), first.record().Context
		if account := call[sessions.SessionContext](p.watcher, "session.context", m{"sessionId": first.id}); !isRight(c) || r.Total != c.Used || r.Window != c.Window ||
			account.Total != c.Used || account.Window != c.Window {
			t.Errorf("the record says %+v, usage.context %d of %d, session.context %+v", c, r.Total, r.Window, account)
		}

		second := open("")
		second.turn("hello")
		for _, c := range readings(second) {
			if !isRight(&c) {
				t.Errorf("the second session: %+v", c)
			}
		}

		// Another model: its window is still unknown.
		call[m](second.c, "session.setModel", m{"sessionId": second.id, "model": "haiku"})
		if c := second.record().Context; !claimsNothing(c) {
			t.Errorf("after the change to a model that is not known: %+v", c)
		}
		if r := report(second); r.Window != 0 || r.AutoCompactAt != 0 || r.Total != 161_000 {
			t.Errorf("and its parts: %+v", r)
		}
		second.turn("hello again")
		if c := second.record().Context; !isRight(c) {
			t.Errorf("after its turn: %+v", c)
		}
		call[m](first.c, "session.setModel", m{"sessionId": first.id, "model": "haiku"})
		if c := first.record().Context; !isRight(c) {
			t.Errorf("after the change to a model that is known: %+v", c)
		}

		p.end()
		p.again()
		third := open("")
		third.turn("hello")
		for _, c := range readings(third) {
			if !isRight(&c) {
				t.Errorf("after a restart: %+v", c)
			}
		}
		if c := call[event.Session](p.watcher, "session.get", m{"sessionId": second.id}).Context; !isRight(c) {
			t.Errorf("a session at rest: %+v", c)
		}
	})
}
