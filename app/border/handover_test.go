//go:build linux

package border

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"parley/app/permissions"
	"parley/app/restart"
	"parley/backend/demo"
)

// expectContinued expects the sessions to continue: the events of the previous link and of the next
// one are one sequence without gaps.
func (p *parley) expectContinued() {
	p.t.Helper()
	p.renewed()
	last := len(p.before) - 1
	before := p.before[last].all()
	p.before = p.before[:last]
	p.watcher.mu.Lock()
	p.watcher.events = slices.Concat(before, p.watcher.events)
	p.watcher.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.Copy(p.accepted, p.earlier)
}

// A restart in the middle of any session activity: its CLI stays, its turn ends as if
// nothing had happened, and an open question keeps its id and is answered once.
func TestRestartInTheMiddle(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		text := demo.NewGate()
		t.Cleanup(text.Open)
		p := start(t, demo.NewRules().
			When(demo.Contains("endless"), demo.Answer(demo.Text("On and ").Wait(text).More("on."))).
			When(demo.Contains("make it"), demo.Answer(demo.Tool("Bash", m{"command": "touch made.txt"})), demo.Say("It is made.")).
			When(demo.Contains("work"), demo.Answer(demo.Tool("Bash", m{"command": "touch begun; until [ -e go ]; do sleep 0.05; done; echo worked"})), demo.Say("It worked.")).
			When(demo.Any, demo.Say("As you said.")))
		writes, asks := p.openWith(m{"engine": engine}), p.openWith(m{"engine": engine})
		works := p.openWith(m{"engine": engine})
		job := works.prompt("work")
		works.allow(works.question())
		p.until("the tool runs", func() bool { return works.exists("begun") })
		tale := writes.prompt("an endless story")
		<-text.Reached()
		writes.hears(tale, "On and ")
		later := writes.promptWith(m{"text": "and then?", "delivery": "queue"})
		makes := asks.prompt("make it")
		q := asks.question()
		before := []int{writes.record().PID, asks.record().PID, works.record().PID}
		for range 2 {
			if got := call[restart.Restarting](p.watcher, "app.restart", m{}); got.State != "restarting" {
				t.Fatalf("it says %+v", got)
			}
			p.expectContinued()
			if now := []int{p.session(writes.id).PID, p.session(asks.id).PID, p.session(works.id).PID}; !slices.Equal(now, before) {
				t.Fatalf("the CLIs are %v, and were %v", now, before)
			}
		}
		writes, asks, works = p.resume(writes), p.resume(asks), p.resume(works)
		if now := p.restarted(); now.Working != 3 {
			t.Errorf("it says that %d sessions worked", now.Working)
		}
		open := call[permissions.PermissionList](p.watcher, "permission.list", m{}).Requests
		if len(open) != 1 || open[0].RequestID != q.RequestID || open[0].ExpiresAt != q.ExpiresAt {
			t.Fatalf("questions: %+v, want %s", open, q.RequestID)
		}
		asks.allow(q)
		asks.done(makes, "completed")
		if !asks.exists("made.txt") {
			t.Error("what was allowed was not done")
		}
		works.write("go", "")
		works.done(job, "completed")
		if tools := p.messages(works.id); !strings.Contains(words(tools[len(tools)-1]), "It worked.") {
			t.Errorf("%+v", tools)
		}
		text.Open()
		writes.done(tale, "completed")
		writes.done(later, "completed")
		if said := spoken(p.messages(writes.id)); len(said) != 4 || said[1] != "assistant: On and on." {
			t.Errorf("%q", said)
		}
		asks.turn("more")
	})
}
