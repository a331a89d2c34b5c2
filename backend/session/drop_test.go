package session

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"

	"parley/backend/claude/wire"
	"parley/backend/fault"
)

func TestDropWhatWasNotSent(t *testing.T) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		p := r.warm()
		a := r.prompt("a")
		p.takeUp(a)
		synctest.Wait()
		r.queue("b")
		r.queue("c")
		drop := func(id string) error {
			err := r.reg.DropQueued(ctx, r.id, id)
			synctest.Wait()
			return err
		}
		if err := drop("b"); err != nil {
			t.Fatal(err)
		}
		r.wantDone("b", "dropped")
		r.wantQueued("c queued")
		r.interrupt()
		p.abort(a)
		r.quiet()
		r.wantQueued("c held")
		if err := drop("c"); err != nil {
			t.Fatal(err)
		}
		r.wantDone("c", "dropped")
		wantCode(t, "dropping it again", drop("c"), fault.Conflict)
		wantCode(t, "dropping the turn's prompt", drop("a"), fault.Conflict)
		wantCode(t, "dropping what never was", drop("x"), fault.NotFound)
		if names := r.names(); slices.Contains(names, "user:b") || slices.Contains(names, "user:c") {
			t.Errorf("what was never said stands in the conversation: %v", names)
		}
		if got := r.kept.waiting(r.id); len(got) > 0 {
			t.Errorf("still kept: %v", got)
		}
		if got := p.controlled(); !slices.Equal(got, []string{"interrupt"}) {
			t.Errorf("control requests %v", got)
		}
	})
}

func TestDropWhatWasSent(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(r *rig, p *fakeProcess, uuid string) // while the CLI is being asked
		// reply is the CLI's answer; fail makes the request fail.
		reply string
		fail  bool
		code  fault.Code
		done  []string
	}{
		{name: "it gives it back", reply: `{"cancelled":true}`, done: []string{"dropped"}},
		{name: "it says so first, as recorded", reply: `{"cancelled":true}`, done: []string{"dropped"},
			do: func(_ *rig, p *fakeProcess, uuid string) { p.say(lifecycle(uuid, "cancelled")) }},
		{name: "it has taken it up", reply: `{"cancelled":false}`, code: fault.Conflict},
		{name: "it takes it up meanwhile", reply: `{"cancelled":false}`, code: fault.Conflict,
			do: func(_ *rig, p *fakeProcess, uuid string) { p.say(lifecycle(uuid, "started")) }},
		{name: "it does not know the request", fail: true, code: fault.Conflict},
		{name: "it dies", fail: true, done: []string{"dropped"},
			do: func(_ *rig, p *fakeProcess, _ string) { p.die(Exit{Code: 1}) }},
		{name: "the session is closed", fail: true, code: fault.Conflict, done: []string{"dropped"},
			do: func(r *rig, _ *fakeProcess, _ string) { r.close() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				p := r.warm()
				a := r.prompt("a")
				p.takeUp(a)
				b := r.prompt("b")
				p.say(lifecycle(b, "queued"))
				synctest.Wait()
				p.onControl = func(_ context.Context, body wire.ControlBody) error {
					if body.ControlSubtype() != "cancel_async_message" {
						return nil
					}
					raw, _ := json.Marshal(body)
					if want := `{"subtype":"cancel_async_message","message_uuid":"` + b + `"}`; string(raw) != want {
						t.Errorf("asked %s, want %s", raw, want)
					}
					if tt.do != nil {
						tt.do(r, p, b)
						synctest.Wait()
					}
					if tt.fail {
						return &wire.ControlError{Message: "no"}
					}
					return nil
				}
				p.reply = json.RawMessage(tt.reply)
				wantCode(t, "dropping", r.reg.DropQueued(context.Background(), r.id, "b"), tt.code)
				r.quiet()
				if got := r.dones()["b"]; !slices.Equal(got, tt.done) {
					t.Errorf("terminal events %v, want %v", got, tt.done)
				}
				if kept := slices.Contains(r.kept.waiting(r.id), "b"); kept != (len(tt.done) == 0) {
					t.Errorf("kept %v", kept)
				}
				if n := len(r.engine.started()); n != 1 {
					t.Errorf("%d processes, want 1: what was dropped must not be sent again", n)
				}
			})
		})
	}
}

// A prompt that the CLI cancels late is still dropped.
func TestDropThatTheCLIHonoursLate(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		a := r.prompt("a")
		p.takeUp(a)
		b := r.prompt("b")
		synctest.Wait()
		p.reply = json.RawMessage(`{"cancelled":false}`)
		wantCode(t, "dropping", r.reg.DropQueued(context.Background(), r.id, "b"), fault.Conflict)
		p.say(lifecycle(b, "cancelled"))
		p.conclude(a)
		r.quiet()
		r.wantDone("b", "dropped")
		r.wantState(Idle)
	})
}

// A prompt that the CLI had already started when the user dropped it isn't dropped when
// the process dies: it may have run.
func TestDropOfWhatWasLost(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.kept.has = func(p AcceptedPrompt) bool { return p.ID == "a" }
		p := r.warm()
		a := r.prompt("a")
		p.takeUp(a)
		b := r.prompt("b")
		synctest.Wait()
		p.reply = json.RawMessage(`{"cancelled":false}`)
		wantCode(t, "dropping", r.reg.DropQueued(context.Background(), r.id, "b"), fault.Conflict)
		p.takeUp(b)
		synctest.Wait()
		r.interrupt()
		p.die(Exit{Code: -1, Signal: "SIGKILL"})
		r.quiet()
		r.wantDone("a", "interrupted")
		r.wantAside("b", "interrupted", "unknown")
	})
}
