package session

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

// successor makes another Parley continue the sessions of this rig. The first one keeps its
// state but its events are ignored.
func (r *rig) successor() *fakeProcess {
	r.t.Helper()
	old, pub, kept, desk := r.reg, r.pub, r.kept, r.desk
	state, err := old.HandOver(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	before := pub.of(r.id)
	r.pub = &recorder{t: r.t, events: map[string][]event.Event{r.id: before}}
	r.kept = kept.clone()
	r.desk = &fakeQuestions{open: desk.open}
	r.reg = r.registry()
	r.desk.reg = r.reg
	if err := r.reg.TakeOver(state, nil); err != nil {
		r.t.Fatal(err)
	}
	synctest.Wait()
	r.t.Cleanup(func() {
		old.CancelHandOver()
		_ = old.Close(context.Background())
	})
	return r.process()
}

// A turn that is handed over after every frame produces the same events and numbers as an
// undisturbed one.
func TestHandOver(t *testing.T) {
	later := "" // the turn of the queued prompt
	type step func(r *rig, p *fakeProcess, turn string)
	say := func(frames ...wire.Frame) step {
		return func(_ *rig, p *fakeProcess, _ string) { p.say(frames...) }
	}
	steps := []step{
		func(_ *rig, p *fakeProcess, turn string) { p.say(lifecycle(turn, "queued")) },
		func(_ *rig, p *fakeProcess, turn string) { p.say(lifecycle(turn, "started")) },
		func(_ *rig, p *fakeProcess, _ string) { p.say(p.report(), &wire.Status{Status: "requesting"}) },
		say(openText("msg_1")...),
		say(textDelta("one ")),
		func(r *rig, _ *fakeProcess, _ string) { later = r.queue("later") },
		say(textDelta("two ")),
		say(assistantText("msg_1", "one two "), stream(&wire.BlockStop{Index: 0})),
		say(stream(&wire.BlockStart{Index: 1, Type: "tool_use", ID: "tool_1", Name: "Bash"})),
		say(stream(&wire.BlockDelta{Index: 1, Kind: wire.DeltaInputJSON, Text: `{"command":"ls"}`})),
		say(&wire.Assistant{Message: wire.Message{ID: "msg_1", Role: "assistant", Model: "model-1", Content: wire.Content{{Type: "tool_use", ID: "tool_1", Name: "Bash", Input: json.RawMessage(`{"command":"ls"}`)}}}}),
		say(stream(&wire.BlockStop{Index: 1}), stream(&wire.MessageDelta{StopReason: "tool_use"}), stream(&wire.MessageStop{})),
		func(r *rig, _ *fakeProcess, _ string) { r.ask("q1") },
		func(r *rig, _ *fakeProcess, _ string) { r.desk.resolve(r.id, "q1", "allow") },
		say(&wire.TaskStarted{TaskID: "task", Description: "work"}),
		say(&wire.User{Message: wire.Message{Role: "user", Content: wire.Content{{Type: "tool_result", ToolUseID: "tool_1", Content: wire.Content{{Type: "text", Text: "files"}}}}}}),
		say(&wire.TaskNotification{TaskID: "task", Status: "completed"}),
		say(openText("msg_2")...),
		say(textDelta("done"), assistantText("msg_2", "done"), stream(&wire.BlockStop{Index: 0})),
		func(_ *rig, p *fakeProcess, turn string) { p.conclude(turn) },
	}
	play := func(t *testing.T, handOver func(step int) bool) (events []string) {
		inBubble(t, func(r *rig) {
			turn := r.prompt("first")
			p := r.process()
			for i, step := range steps {
				if handOver(i) {
					p = r.successor()
				}
				step(r, p, turn)
				r.quiet()
			}
			texts := p.texts()
			if len(texts) == 0 || texts[len(texts)-1] != "later" {
				t.Errorf("sent: %q", texts)
			}
			for _, e := range r.pub.of(r.id) {
				raw, err := json.Marshal(map[string]any{e.EventName(): e})
				if err != nil {
					t.Fatal(err)
				}
				text := strings.ReplaceAll(string(raw), r.id, "SESSION")
				text = strings.ReplaceAll(text, r.record().CWD, "FOLDER")
				text = strings.ReplaceAll(text, r.record().CLISessionID, "CONVERSATION")
				text = strings.ReplaceAll(strings.ReplaceAll(text, turn, "TURN"), later, "LATER")
				events = append(events, text)
			}
		})
		return events
	}
	undisturbed := play(t, func(int) bool { return false })
	if diff := cmp.Diff(undisturbed, play(t, func(int) bool { return true })); diff != "" {
		t.Errorf("handed over at each step:\n%s", diff)
	}
	for at := range steps {
		if diff := cmp.Diff(undisturbed, play(t, func(i int) bool { return i == at })); diff != "" {
			t.Errorf("handed over at step %d:\n%s", at, diff)
		}
	}
}

// The error names what can't be handed over, and everything continues.
func TestHandOverRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		before func(r *rig)
		want   string
	}{
		"a shell command": {func(r *rig) {
			r.reg.Shell(r.id, &event.ShellUpdate{MessageID: "m", Shell: event.Shell{Command: "sleep", State: "running"}}, nil)
			synctest.Wait()
		}, "a shell command of yours runs"},
		"a turn that is being stopped": {func(r *rig) {
			p := r.process()
			p.takeUp(r.prompt("work"))
			synctest.Wait()
			p.onControl = func(ctx context.Context, _ wire.ControlBody) error {
				<-ctx.Done()
				return ctx.Err()
			}
			r.interrupt()
		}, "its turn is being stopped"},
		"a start": {func(r *rig) {
			p := r.process()
			p.die(Exit{})
			synctest.Wait()
			r.engine.setStart(func(ctx context.Context, _ Spec, _ *fakeProcess) error {
				<-ctx.Done()
				return ctx.Err()
			})
			r.prompt("more")
		}, "its CLI is being started"},
		"a process that cannot": {func(r *rig) {
			r.process().carries = fault.New(fault.Conflict, "Its CLI ends with this program.")
		}, "Its CLI ends with this program."},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				r.warm()
				tt.before(r)
				ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
				defer cancel()
				_, err := r.reg.HandOver(ctx)
				if err == nil || !strings.Contains(fault.MessageOf(err), tt.want) || !strings.Contains(fault.MessageOf(err), "warm") {
					t.Errorf("%v, want %q", err, tt.want)
				}
				// It continues.
				if _, err := r.reg.Get(context.Background(), r.id); err != nil {
					t.Error(err)
				}
				if p := r.process(); p.parks > 0 && p.carries == nil {
					t.Error("its process is held up")
				}
			})
		})
	}
}

// A canceled handover leaves nothing behind, and prompts accepted during it are then sent.
func TestHandOverTakenBack(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		if _, err := r.reg.HandOver(context.Background()); err != nil {
			t.Fatal(err)
		}
		if _, err := r.reg.HandOver(context.Background()); err == nil {
			t.Error("it is handed over twice")
		}
		said := make(chan error)
		go func() {
			_, err := r.reg.Prompt(context.Background(), r.id, Prompt{ID: "two", Text: "two"})
			said <- err
		}()
		synctest.Wait()
		if got := p.texts(); len(got) != 1 {
			t.Errorf("sent: %q", got)
		}
		r.reg.CancelHandOver()
		if err := <-said; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got := p.texts(); len(got) != 2 || p.parks != 0 {
			t.Errorf("sent: %q, held up %d times", got, p.parks)
		}
	})
}

// A CLI that is gone when the next Parley looks for it counts as crashed, and the
// session can continue.
func TestTakeOverOfNothing(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.warm()
		r.engine.mu.Lock()
		r.engine.all[0].pid = 0 // the next Parley can't find it
		r.engine.mu.Unlock()
		r.successor()
		r.wantState(Failed)
		r.prompt("again")
		if n := len(r.engine.started()); n != 2 {
			t.Errorf("%d processes were started", n)
		}
		err := r.reg.TakeOver(json.RawMessage(`{"no":"list"}`), nil)
		if fault.CodeOf(err) != fault.Internal {
			t.Error(err)
		}
		if err := r.reg.TakeOver(json.RawMessage(`[{"saved":{"ID":"x"},"projector":7,"log":{}}]`), nil); err == nil || errors.Is(err, context.Canceled) {
			t.Error("what cannot be read is taken over")
		}
	})
}

// clone copies the disk; both copies diverge from then on.
func (k *fakeKeeper) clone() *fakeKeeper {
	k.mu.Lock()
	defer k.mu.Unlock()
	next := newFakeKeeper(k.t)
	for id, s := range k.saved {
		next.saved[id] = s
	}
	for session, prompts := range k.prompts {
		next.prompts[session] = maps.Clone(prompts)
	}
	return next
}
