package library_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
	"parley/backend/session"
	"parley/backend/store/model"
)

// A turn's outcome is known when only the transcript, which doesn't contain it, is
// left, and before it is written.
func TestOutcomes(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	r.live.set(id, func(s *session.Snapshot) { s.Begun = true })
	r.write("cli-"+id, "turn-1", "turn-2", "turn-3")
	r.restart()
	results := map[string]event.TurnResult{
		"msg-turn-1": {CostUSD: 0.25, DurationMs: 1500, NumTurns: 3, TTFTMs: 300, Usage: event.Usage{InputTokens: 1, OutputTokens: 2, CacheReadTokens: 3, CacheCreationTokens: 4}},
		"msg-turn-3": {IsError: true, DurationMs: 1, Usage: event.Usage{OutputTokens: 1}},
	}
	for message, result := range results {
		r.l.Ended(id, message, result)
	}
	// For a turn that Parley didn't see, the file contains this much.
	want := maps.Clone(results)
	want["msg-turn-2"] = event.TurnResult{DurationMs: 1000, NumTurns: 1, Usage: event.Usage{InputTokens: 1, OutputTokens: 2}}
	check := func(when string) {
		t.Helper()
		page, err := r.l.History(t.Context(), id, 20, "")
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]event.TurnResult{}
		for _, m := range page.Messages {
			if m.Result != nil {
				got[m.ID] = *m.Result
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	check("at once")
	r.restart()
	check("after a restart")
	if err := r.l.Wake(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	check("woken")
}

// The outcome of a hidden turn isn't stored.
func TestNoOutcomesOfHidden(t *testing.T) {
	r := newRig(t)
	id := r.create("/p")
	r.restart()
	hidden := r.records.sessions[id]
	hidden.Hidden = true
	r.records.sessions[id] = hidden
	r.restart()
	r.l.Ended(id, "msg", event.TurnResult{NumTurns: 1})
	r.restart()
	if diff := cmp.Diff(map[string]model.Outcome{}, r.records.outcomes); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}
