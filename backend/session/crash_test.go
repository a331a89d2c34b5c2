package session

import (
	"context"
	"errors"
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

func TestCrashInTheMiddleOfATurn(t *testing.T) {
	inBubble(t, func(r *rig) {
		turn := r.prompt("a")
		p := r.process()
		p.takeUp(turn)
		p.say(openText("msg_1")...)
		p.say(textDelta("Hel"))
		synctest.Wait()
		r.ask("q1")
		before := len(r.names())
		p.die(Exit{Code: -1, Signal: "SIGKILL", Stderr: "last words"})
		r.quiet()
		want := []string{"block_end stopped=true", "closed expected=false", "error:cli_crashed", "done:a:crashed", "resolved:withdrawn"}
		got := r.names()[before:]
		slices.Sort(got[min(3, len(got)):]) // both are detected outside the session's owner
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events of the crash (-want +got):\n%s", diff)
		}
		r.wantState(Failed)
		if cut := r.kept.cut; len(cut) < 2 || cut[0].ID != turn || cut[1].Blocks[0].Text != "Hel" {
			t.Errorf("the keeper got %+v of the turn that was cut off", cut)
		}
		record, _ := r.reg.Get(context.Background(), r.id)
		if record.Error == nil || record.Error.Detail != "last words" || record.PID != 0 {
			t.Errorf("record after the crash: %+v", record)
		}
		b := r.prompt("b")
		r.wantState(Starting)
		specs := r.engine.started()
		if len(specs) != 2 || !specs[1].Resume || specs[1].CLISessionID != specs[0].CLISessionID {
			t.Fatalf("the next prompt did not resume: %+v", specs)
		}
		if specs[0].Resume {
			t.Error("the first process was to resume a conversation that did not exist")
		}
		r.process().answer(b, "msg_2", "back")
		r.quiet()
		r.wantDone("b", "completed")
		r.wantState(Idle)
	})
}

func TestWaitingPromptsSurviveACrash(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		a := r.prompt("a")
		p.takeUp(a)
		b, c := r.prompt("b"), r.prompt("c")
		p.say(lifecycle(b, "queued"))
		synctest.Wait()
		p.die(Exit{Code: 1})
		synctest.Wait()
		r.wantDone("a", "crashed")
		r.wantState(Starting)
		next := r.process()
		if next == p {
			t.Fatal("no second process")
		}
		want := []wire.UserMessage{{UUID: b, Text: "b"}, {UUID: c, Text: "c"}}
		if diff := cmp.Diff(want, next.sent); diff != "" {
			t.Errorf("sent to the next process (-want +got):\n%s", diff)
		}
		next.answer(b, "msg_b", "B")
		next.answer(c, "msg_c", "C")
		r.quiet()
		r.wantDone("a", "crashed")
		r.wantDone("b", "completed")
		r.wantDone("c", "completed")
		users := 0
		for _, name := range r.names() {
			if strings.HasPrefix(name, "user:") {
				users++
			}
		}
		if users != 4 {
			t.Errorf("%d user messages for 4 prompts", users)
		}
	})
}

func TestThreeCrashesInAMinuteGiveUp(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.prompt("a")
		for i := range 3 {
			p := r.process()
			r.prompt(fmt.Sprintf("wait %d", i))
			p.say(p.report()) // it reported for duty, so a retry is worthwhile
			synctest.Wait()
			p.die(Exit{Code: 1, Stderr: "bad"})
			synctest.Wait()
			time.Sleep(10 * time.Second)
		}
		if n := len(r.engine.started()); n != 3 {
			t.Errorf("%d processes were started, want 3", n)
		}
		r.wantState(Failed)
		for _, id := range []string{"a", "wait 0", "wait 1"} {
			r.wantDone(id, "crashed")
		}
		r.wantAside("wait 2", "crashed", "failed") // no CLI took it up
		// A user may retry.
		b := r.prompt("b")
		r.process().answer(b, "msg_1", "x")
		r.quiet()
		r.wantDone("b", "completed")
	})
}

func TestCrashesFarApartDoNotGiveUp(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		for i := range 5 {
			time.Sleep(40 * time.Second)
			a := r.prompt(fmt.Sprintf("a%d", i))
			p.takeUp(a)
			b := r.prompt(fmt.Sprintf("b%d", i))
			synctest.Wait()
			p.die(Exit{Code: 1})
			synctest.Wait()
			p = r.process()
			p.answer(b, fmt.Sprintf("msg_%d", i), "x")
			r.quiet()
			r.wantDone(fmt.Sprintf("a%d", i), "crashed")
			r.wantDone(fmt.Sprintf("b%d", i), "completed")
		}
	})
}

func TestCrashBeforeTheCLISpeaks(t *testing.T) {
	tests := []struct {
		name    string
		last    []wire.Frame
		exit    Exit
		message string
	}{
		{"only stderr", nil, Exit{Code: 1, Stderr: "Error: broken install"}, "exit code 1"},
		{"a signal", nil, Exit{Code: -1, Signal: "SIGSEGV", Stderr: "Error: broken install"}, "signal SIGSEGV"},
		{"an early result", []wire.Frame{&wire.Result{IsError: true, Subtype: "error_during_execution", Errors: []string{"No such model."}}},
			Exit{Code: 1, Stderr: "Error: broken install"}, "No such model."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				r.prompt("a")
				r.prompt("b")
				p := r.process()
				p.die(tt.exit, tt.last...)
				r.quiet()
				r.wantState(Failed)
				r.wantAside("a", "crashed", "failed")
				r.wantAside("b", "crashed", "failed")
				e := last[*event.Error](r)
				if !strings.Contains(e.Message, tt.message) || strings.TrimSpace(e.Message) != e.Message || e.Detail != tt.exit.Stderr {
					t.Errorf("error: %+v, want %q and the last words", e, tt.message)
				}
				c := last[*event.Closed](r)
				if c.Expected || c.ExitCode != tt.exit.Code || c.Signal != tt.exit.Signal {
					t.Errorf("closed: %+v", c)
				}
				if n := len(r.engine.started()); n != 1 {
					t.Errorf("%d processes were started, want 1", n)
				}
				if specs := r.engine.started(); specs[0].Resume {
					t.Error("resumed what never was")
				}
			})
		})
	}
}

// A CLI that fails with a result but doesn't exit is stopped.
func TestEarlyErrorOfAProcessThatStays(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.prompt("a")
		p := r.process()
		p.say(&wire.Result{IsError: true, Subtype: "error_during_execution", Errors: []string{"It cannot be."}})
		r.quiet()
		if p.stops == 0 {
			t.Error("the process was not ended")
		}
		r.wantAside("a", "crashed", "failed")
		r.wantState(Failed)
		if e := last[*event.Error](r); e.Message != "It cannot be." {
			t.Errorf("error: %+v", e)
		}
	})
}

func TestProcessThatCannotBeStarted(t *testing.T) {
	tests := []struct {
		name string
		err  error
		code string
	}{
		{"no CLI", fault.New(fault.CLIMissing, "No CLI was found."), "cli_missing"},
		{"no folder", fault.New(fault.NotFound, "The folder is gone."), "not_found"},
		{"no fault", errors.New("secret detail"), "internal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				release := r.blockStarts(tt.err)
				r.prompt("a")
				r.prompt("b")
				release()
				r.wantState(Failed)
				r.wantAside("a", "failed", "failed")
				r.wantAside("b", "failed", "failed")
				e := last[*event.Error](r)
				if e.Code != tt.code || e.Hint == "" || strings.Contains(e.Message+e.Detail, "secret") {
					t.Errorf("error: %+v, want code %s", e, tt.code)
				}
				c := r.prompt("c")
				r.process().answer(c, "msg_1", "x")
				r.quiet()
				r.wantDone("c", "completed")
				r.wantState(Idle)
				if record, _ := r.reg.Get(context.Background(), r.id); record.Error != nil {
					t.Errorf("the record's error stays: %+v", record.Error)
				}
			})
		})
	}
}

func TestWarmProcessThatDies(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		p.say(&wire.TaskStarted{TaskID: "t1", TaskType: "local_bash"})
		synctest.Wait()
		if record, _ := r.reg.Get(context.Background(), r.id); len(record.Tasks) != 1 {
			t.Errorf("tasks: %+v", record.Tasks)
		}
		p.die(Exit{Code: 137})
		r.quiet()
		r.wantState(Failed)
		if record, _ := r.reg.Get(context.Background(), r.id); len(record.Tasks) != 0 || record.Error == nil {
			t.Errorf("record after the death: %+v", record)
		}
		if u := last[*event.TaskUpdate](r); u.Task.Status != "stopped" {
			t.Errorf("background work of a dead process: %+v", u.Task)
		}
	})
}

// A turn started by the CLI ends with its process.
func TestCrashInATurnOfTheCLI(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		p.say(p.report())
		synctest.Wait()
		turn := r.reg.Turn(r.id)
		p.die(Exit{Code: 1})
		r.quiet()
		if d := last[*event.Done](r); d.Reason != "crashed" || d.TurnID != turn {
			t.Errorf("done: %+v", d)
		}
		r.wantState(Failed)
	})
}

// A process that can't be written to counts as a crash, so it isn't restarted
// forever.
func TestPromptsThatCannotBeWritten(t *testing.T) {
	for _, spoke := range []bool{false, true} {
		t.Run(fmt.Sprintf("spoke %v", spoke), func(t *testing.T) {
			inBubble(t, func(r *rig) {
				r.engine.setStart(func(_ context.Context, _ Spec, p *fakeProcess) error {
					p.onSend = func(wire.UserMessage) error {
						if spoke {
							p.say(p.report())
							time.Sleep(time.Millisecond)
						}
						return errors.New("broken pipe")
					}
					return nil
				})
				r.prompt("a")
				r.quiet()
				r.wantState(Failed)
				if n := len(r.engine.started()); n > maxCrashes {
					t.Errorf("%d processes were started for one prompt", n)
				}
				if spoke { // and so started the prompt, as with a CLI that reports no lifecycle
					r.wantDone("a", "crashed")
				} else {
					r.wantAside("a", "crashed", "failed")
				}
				if c := last[*event.Closed](r); c.Expected {
					t.Error("the end of a broken process is shown as expected")
				}
			})
		})
	}
}

func TestWriteThatHangs(t *testing.T) {
	ends := map[string]struct {
		end    func(r *rig, p *fakeProcess)
		reason string
		state  State
	}{
		"interrupt": {func(r *rig, p *fakeProcess) {
			r.interrupt()
			time.Sleep(2 * interruptLimit)
		}, "interrupted", Idle},
		"close": {func(r *rig, _ *fakeProcess) { r.close() }, "", Closed},
		"crash": {func(_ *rig, p *fakeProcess) { p.die(Exit{Code: 1}) }, "crashed", Failed},
	}
	for name, tt := range ends {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				r.engine.setStart(func(_ context.Context, _ Spec, p *fakeProcess) error {
					p.onSend = func(wire.UserMessage) error { return p.hang() }
					p.onControl = func(ctx context.Context, _ wire.ControlBody) error { <-ctx.Done(); return ctx.Err() }
					return nil
				})
				r.prompt("a")
				r.wantState(Starting) // the owner isn't blocked
				tt.end(r, r.process())
				r.quiet()
				if tt.reason == "" {
					r.wantHeld("a") // the CLI may or may not have it
				} else {
					r.wantAside("a", tt.reason, "failed")
				}
				r.wantState(tt.state)
			})
		})
	}
}
