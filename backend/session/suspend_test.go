package session

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/claude/wire"
	"parley/backend/event"
	"parley/backend/fault"
)

func TestIdleProcessIsEnded(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.after.Store(int64(30 * time.Minute))
		p := r.warm()
		before := len(r.names())
		time.Sleep(29 * time.Minute)
		synctest.Wait()
		if p.stopped() != 0 {
			t.Fatal("the process was ended too early")
		}
		time.Sleep(2*time.Minute + time.Second)
		synctest.Wait()
		if p.stopped() == 0 {
			t.Fatal("the process was not ended")
		}
		r.wantState(Idle)
		if got := r.names()[before:]; !slices.Equal(got, []string{"closed expected=true", "status:suspended"}) {
			t.Errorf("events: %v", got)
		}
		if s := last[*event.Status](r); s.Message == "" {
			t.Errorf("nothing is said: %+v", s)
		}
		record, _ := r.reg.Get(context.Background(), r.id)
		if record.PID != 0 || record.Error != nil {
			t.Errorf("the record is %+v", record)
		}
		// The next prompt continues.
		turn := r.prompt("b")
		if spec := r.engine.started()[1]; !spec.Resume {
			t.Errorf("started with %+v", spec)
		}
		r.process().answer(turn, "msg_b", "B")
		r.quiet()
		r.wantDone("b", "completed")
	})
}

func TestProcessThatIsNotIdleStays(t *testing.T) {
	for name, do := range map[string]func(r *rig, p *fakeProcess){
		"a turn runs":        func(r *rig, p *fakeProcess) { p.takeUp(r.prompt("a")) },
		"a question is open": func(r *rig, _ *fakeProcess) { r.ask("q") },
		"background work goes on": func(_ *rig, p *fakeProcess) {
			p.say(&wire.TaskStarted{TaskID: "t", TaskType: "local_bash"})
		},
		"it is never to be ended": func(r *rig, _ *fakeProcess) { r.after.Store(0) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				r.after.Store(int64(time.Minute))
				p := r.warm()
				do(r, p)
				time.Sleep(24 * time.Hour)
				synctest.Wait()
				if p.stopped() != 0 {
					t.Fatal("the process was ended")
				}
				if name == "it is never to be ended" {
					r.after.Store(int64(time.Hour)) // until changed
					time.Sleep(2 * time.Minute)
					synctest.Wait()
					if p.stopped() == 0 {
						t.Error("the new setting does not hold")
					}
					return
				}
				wantCode(t, "suspending", r.reg.Suspend(context.Background(), r.id), fault.Conflict)
				wantCode(t, "beginning afresh", r.reg.Fresh(context.Background(), r.id), fault.Conflict)
				if n := r.reg.SuspendIdle(10); n != 0 || p.stopped() != 0 {
					t.Errorf("%d sessions were suspended", n)
				}
			})
		})
	}
}

// Every event counts as use.
func TestUseKeepsAProcess(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.after.Store(int64(30 * time.Minute))
		p := r.warm()
		for range 5 {
			time.Sleep(25 * time.Minute)
			if err := r.reg.SetModel(context.Background(), r.id, "m"); err != nil {
				t.Fatal(err)
			}
		}
		if p.stopped() != 0 {
			t.Error("the process was ended although the session is in use")
		}
	})
}

func TestSuspend(t *testing.T) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		if err := r.reg.Suspend(ctx, r.id); err != nil {
			t.Errorf("without a process: %v", err)
		}
		p := r.warm()
		p.onStop = func() { time.Sleep(time.Second) }
		begun := time.Now()
		both := make(chan error, 1)
		go func() { both <- r.reg.Suspend(ctx, r.id) }()
		if err := r.reg.Suspend(ctx, r.id); err != nil {
			t.Error(err)
		}
		if err := <-both; err != nil {
			t.Error(err)
		}
		if record, _ := r.reg.Get(ctx, r.id); time.Since(begun) < time.Second || record.PID != 0 || p.stopped() != 1 {
			t.Errorf("after %v there is process %d, stopped %d times", time.Since(begun), record.PID, p.stopped())
		}
		if err := r.reg.Suspend(ctx, r.id); err != nil {
			t.Errorf("again: %v", err)
		}
		wantCode(t, "no session", r.reg.Suspend(ctx, "x"), fault.NotFound)
	})
}

// A prompt that arrives while the process is being stopped gets the next one.
func TestPromptWhileItIsSuspended(t *testing.T) {
	inBubble(t, func(r *rig) {
		p := r.warm()
		p.onStop = func() { time.Sleep(time.Second) }
		if n := r.reg.SuspendIdle(1); n != 1 {
			t.Fatalf("%d sessions were suspended", n)
		}
		turn := r.prompt("a")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if slices.Contains(r.names(), "status:suspended") {
			t.Error("it is shown as suspended although it goes on")
		}
		next := r.process()
		if next == p {
			t.Fatal("no other process was started")
		}
		next.answer(turn, "msg_a", "A")
		r.quiet()
		r.wantDone("a", "completed")
		r.wantState(Idle)
	})
}

func TestSuspendIdle(t *testing.T) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		var ids []string
		processes := map[string]*fakeProcess{}
		for i := range 4 {
			s, err := r.reg.Create(CreateParams{CWD: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			r.id = s.ID
			processes[s.ID] = r.warm()
			if i == 1 {
				r.prompt("at work")
			}
			ids = append(ids, s.ID)
			time.Sleep(time.Minute)
		}
		if n := r.reg.SuspendIdle(2); n != 2 {
			t.Errorf("%d sessions were suspended, want 2", n)
		}
		synctest.Wait()
		for i, want := range []int{1, 0, 1, 0} { // longest idle first, and never a busy one
			if got := processes[ids[i]].stopped(); got != want {
				t.Errorf("process %d was stopped %d times, want %d", i, got, want)
			}
		}
		if n := r.reg.SuspendIdle(2); n != 1 {
			t.Errorf("then %d, want 1", n)
		}
		synctest.Wait()
		if n := r.reg.SuspendIdle(2); n != 0 {
			t.Errorf("then %d, want none", n)
		}
		_ = ctx
	})
}

// A session without a process uses little memory, however the process ended.
func TestSessionWithoutAProcessIsSmall(t *testing.T) {
	ends := map[string]func(r *rig, p *fakeProcess) error{
		"suspended":  func(r *rig, _ *fakeProcess) error { return r.reg.Suspend(context.Background(), r.id) },
		"crashed":    func(_ *rig, p *fakeProcess) error { p.die(Exit{Code: 1}); return nil },
		"began anew": func(r *rig, _ *fakeProcess) error { return r.reg.Fresh(context.Background(), r.id) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) { smallWithout(t, end) })
	}
}

func smallWithout(t *testing.T, end func(*rig, *fakeProcess) error) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		p := r.warm()
		for i := range 300 {
			p.answer(r.prompt(string(rune('a'+i))), "msg_"+string(rune('a'+i)), "x")
			r.quiet()
		}
		if h, _ := r.reg.History(ctx, r.id, 10_000, ""); len(h.Messages) != 602 {
			t.Fatalf("%d messages", len(h.Messages))
		}
		if err := end(r, p); err != nil {
			t.Fatal(err)
		}
		r.quiet()
		if h, _ := r.reg.History(ctx, r.id, 10_000, ""); len(h.Messages) != restMessages || h.Total < 602 {
			t.Errorf("%d of %d messages", len(h.Messages), h.Total)
		}
	})
}

func TestFresh(t *testing.T) {
	inBubble(t, func(r *rig) {
		ctx := context.Background()
		first := r.prompt("a")
		if err := r.reg.Fresh(ctx, r.id); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("during a turn: %v", err)
		}
		p := r.process()
		p.answer(first, "msg_a", "A")
		r.quiet()
		before := r.saved()
		p.onStop = func() {
			p.say(p.report()) // it may still report the old one
			time.Sleep(time.Second)
		}
		if err := r.reg.Fresh(ctx, r.id); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		saved := r.saved()
		if saved.CLISessionID == before.CLISessionID || saved.Begun || !slices.Equal(saved.Previous, []string{before.CLISessionID}) {
			t.Errorf("saved: %+v", saved)
		}
		if saved.Context != nil || saved.TotalCostUSD != 0 {
			t.Errorf("the meters go on: %+v", saved)
		}
		b := r.prompt("b")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := r.saved(); got.CLISessionID != saved.CLISessionID {
			t.Error("a process that was being ended brought its conversation back")
		}
		if spec := r.engine.started()[1]; spec.Resume || spec.CLISessionID != saved.CLISessionID {
			t.Errorf("started with %+v", spec)
		}
		r.process().answer(b, "msg_b", "B")
		r.quiet()
		r.wantDone("b", "completed")
		history, _ := r.reg.History(ctx, r.id, 100, "")
		var roles []string
		for _, m := range history.Messages {
			role := m.Role
			if m.Notice != nil {
				role = m.Notice.Kind
			}
			roles = append(roles, role)
		}
		if want := []string{"user", "assistant", "cleared", "user", "assistant"}; !slices.Equal(roles, want) {
			t.Errorf("the history: %v, want %v", roles, want)
		}
	})
}

func TestFreshWithNothingSaid(t *testing.T) {
	inBubble(t, func(r *rig) {
		before, _ := r.reg.Get(context.Background(), r.id)
		if err := r.reg.Fresh(context.Background(), r.id); err != nil {
			t.Fatal(err)
		}
		after, _ := r.reg.Get(context.Background(), r.id)
		if before.CLISessionID != after.CLISessionID || len(r.pub.of(r.id)) != 0 {
			t.Errorf("something happened: %v", r.names())
		}
		r.close()
		wantCode(t, "a closed session", r.reg.Fresh(context.Background(), r.id), fault.Conflict)
	})
}

// The origin of a fork that was never created is given up with it.
func TestFreshInsteadOfAFork(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.id = "forked"
		err := r.reg.Restore(Snapshot{ID: r.id, CWD: t.TempDir(), CLISessionID: "own", Fork: &Fork{CLISessionID: "source"}}, ResumeState{})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.reg.Fresh(context.Background(), r.id); err != nil {
			t.Fatal(err)
		}
		r.prompt("a")
		if spec := r.engine.started()[0]; spec.Fork != nil || spec.Resume {
			t.Errorf("started with %+v", spec)
		}
		if saved := r.saved(); len(saved.Previous) > 0 {
			t.Errorf("saved: %+v", saved)
		}
	})
}
