package memory

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/session"
)

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace(time.Now)
		take := func(n int, id string) (taken int) {
			for range n {
				if p.take(id) {
					taken++
				}
			}
			return taken
		}
		if n := take(50, "a"); n != paceBurst {
			t.Errorf("at once %d are saved", n)
		}
		if n := take(3, "b"); n != 3 {
			t.Errorf("another session saves %d", n)
		}
		time.Sleep(paceEvery)
		if n := take(5, "a"); n != 1 {
			t.Errorf("a little later %d are saved", n)
		}
		time.Sleep(time.Hour)
		if n := take(50, "a"); n != paceBurst {
			t.Errorf("an hour later %d are saved", n)
		}
		time.Sleep(time.Hour)
		for i := range 3 * maxPaced {
			p.take(fmt.Sprint(i))
			time.Sleep(paceEvery)
		}
		if len(p.full) > maxPaced {
			t.Errorf("%d sessions are known", len(p.full))
		}
	})
}

// A scripted model's sessions neither save nor include memories.
func TestScriptedSessionsRememberNothing(t *testing.T) {
	m := &Service{told: map[string]toldMemory{}}
	spec := session.Spec{SessionID: "s", Scripted: true}
	if tools, err := m.Tools().Tools(spec); len(tools) != 0 || err != nil {
		t.Errorf("it has %d tools, %v", len(tools), err)
	}
	if text := m.context(t.Context(), spec); text != "" || m.told["s"].off != "rehearsal" {
		t.Errorf("it is told %q", text)
	}
	if tools, err := m.Tools().Tools(session.Spec{}); len(tools) != 3 || err != nil {
		t.Errorf("the list has %d tools, %v", len(tools), err)
	}
	for i := range 2 * maxMemoryTold {
		m.keep(fmt.Sprint(i), toldMemory{})
	}
	if len(m.told) != maxMemoryTold || len(m.order) != maxMemoryTold {
		t.Errorf("%d are kept in mind", len(m.told))
	}
}
