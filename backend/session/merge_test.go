package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

// texts returns the text deltas and their times since the first one.
func (r *rig) texts() (texts []string, at []time.Duration) {
	var first int64
	for _, e := range r.pub.of(r.id) {
		if d, ok := e.(*event.TextDelta); ok {
			if first == 0 {
				first = d.At
			}
			texts = append(texts, d.Text)
			at = append(at, time.Duration(d.At-first)*time.Millisecond)
		}
	}
	return texts, at
}

func TestDeltasAreMergedForAFrame(t *testing.T) {
	inBubble(t, func(r *rig) {
		turn := r.prompt("go")
		p := r.process()
		p.takeUp(turn)
		p.say(openText("msg_1")...)
		synctest.Wait()
		time.Sleep(time.Second)
		want := func(texts ...string) {
			t.Helper()
			synctest.Wait()
			got, _ := r.texts()
			if diff := cmp.Diff(texts, got); diff != "" {
				t.Fatalf("deltas (-want +got):\n%s", diff)
			}
		}
		p.say(textDelta("a"))
		want("a") // the first one immediately
		time.Sleep(5 * time.Millisecond)
		p.say(textDelta("b"), textDelta("c"))
		p.say(textDelta("d"))
		want("a")
		time.Sleep(10 * time.Millisecond)
		want("a")
		time.Sleep(time.Millisecond)
		want("a", "bcd") // a frame after the first
		p.say(textDelta("e"))
		want("a", "bcd")
		p.say(stream(&wire.BlockStop{Index: 0}))
		want("a", "bcd", "e") // other events neither wait nor overtake
		names := r.names()
		if got := names[len(names)-2:]; !slices.Equal(got, []string{"text:e", "block_end stopped=false"}) {
			t.Errorf("the last events are %v", got)
		}
		time.Sleep(time.Second)
		p.say(stream(&wire.BlockStart{Index: 1, Type: "text"}), stream(&wire.BlockDelta{Index: 1, Kind: wire.DeltaText, Text: "f"}))
		want("a", "bcd", "e", "f") // immediately again after a pause
	})
}

func TestFastStreamIsCompleteAndSlow(t *testing.T) {
	inBubble(t, func(r *rig) {
		turn := r.prompt("go")
		p := r.process()
		p.takeUp(turn)
		p.say(openText("msg_1")...)
		var whole strings.Builder
		const n = 4000
		for i := range n {
			word := fmt.Sprintf("%d ", i)
			whole.WriteString(word)
			p.say(textDelta(word))
			time.Sleep(250 * time.Microsecond)
		}
		p.say(assistantText("msg_1", whole.String()), stream(&wire.BlockStop{Index: 0}))
		p.conclude(turn)
		r.quiet()
		texts, at := r.texts()
		if strings.Join(texts, "") != whole.String() {
			t.Error("the text is not what was streamed")
		}
		if limit := int(time.Second/holdDeltas) + 2; len(texts) > limit {
			t.Errorf("a second of streaming gave %d events, want at most %d", len(texts), limit)
		}
		for i := 1; i < len(at); i++ {
			if gap := at[i] - at[i-1]; gap > holdDeltas+2*time.Millisecond {
				t.Errorf("delta %d came %v after the one before, want at most about %v", i, gap, holdDeltas)
			}
		}
	})
}

func TestThinkingAndToolInputAreMerged(t *testing.T) {
	inBubble(t, func(r *rig) {
		turn := r.prompt("go")
		p := r.process()
		p.takeUp(turn)
		p.say(messageStart("msg_1"), stream(&wire.BlockStart{Index: 0, Type: "thinking"}))
		for i := range 3 {
			p.say(stream(&wire.BlockDelta{Index: 0, Kind: wire.DeltaThinking, Text: "t", EstimatedTokens: i + 1}))
		}
		p.say(stream(&wire.BlockStop{Index: 0}), stream(&wire.BlockStart{Index: 1, Type: "tool_use", ID: "toolu_1", Name: "Bash"}))
		for _, piece := range []string{`{"com`, `mand":`, `"ls"}`} {
			p.say(stream(&wire.BlockDelta{Index: 1, Kind: wire.DeltaInputJSON, Text: piece}))
		}
		p.say(stream(&wire.BlockStop{Index: 1}))
		r.quiet()
		var thinking, input string
		tokens, count := 0, 0
		for _, e := range r.pub.of(r.id) {
			switch e := e.(type) {
			case *event.ThinkingDelta:
				thinking, tokens, count = thinking+e.Text, max(tokens, e.Tokens), count+1
			case *event.ToolInput:
				input, count = input+e.Text, count+1
			}
		}
		if thinking != "ttt" || tokens != 3 || input != `{"command":"ls"}` {
			t.Errorf("thinking %q (%d tokens), input %q", thinking, tokens, input)
		}
		if count > 3 {
			t.Errorf("9 pieces gave %d events, want them merged", count)
		}
	})
}
