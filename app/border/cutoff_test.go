//go:build linux

package border

import (
	"bytes"
	"os"
	"slices"
	"syscall"
	"testing"

	"parley/backend/demo"
)

// A CLI is killed in the middle of a turn, and the next one continues as if that had not
// happened: the turn's messages stay in the conversation, marked, once, in their place, and
// over restarts of Parley.
func TestTurnThatWasCutOff(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		gate := demo.NewGate()
		p := start(t, demo.NewRules().
			When(demo.Contains("two"), demo.Answer(demo.Text("Two ").Wait(gate).More("never"))).
			When(demo.Any, demo.Say("Fine.")))
		s := p.openWith(m{"engine": engine})
		s.turn("one")
		turn := s.prompt("two")
		<-gate.Reached()
		s.hears(turn, "Two ")
		file := p.transcript(s.record().CLISessionID)
		has := func() bool {
			raw, err := os.ReadFile(file)
			return err == nil && bytes.Contains(raw, []byte(`"two"`))
		}
		poll(t, "the CLI to write it down", has)
		if err := syscall.Kill(s.record().PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		s.done(turn, "crashed")
		p.kill()
		p.nothingLeft()
		p.again()
		shown := func(marked bool) {
			t.Helper()
			s.c = p.watcher
			s.wantWaiting()
			list := p.messages(s.id)
			if got := spoken(list); !slices.Equal(got[:4], []string{"user: one", "assistant: Fine.", "user: two", "assistant: Two "}) {
				t.Errorf("the conversation has %q", got)
			}
			for _, message := range list {
				if text := words(message); text == "two" && message.Unsaved != marked || text == "Two " && !message.Unsaved {
					t.Errorf("%q is marked: %t", text, message.Unsaved)
				}
			}
		}
		shown(false)
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		raw = raw[:bytes.LastIndexByte(raw[:bytes.Index(raw, []byte(`"two"`))], '\n')+1]
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		s = p.resume(s)
		s.turn("three")
		for _, message := range p.lastRequest().Messages {
			for _, b := range message.Blocks {
				if b.Text == "two" {
					t.Error("the CLI continued the turn that was killed")
				}
			}
		}
		for range 2 {
			p.kill()
			p.nothingLeft()
			p.again()
			shown(true)
		}
	})
}
