package session

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"parley/backend/claude/wire"
)

// The CLI's suggestion is available until the next turn.
func TestSuggestion(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		want := func(text string) {
			t.Helper()
			synctest.Wait()
			if record, _ := r.reg.Get(context.Background(), r.id); record.Suggestion != text {
				t.Errorf("suggested %q, want %q", record.Suggestion, text)
			}
		}
		p.say(&wire.PromptSuggestion{Suggestion: " run the tests\n"})
		want("run the tests")
		turn := r.prompt("a")
		want("")
		p.takeUp(turn)
		p.say(&wire.PromptSuggestion{Suggestion: "too late"})
		want("")
		p.conclude(turn)
		p.say(&wire.PromptSuggestion{Suggestion: strings.Repeat("x", maxSuggestion+1)})
		want("")
		p.say(&wire.PromptSuggestion{Suggestion: "commit this"})
		want("commit this")
		if err := r.reg.Fresh(context.Background(), r.id); err != nil {
			t.Fatal(err)
		}
		want("")
		r.quiet()
	})
}
