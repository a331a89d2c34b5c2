package session

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/claude/wire"
	"parley/backend/event"
)

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
		before := p.spec.CLISessionID
		turn := r.prompt("/clear")
		p.say(lifecycle(turn, "started"))
		p.say(&wire.ConversationReset{NewConversationID: "other", Trigger: "clear"})
		p.spec.CLISessionID = "new-conversation"
		p.say(p.report(), &wire.Result{Subtype: "success", UserMessageUUIDs: []string{turn}})
		r.quiet()
		r.wantDone("/clear", "completed")
		if got := r.saved(); got.CLISessionID != "new-conversation" || !got.Begun || !slices.Equal(got.Previous, []string{before}) {
			t.Errorf("kept: %+v, want the new conversation after %s", got, before)
		}
		p.die(Exit{Code: 1})
		r.quiet()
		r.prompt("after")
		if spec := r.engine.started()[1]; spec.CLISessionID != "new-conversation" || !spec.Resume {
			t.Errorf("went on with %+v, want the new conversation", spec)
		}
		record, _ := r.reg.Get(context.Background(), r.id)
		if !slices.Equal(record.PreviousCLISessionIDs, []string{before}) {
			t.Errorf("the record's earlier conversations are %v", record.PreviousCLISessionIDs)
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

// A CLI that compacts between turns doesn't leave the session running.
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

// The session keeps waiting for a question that outlives a compaction or the
// turn.
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
