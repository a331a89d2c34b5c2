package relay_test

import (
	"strings"
	"testing"
	"time"

	"parley/backend/chat/relay/command"
	"parley/backend/chat/relay/port"
)

// An answer that finds a problem without proposing a fix is followed by a prompt for
// one, once per thread, if enabled.
func TestSuggestedFixes(t *testing.T) {
	finding := "\n## Root cause\nThe error is that the lock is never let go of. " + strings.Repeat("It is held. ", 30)
	tests := map[string]struct {
		off    bool
		answer string
		asked  bool
	}{
		"found":           {answer: finding, asked: true},
		"in bold":         {answer: strings.Replace(finding, "## Root cause", "**What happened:**", 1), asked: true},
		"switched off":    {off: true, answer: finding},
		"with fixes":      {answer: finding + "\n### Suggested fixes\n1. Let go of it."},
		"short":           {answer: finding[:100]},
		"no trouble":      {answer: strings.Replace(finding, "error", "idea", 1)},
		"no heading":      {answer: strings.Replace(finding, "## Root cause", "Root cause", 1)},
		"in a file shown": {answer: "\n```md" + finding + "\n```\n" + strings.Repeat("That is the file. ", 30)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				w.config.SuggestFixes = !tt.off
				p := w.write("anna", "", "look"+tt.answer)
				w.pass(5 * time.Second)
				w.write("bert", p.ID, "again"+tt.answer)
				w.pass(5 * time.Second)
				want := 2
				if tt.asked {
					want = 3
				}
				got := w.texts()
				if len(got) != want || tt.asked && !strings.Contains(got[1], "Suggested fixes") {
					t.Fatalf("%d prompts: %q", len(got), got)
				}
				if tt.asked && w.sessions.prompts[1].By.ID != "anna" {
					t.Error(w.sessions.prompts[1].By)
				}
			})
		})
	}
}

// A session created by a command continues in its own thread.
func TestForkHasItsThread(t *testing.T) {
	bubble(t, func(w *world) {
		p := w.write("anna", "", "one")
		w.pass(2 * time.Second)
		fork, err := w.sessions.create(port.NewSession{CWD: folder, Title: "The other way"})
		if err != nil {
			t.Fatal(err)
		}
		w.commands.reply = map[string]command.Reply{"fork": {Text: "It goes on.", Show: fork.ID}}
		w.write("anna", p.ID, "!fork")
		w.pass(2 * time.Second)
		rec, _ := w.Thread(fork.ID)
		w.wantSaid(p.ID, "Answer to one", "It goes on. It has [a thread of its own](https://chat.example/pl/"+rec.ID+").")
		three := w.write("bert", rec.ID, "three")
		w.pass(2 * time.Second)
		if got := w.sessionOf(three); rec.ID == "" || got != fork.ID {
			t.Errorf("in %q it went to %q", rec.ID, got)
		}
		w.commands.reply["fork"] = command.Reply{Text: "It goes on.", Show: "nowhere"}
		w.write("anna", p.ID, "!fork")
		w.pass(2 * time.Second)
		if got := w.said(p.ID); !strings.Contains(got[len(got)-1], "has no thread: There is no session") {
			t.Errorf("%q", got)
		}
	})
}
