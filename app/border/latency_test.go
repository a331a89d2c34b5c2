//go:build linux

package border

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"parley/backend/demo"
	"parley/backend/event"
)

// A prompt is on disk before it is accepted. The added time is reported beside that of a method
// that writes nothing; a test on a busy machine fails only if it hangs.
func TestLatencyOfAcceptance(t *testing.T) {
	t.Parallel()
	gate := demo.NewGate()
	p := start(t, demo.NewRules().
		When(demo.Contains("first"), demo.Answer(demo.Text("One ").Wait(gate).More("and only."))).
		When(demo.Any, demo.Say("Fine.")))
	s := p.open()
	s.prompt("first")
	<-gate.Reached()
	const prompts = 100
	var read, kept []time.Duration
	for i := range prompts {
		begun := time.Now()
		call[event.Session](s.c, "session.get", m{"sessionId": s.id})
		read = append(read, time.Since(begun))
		begun = time.Now()
		s.queue(fmt.Sprint("prompt ", i))
		kept = append(kept, time.Since(begun))
	}
	slices.Sort(read)
	slices.Sort(kept)
	t.Logf("a prompt is accepted within %v (p50), %v (p99); a session is read within %v, %v", kept[prompts/2], kept[prompts-1], read[prompts/2], read[prompts-1])
	noteTime(t, "what acceptance adds", kept[prompts/2]-read[prompts/2], 3*time.Millisecond)
	call[m](s.c, "session.interrupt", m{"sessionId": s.id})
	for i := range prompts {
		call[m](s.c, "session.dropQueued", m{"sessionId": s.id, "promptId": fmt.Sprint("prompt ", i)})
	}
}
