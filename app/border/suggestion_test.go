//go:build linux

package border

import (
	"strings"
	"testing"

	"parley/backend/demo"
	"parley/backend/event"
)

// If enabled, the CLI suggests the user's next prompt; otherwise it sends no such
// request.
func TestSuggestion(t *testing.T) {
	t.Parallel()
	oneEngine(t, func(t *testing.T, engine string) {
		p := start(t, demo.NewRules().
			WhenKind(demo.Helper, demo.Say("run the tests")).
			When(demo.Any, demo.Say("I have fixed the bug.")))
		guesses := func() (n int) {
			for _, r := range p.model.Requests() {
				if strings.Contains(wholeText(r), "SUGGESTION MODE") {
					n++
				}
			}
			return n
		}
		s := p.openWith(m{"engine": engine})
		for _, text := range []string{"fix the bug", "and the other one", "and the last one"} {
			s.turn(text)
		}
		if n := guesses(); n != 0 || s.record().Suggestion != "" {
			t.Errorf("%d guesses that nobody wanted, %q", n, s.record().Suggestion)
		}

		call[m](p.watcher, "settings.set", m{"suggestions": true})
		s = p.openWith(m{"engine": engine})
		for _, text := range []string{"fix the bug", "and the other one", "and the last one"} {
			s.turn(text)
		}
		await(s.c, s.id, "the guess", func(e *event.State) bool { return e.Session.Suggestion == "run the tests" })
		turn := s.prompt("no, something else")
		s.done(turn, "completed")
	})
}
