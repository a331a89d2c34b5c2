package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

func TestPromptIsAnswered(t *testing.T) {
	inBubble(t, func(r *rig) {
		if n := len(r.engine.started()); n != 0 {
			t.Fatalf("creating a session started %d processes", n)
		}
		turn := r.prompt("hello")
		r.wantState(Starting)
		p := r.process()
		if diff := cmp.Diff([]wire.UserMessage{{UUID: turn, Text: "hello"}}, p.sent); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		p.takeUp(turn)
		synctest.Wait()
		r.wantState(Running)
		if got := r.reg.Turn(r.id); got != turn {
			t.Errorf("turn under way is %q, want %q", got, turn)
		}
		p.speak("msg_1", "Good ", "day")
		p.conclude(turn)
		r.quiet()
		want := []string{
			"user:hello", "status:starting", "processing:prompt", "ready", "status:requesting",
			"text:Good ", "text:day", "block_end stopped=false", "result", "done:hello:completed",
		}
		if diff := cmp.Diff(want, r.names()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		for _, e := range r.pub.of(r.id) {
			switch e.(type) {
			case *event.UserMessage, *event.Processing, *event.TextDelta, *event.BlockEnd, *event.Result, *event.Done:
				if got := e.Header().TurnID; got != turn {
					t.Errorf("%s has turn %q, want %q", e.EventName(), got, turn)
				}
			}
		}
		record, _ := r.reg.Get(context.Background(), r.id)
		events := r.pub.of(r.id)
		newest := events[len(events)-1]
		if record.State != "idle" || record.LastSeq != newest.Header().Seq || record.Title != "hello" || record.PID != p.pid ||
			record.Model != "model-1" || len(record.Queued) != 0 || record.Context == nil || record.Error != nil {
			t.Errorf("record after the turn: %+v", record)
		}
		if state, ok := newest.(*event.State); !ok || state.Session.State != "idle" {
			t.Errorf("the last event is %s, want the record at rest", newest.EventName())
		}
		// A second prompt uses the same process.
		second := r.prompt("again")
		r.wantState(Running)
		p.answer(second, "msg_2", "yes")
		r.quiet()
		r.wantDone("again", "completed")
		if n := len(r.engine.started()); n != 1 {
			t.Errorf("%d processes were started, want 1", n)
		}
	})
}

func TestPromptIDIsSentOnce(t *testing.T) {
	inBubble(t, func(r *rig) {
		first := r.prompt("one")
		p := r.process()
		if again := r.prompt("one"); again != first {
			t.Errorf("a repeated prompt got turn %q, want %q", again, first)
		}
		p.answer(first, "msg_1", "ok")
		r.quiet()
		if again := r.prompt("one"); again != first {
			t.Errorf("a prompt repeated after its turn got turn %q, want %q", again, first)
		}
		if diff := cmp.Diff([]string{"one"}, p.texts()); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		r.wantDone("one", "completed")
	})
}

func TestPromptsThatAreRefused(t *testing.T) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		if _, err := r.reg.Prompt(ctx, r.id, Prompt{}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("an empty prompt: %v", err)
		}
		if _, err := r.reg.Prompt(ctx, "nobody", Prompt{Text: "x"}); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("an unknown session: %v", err)
		}
		for i := range maxPrompts {
			r.prompt(fmt.Sprint(i))
		}
		if _, err := r.reg.Prompt(ctx, r.id, Prompt{Text: "one too many"}); fault.CodeOf(err) != fault.Busy {
			t.Errorf("prompt %d: %v", maxPrompts+1, err)
		}
		if got := len(r.process().texts()); got != maxPrompts {
			t.Errorf("%d prompts were written, want %d", got, maxPrompts)
		}
		if _, err := r.reg.Prompt(ctx, r.id, Prompt{ID: "0"}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("an empty prompt with a known id: %v", err)
		}
		r.close()
		if _, err := r.reg.Prompt(ctx, r.id, Prompt{Text: "x"}); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("a prompt for a closed session: %v", err)
		}
	})
}

func TestImageWithoutTextGetsOne(t *testing.T) {
	inBubble(t, func(r *rig) {
		_, err := r.reg.Prompt(context.Background(), r.id, Prompt{Images: []wire.Image{{MediaType: "image/png", Data: []byte{1}}}})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if sent := r.process().sent; len(sent) != 1 || sent[0].Text == "" || len(sent[0].Images) != 1 {
			t.Errorf("sent %+v, want the image and some text", sent)
		}
	})
}

// texts returns the text deltas with the time since the first one.
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
		want("a") // the first one at once
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
		want("a", "bcd", "e") // what is no delta does not wait, nor overtake
		names := r.names()
		if got := names[len(names)-2:]; !slices.Equal(got, []string{"text:e", "block_end stopped=false"}) {
			t.Errorf("the last events are %v", got)
		}
		time.Sleep(time.Second)
		p.say(stream(&wire.BlockStart{Index: 1, Type: "text"}), stream(&wire.BlockDelta{Index: 1, Kind: wire.DeltaText, Text: "f"}))
		want("a", "bcd", "e", "f") // after a quiet moment at once again
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

func TestPromptIsFoldedIntoTheTurn(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		a := r.prompt("a")
		p.takeUp(a)
		p.say(messageStart("msg_1"), stream(&wire.BlockStart{Index: 0, Type: "tool_use", ID: "toolu_1", Name: "Bash"}))
		synctest.Wait()
		b := r.prompt("b") // written at once
		if diff := cmp.Diff([]string{"warm", "a", "b"}, p.texts()); diff != "" {
			t.Fatalf("sent (-want +got):\n%s", diff)
		}
		if record, _ := r.reg.Get(context.Background(), r.id); len(record.Queued) != 1 || record.Queued[0].PromptID != "b" || record.Queued[0].TurnID != b {
			t.Errorf("queued: %+v, want b", record.Queued)
		}
		// As recorded: between tools the CLI takes it up, and completes it before the
		// turn's result, which names both.
		p.say(lifecycle(b, "queued"))
		p.say(lifecycle(b, "started"))
		p.speak("msg_2", "both")
		p.say(lifecycle(b, "completed"))
		synctest.Wait()
		if got := r.dones()["b"]; got != nil {
			t.Errorf("b is done (%v) while its turn goes on", got)
		}
		p.say(&wire.Result{Subtype: "success", UserMessageUUIDs: []string{a, b}})
		p.say(lifecycle(a, "completed"))
		r.quiet()
		r.wantDone("a", "completed")
		r.wantDone("b", "completed")
		r.wantState(Idle)
		if record, _ := r.reg.Get(context.Background(), r.id); len(record.Queued) != 0 {
			t.Errorf("queued after the turn: %+v", record.Queued)
		}
	})
}

func TestFoldedPromptThatTheResultDoesNotName(t *testing.T) {
	tests := []struct {
		name      string
		completed bool // before the result
		named     func(a, b string) []string
	}{
		{"only the first is named", true, func(a, _ string) []string { return []string{a} }},
		{"only the second is named", true, func(_, b string) []string { return []string{b} }},
		{"nobody is named", true, func(_, _ string) []string { return nil }},
		{"completed after the result", false, func(a, _ string) []string { return []string{a} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				p := r.warm()
				a := r.prompt("a")
				p.takeUp(a)
				b := r.prompt("b")
				p.say(lifecycle(b, "started"))
				if tt.completed {
					p.say(lifecycle(b, "completed"))
				}
				p.say(&wire.Result{Subtype: "success", UserMessageUUIDs: tt.named(a, b)})
				if !tt.completed {
					p.say(lifecycle(b, "completed"))
				}
				r.quiet()
				r.wantDone("a", "completed")
				r.wantDone("b", "completed")
				r.wantState(Idle)
			})
		})
	}
}

func TestQueuedPromptRunsNext(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		a := r.prompt("a")
		p.takeUp(a)
		b := r.prompt("b")
		p.say(lifecycle(b, "queued"))
		p.speak("msg_a", "A")
		p.conclude(a)
		synctest.Wait()
		r.wantState(Running)
		if got := r.dones()["b"]; got != nil {
			t.Fatalf("b is done (%v) before its turn", got)
		}
		p.say(lifecycle(b, "started"))
		p.say(p.report())
		p.speak("msg_b", "B")
		p.conclude(b)
		r.quiet()
		r.wantDone("a", "completed")
		r.wantDone("b", "completed")
		names := r.names()
		if slices.Index(names, "user:b") < slices.Index(names, "done:a:completed") {
			t.Errorf("b stands in the conversation before the CLI took it up: %v", names)
		}
		for _, e := range r.pub.of(r.id) {
			if d, ok := e.(*event.TextDelta); ok && d.Text == "B" && d.TurnID != b {
				t.Errorf("B belongs to turn %q, want %q", d.TurnID, b)
			}
		}
	})
}

// An older CLI says nothing of what becomes of prompts, nor names them.
func TestCLIWithoutLifecycles(t *testing.T) {
	inBubble(t, func(r *rig) {
		a := r.prompt("a")
		b := r.prompt("b")
		p := r.process()
		for _, turn := range []string{a, b} {
			p.say(p.report())
			synctest.Wait()
			if got := r.reg.Turn(r.id); got != turn {
				t.Errorf("turn under way is %q, want %q", got, turn)
			}
			p.speak("msg_"+turn, "x")
			p.say(&wire.Result{Subtype: "success"})
		}
		r.quiet()
		r.wantDone("a", "completed")
		r.wantDone("b", "completed")
		r.wantState(Idle)
	})
}

func TestTurnOfTheCLI(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		p.say(&wire.TaskNotification{TaskID: "t1", Status: "completed"})
		p.say(p.report(), &wire.Status{Status: "requesting"})
		synctest.Wait()
		r.wantState(Running)
		turn := r.reg.Turn(r.id)
		if turn == "" {
			t.Fatal("no turn is under way")
		}
		p.speak("msg_2", "it ended")
		p.say(&wire.Result{Subtype: "success"})
		r.quiet()
		r.wantState(Idle)
		processing, done := last[*event.Processing](r), last[*event.Done](r)
		if processing.Origin != "cli" || processing.TurnID != turn || processing.PromptID != "" {
			t.Errorf("processing: %+v", processing)
		}
		if done.Reason != "completed" || done.TurnID != turn || done.PromptID != "" {
			t.Errorf("done: %+v", done)
		}
		if got := r.dones()[""]; len(got) != 1 {
			t.Errorf("%d terminal events for one turn of the CLI", len(got))
		}
	})
}

func TestErrorInsideASuccess(t *testing.T) {
	inBubble(t, func(r *rig) {
		turn := r.prompt("a")
		p := r.process()
		p.takeUp(turn)
		status := 429
		p.say(&wire.Result{Subtype: "success", IsError: true, Text: "API Error: 429", APIErrorStatus: &status, UserMessageUUIDs: []string{turn}})
		r.quiet()
		r.wantDone("a", "error")
		r.wantState(Idle)
		record, _ := r.reg.Get(context.Background(), r.id)
		if record.Error == nil || record.Error.Code != "rate_limit" || record.Error.Hint == "" {
			t.Errorf("the record's error is %+v", record.Error)
		}
		turn = r.prompt("b")
		p.answer(turn, "msg_2", "fine")
		r.quiet()
		if record, _ := r.reg.Get(context.Background(), r.id); record.Error != nil {
			t.Errorf("the record's error stays after a good turn: %+v", record.Error)
		}
	})
}

func TestClearedConversationGetsANewID(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		turn := r.prompt("/clear")
		p.say(lifecycle(turn, "started"))
		p.say(&wire.ConversationReset{NewConversationID: "other", Trigger: "clear"})
		fresh := p.report().(*wire.Init)
		fresh.SessionID = "new-conversation"
		p.say(fresh, &wire.Result{Subtype: "success", UserMessageUUIDs: []string{turn}})
		r.quiet()
		r.wantDone("/clear", "completed")
		p.die(Exit{Code: 1})
		r.quiet()
		r.prompt("after")
		if spec := r.engine.started()[1]; spec.CLISessionID != "new-conversation" || !spec.Resume {
			t.Errorf("resumed with %+v, want the new conversation", spec)
		}
	})
}

func TestCompactionIsShown(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		turn := r.prompt("/compact")
		p.say(lifecycle(turn, "started"))
		p.say(&wire.Status{Status: "compacting"})
		synctest.Wait()
		r.wantState(Compacting)
		p.say(&wire.Status{CompactResult: "success"})
		synctest.Wait()
		r.wantState(Running)
		post := int64(1200)
		p.say(p.report(), &wire.CompactBoundary{Metadata: wire.CompactMetadata{Trigger: "manual", PreTokens: 90_000, PostTokens: &post}})
		p.say(&wire.Result{Subtype: "success", UserMessageUUIDs: []string{turn}})
		r.quiet()
		r.wantDone("/compact", "completed")
		r.wantState(Idle)
		if record, _ := r.reg.Get(context.Background(), r.id); record.Context == nil || record.Context.Used != post {
			t.Errorf("context after compaction: %+v, want %d used", record.Context, post)
		}
	})
}

// A CLI that summarises between turns does not leave the session running.
func TestCompactionBetweenTurns(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		p.say(&wire.Status{Status: "compacting"})
		synctest.Wait()
		r.wantState(Compacting)
		p.say(&wire.Status{CompactResult: "success"})
		synctest.Wait()
		r.wantState(Idle)
	})
}

func TestQuestionsChangeTheState(t *testing.T) {
	inBubble(t, func(r *rig) {
		turn := r.prompt("a")
		p := r.process()
		p.takeUp(turn)
		synctest.Wait()
		r.ask("q1")
		r.ask("q2")
		r.wantState(Waiting)
		if record, _ := r.reg.Get(context.Background(), r.id); record.OpenQuestions != 2 {
			t.Errorf("%d open questions, want 2", record.OpenQuestions)
		}
		if q := last[*event.PermissionRequest](r); q.RequestID != "q2" || q.TurnID != turn {
			t.Errorf("request: %+v", q)
		}
		r.desk.resolve(r.id, "q1", "allow")
		synctest.Wait()
		r.wantState(Waiting)
		r.desk.resolve(r.id, "q2", "deny")
		synctest.Wait()
		r.wantState(Running)
		p.conclude(turn)
		r.quiet()
		r.wantState(Idle)
	})
}

// A question that outlives a compaction, or the turn, is still waited for.
func TestQuestionOfBackgroundWork(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		turn := r.prompt("a")
		p.takeUp(turn)
		synctest.Wait()
		r.ask("q1")
		p.say(&wire.Status{Status: "compacting"})
		synctest.Wait()
		r.wantState(Compacting)
		p.say(&wire.Status{CompactResult: "success"})
		synctest.Wait()
		r.wantState(Waiting)
		p.conclude(turn)
		synctest.Wait()
		r.wantState(Waiting)
		r.wantDone("a", "completed")
		r.desk.resolve(r.id, "q1", "allow")
		synctest.Wait()
		r.wantState(Idle)
	})
}

func TestToolServerThatIsNotConnected(t *testing.T) {
	inBubble(t, func(r *rig) {
		turn := r.prompt("a")
		p := r.process()
		report := p.report().(*wire.Init)
		report.MCPServers = []wire.MCPServer{{Name: "other", Status: "failed"}, {Name: "parley", Status: "failed"}}
		p.say(lifecycle(turn, "started"))
		p.say(report)
		synctest.Wait()
		if e := last[*event.Error](r); e.Code != "tool_server" || e.Hint == "" {
			t.Errorf("error: %+v", e)
		}
		if p.stops != 0 {
			t.Error("the process was ended in the middle of a turn")
		}
		p.conclude(turn)
		r.quiet()
		r.wantDone("a", "completed")
		r.wantState(Idle)
		if p.stops == 0 {
			t.Error("the process was not ended when its turn was over")
		}
		r.prompt("b")
		if specs := r.engine.started(); len(specs) != 2 || !specs[1].Resume || specs[1].CLISessionID != specs[0].CLISessionID {
			t.Errorf("the next prompt did not resume: %+v", specs)
		}
	})
}

func TestToolServerThatIsLost(t *testing.T) {
	tests := []struct {
		name string
		then func(p *fakeProcess)
		told bool
	}{
		{"the CLI stays", func(*fakeProcess) {}, true},
		{"the CLI ends", func(p *fakeProcess) { p.die(Exit{Code: 1}) }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				p := r.warm()
				r.reg.ToolServerLost(r.id, "the connection broke.")
				tt.then(p)
				time.Sleep(2 * linkGrace)
				synctest.Wait()
				if told := slices.Contains(r.names(), "error:tool_server"); told != tt.told {
					t.Errorf("told %v, want %v: %v", told, tt.told, r.names())
				}
				if !tt.told {
					return
				}
				r.wantState(Idle)
				if c := last[*event.Closed](r); !c.Expected {
					t.Error("the process's end is shown as unexpected")
				}
			})
		})
	}
}
