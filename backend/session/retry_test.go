package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// A pending retry is in the record, for pages loaded after the failure, until the turn
// continues.
func TestRetryInTheRecord(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		turn := r.prompt("a")
		p.takeUp(turn)
		want := func(when string, attempt int) {
			t.Helper()
			synctest.Wait()
			record, _ := r.reg.Get(context.Background(), r.id)
			got := record.Retry
			if attempt == 0 && got == nil {
				return
			}
			status := 429
			expected := event.Retry{Attempt: attempt, MaxRetries: 10, DelayMs: 4000, Until: time.Now().UnixMilli() + 4000, HTTPStatus: status, Error: "rate_limit"}
			if got == nil || *got != expected {
				t.Errorf("%s: %+v, want %+v", when, got, expected)
			}
		}
		fails := func(attempt int) {
			status := 429
			p.say(&wire.APIRetry{Attempt: attempt, MaxRetries: 10, RetryDelayMs: 4000, ErrorStatus: &status, Error: "rate_limit"})
		}
		want("before", 0)
		fails(1)
		want("failed", 1)
		fails(2)
		want("failed again", 2)
		p.say(&wire.Status{Status: "requesting"})
		want("asked again", 0)
		fails(3)
		want("failed a third time", 3)
		p.conclude(turn)
		want("after the turn", 0)
		r.quiet()
	})
}
