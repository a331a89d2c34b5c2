package session

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// The outcome the CLI reports for a turn is kept with the turn's last answer, also
// for stopped turns and the CLI's own, but not for turns without an answer.
func TestOutcomesAreKept(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		said := func(uuids ...string) *wire.Result {
			return &wire.Result{
				Subtype: "success", TerminalReason: "completed", NumTurns: 2, DurationMs: 90, TTFTMs: 30, TotalCostUSD: 0.5,
				Usage: wire.Usage{InputTokens: 1, OutputTokens: 2, CacheReadInputTokens: 3, CacheCreationInputTokens: 4}, UserMessageUUIDs: uuids,
			}
		}
		a := r.prompt("a")
		p.takeUp(a)
		p.speak("msg_first", "x")
		p.speak("msg_last", "y")
		p.say(said(a), lifecycle(a, "completed"))
		r.quiet()
		b := r.prompt("nothing is said")
		p.takeUp(b)
		p.say(said(b), lifecycle(b, "completed"))
		r.quiet()
		page, err := r.reg.History(context.Background(), r.id, 20, "")
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]event.TurnResult{}
		for _, m := range page.Messages {
			if m.Result != nil {
				want[m.ID] = *m.Result
			}
		}
		r.kept.mu.Lock()
		defer r.kept.mu.Unlock()
		if diff := cmp.Diff(want, r.kept.ended); diff != "" {
			t.Errorf("kept (-shown +kept):\n%s", diff)
		}
		last := event.TurnResult{
			CostUSD: 0.5, DurationMs: 90, NumTurns: 2, TTFTMs: 30,
			Usage: event.Usage{InputTokens: 1, OutputTokens: 2, CacheReadTokens: 3, CacheCreationTokens: 4},
		}
		if diff := cmp.Diff(last, r.kept.ended["msg_last"]); diff != "" || len(r.kept.ended) != 2 {
			t.Errorf("%d are kept; of the last answer (-want +got):\n%s", len(r.kept.ended), diff)
		}
	})
}
