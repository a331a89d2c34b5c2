package session

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/claude/wire"
)

// A question waits for the text before it, and for nothing else.
func TestAskingComesAfterTheWords(t *testing.T) {
	use := func(id string) []wire.Frame {
		return []wire.Frame{
			messageStart("msg_" + id), stream(&wire.BlockStart{Index: 0, Type: "tool_use", ID: id, Name: "Bash"}),
			&wire.Assistant{Message: wire.Message{ID: "msg_" + id, Role: "assistant", Model: "model-1", Content: wire.Content{{Type: "tool_use", ID: id, Name: "Bash", Input: json.RawMessage(`{}`)}}}},
		}
	}
	// Each case has a running turn and must release the question at its end.
	for name, tt := range map[string]struct {
		tool    string
		inOrder bool
		let     func(r *rig, p *fakeProcess, hold, cancel func(), waits func())
		none    bool          // has no turn
		after   time.Duration // how long Asking takes
	}{
		"said before": {tool: "toolu_0", let: func(*rig, *fakeProcess, func(), func(), func()) {}},
		"said later": {tool: "toolu_1", let: func(_ *rig, p *fakeProcess, _, _ func(), waits func()) {
			waits()
			p.say(use("toolu_2")...)
			waits()
			p.say(use("toolu_1")[:2]...) // only part of it
			waits()
			p.say(use("toolu_1")[2])
		}},
		"in order":        {tool: "toolu_1", inOrder: true, let: func(*rig, *fakeProcess, func(), func(), func()) {}},
		"about no tool":   {let: func(*rig, *fakeProcess, func(), func(), func()) {}},
		"never said":      {tool: "toolu_1", after: wordsWait, let: func(*rig, *fakeProcess, func(), func(), func()) {}},
		"the CLI dies":    {tool: "toolu_1", none: true, let: func(_ *rig, p *fakeProcess, _, _ func(), waits func()) { waits(); p.die(Exit{Code: 1}) }},
		"it is withdrawn": {tool: "toolu_1", let: func(_ *rig, _ *fakeProcess, _, cancel func(), waits func()) { waits(); cancel() }},
		"at work, in order": {tool: "toolu_1", inOrder: true, none: true, let: func(_ *rig, _ *fakeProcess, release, _ func(), waits func()) {
			waits()
			release()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				begun := r.prompt("hello")
				p := r.process()
				p.takeUp(begun)
				p.say(use("toolu_0")...)
				synctest.Wait()
				hold := make(chan struct{})
				if name == "at work, in order" {
					s, err := r.reg.session(r.id)
					if err != nil {
						t.Fatal(err)
					}
					s.post(func() {
						<-hold
						s.setTurn(turn{}) // a new activity changes the turn
					})
				}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				began := time.Now()
				got := make(chan string, 1)
				go func() { got <- r.reg.Asking(ctx, r.id, tt.tool, tt.inOrder) }()
				waits := func() {
					t.Helper()
					synctest.Wait()
					if len(got) != 0 {
						t.Fatal("it did not wait")
					}
				}
				tt.let(r, p, func() { close(hold) }, cancel, waits)
				want := begun
				if tt.none {
					want = ""
				}
				if said := <-got; said != want || time.Since(began) != tt.after {
					t.Errorf("turn %q after %s, want %q after %s", said, time.Since(began), want, tt.after)
				}
			})
		})
	}
	inBubble(t, func(r *rig) {
		if turn := r.reg.Asking(context.Background(), "none", "toolu_1", false); turn != "" {
			t.Errorf("a session that is not there has the turn %q", turn)
		}
	})
}
