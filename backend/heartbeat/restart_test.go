package heartbeat_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/heartbeat"
	"parley/backend/heartbeat/plan"
	"parley/backend/store/model"
)

// What an earlier Parley left as due counts as missed; a manual run isn't repeated
// without the user.
func TestLeftAsDue(t *testing.T) {
	for policy, want := range map[string]string{
		"once": "missed(missed) finished(missed) cancelled(person)",
		"all":  "finished(missed) finished(missed) cancelled(person)",
		"skip": "missed(missed) missed(missed) cancelled(person)",
	} {
		t.Run(policy, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, each("a", "24h", "missed: "+policy))
				r.start()
				r.pass(time.Minute)
				r.Close()
				at := r.now().UnixMilli()
				for i, trigger := range []string{"schedule", "schedule", "person"} {
					b := model.HeartbeatRun{ID: "a." + string(rune('1'+i)), Name: "a", State: "due", Open: true, Trigger: trigger, DueAt: at + int64(i)}
					r.ledger.beats[b.ID] = b
				}
				r.pass(time.Hour)
				r.start()
				defer r.stop()
				r.pass(time.Minute)
				r.wantStates("a", want)
			})
		})
	}
}

// The end of Parley during a run isn't a failure of the heartbeat: it continues when it is
// due.
func TestContinuesAfterCrashes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, each("a", "24h"))
		for n := range heartbeat.MaxFailures + 1 {
			r.start()
			r.pass(time.Minute)
			if v := r.get("a"); v.State == "stopped" {
				t.Errorf("stopped after %d: %s", n, v.Why)
			}
			r.Close()
			b := model.HeartbeatRun{ID: "a." + string(rune('1'+n)), Name: "a", State: "started", Open: true, Trigger: "schedule", DueAt: r.now().UnixMilli()}
			r.ledger.beats[b.ID] = b
		}
		r.start()
		defer r.stop()
		if v := r.get("a"); v.State == "stopped" || v.Last == nil || !strings.Contains(v.Last.Reason, "Parley quit during the run") {
			t.Errorf("%+v", v)
		}
	})
}

// Runs in progress when Parley quits are canceled, and cleaned up by the next
// one.
func TestClosedWhileItRuns(t *testing.T) {
	bubble(t, each("a", "1h"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) { p.take(30 * time.Minute) })
		r.pass(time.Hour + time.Minute)
		r.stop()
		r.wantStates("a", "cancelled")
		for _, b := range r.ledger.beats {
			if !b.Open || b.SessionID == "" || b.EndedAt == 0 || !strings.Contains(b.Reason, "quit") {
				t.Errorf("%+v", b)
			}
		}
		r.start()
		r.pass(time.Second)
		r.wantStates("a", "cancelled")
		if _, open, _, _ := r.ledger.Load(); len(open) != 0 || len(r.fake.open) != 0 {
			t.Errorf("left: %+v, %v", open, r.fake.open)
		}
	})
}

// What can't be recorded isn't run, and is made up as soon as it can be.
func TestDiskIsFull(t *testing.T) {
	bubble(t, each("a", "1h"), func(t *testing.T, r *rig) {
		r.pass(time.Minute)
		r.ledger.mu.Lock()
		r.ledger.fails = 1
		r.ledger.mu.Unlock()
		r.pass(time.Hour)
		if len(r.fake.sent) != 0 {
			t.Errorf("sent %v", r.fake.sent)
		}
		if _, err := r.Run(context.Background(), "a", heartbeat.TriggerPerson); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("run now: %v", err)
		}
		synctest.Wait() // it has retried once
		r.ledger.mu.Lock()
		r.ledger.fails = 0
		r.ledger.mu.Unlock()
		r.pass(2 * time.Minute)
		r.wantStates("a", "finished(missed)")
	})
}

// The end of a run is recorded later if it can't be at once.
func TestDiskIsFullAtTheEnd(t *testing.T) {
	bubble(t, each("a", "1h"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) {
			r.ledger.mu.Lock()
			r.ledger.fails = 1
			r.ledger.mu.Unlock()
			p.take(time.Minute)
			p.answer("Done.", 5, 0)
		})
		r.pass(time.Hour + 10*time.Minute)
		r.wantStates("a", "started")
		r.ledger.mu.Lock()
		r.ledger.fails = 0
		r.ledger.mu.Unlock()
		r.pass(time.Minute)
		r.wantStates("a", "finished")
		if b := r.get("a").Last; b.Open || b.Tokens != 5 {
			t.Errorf("%+v", b)
		}
	})
}

// Of two Parleys with the same linked file, one runs it; the other takes over when
// that ends.
func TestSharedFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var taken atomic.Bool
		take := func(string) (func() error, error) {
			if !taken.CompareAndSwap(false, true) {
				return nil, nil
			}
			return func() error { taken.Store(false); return nil }, nil
		}
		dots := t.TempDir()
		if err := os.WriteFile(filepath.Join(dots, "mine.yaml"), []byte(each("a", "1h")), 0o640); err != nil {
			t.Fatal(err)
		}
		var both []*rig
		for range 2 {
			r := newRig(t, "")
			if err := os.Remove(r.path()); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(dots, "mine.yaml"), r.path()); err != nil {
				t.Fatal(err)
			}
			r.take = take
			r.start()
			defer r.stop()
			both = append(both, r)
		}
		one, two := both[0], both[1]
		one.pass(2*time.Hour + time.Minute)
		one.wantStates("a", "finished finished")
		two.wantStates("a", "")
		if st, err := two.Status(t.Context()); err != nil || len(st.Problems) != 1 || !strings.Contains(st.Problems[0].Message, "Another Parley") {
			t.Errorf("%+v, %v", st, err)
		}
		// Writes go to the link's target, which keeps its mode.
		if _, err := one.Save(t.Context(), "a", plan.Spec{Name: "a", Prompt: "Look.", Folder: "~/w", Enabled: true, Schedule: plan.Schedule{Every: "1h"}, Description: "Mail"}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Lstat(filepath.Join(dots, "mine.yaml")); err != nil || info.Mode() != 0o640 {
			t.Errorf("%v, %v", info, err)
		}
		one.Close()
		two.pass(time.Hour)
		two.wantStates("a", "finished")
		one.wantStates("a", "finished finished")
		if v := two.get("a"); v.Spec.Description != "Mail" {
			t.Errorf("%+v", v.Spec)
		}
	})
}

// A name keeps its usage, and a new name takes it along.
func TestRename(t *testing.T) {
	bubble(t, each("a", "1h", "budgets: {day: {tokens: 100}}"), func(t *testing.T, r *rig) {
		ctx := context.Background()
		r.acts(func(p *play) { p.answer("Done.", 100, 0) })
		r.pass(time.Hour + time.Minute)
		spec := r.get("a").Spec
		spec.Name = "b"
		if _, err := r.Save(ctx, "a", spec); err != nil {
			t.Fatal(err)
		}
		if err := r.Delete(ctx, "b"); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Save(ctx, "", spec); err != nil {
			t.Fatal(err)
		}
		r.pass(2 * time.Hour)
		r.wantStates("b", "skipped/budget skipped/budget")
		if _, err := r.Get(ctx, "a"); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("the old name: %v", err)
		}
	})
}

func TestChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, each("a", "1h", "destination: {channel: town-square}"))
		var sent []string
		r.channel = func(_ context.Context, channel string, run heartbeat.RunOutcome) error {
			if len(sent) == 1 {
				return fault.New(fault.Unavailable, "The server does not answer.")
			}
			sent = append(sent, channel+": "+run.Text)
			return nil
		}
		r.start()
		defer r.stop()
		said := []string{"Fire.", "Nothing.\nHEARTBEAT_OK", "Fire again."}
		r.acts(func(p *play) {
			p.answer(said[0], 1, 0)
			said = said[1:]
		})
		r.pass(3*time.Hour + time.Minute)
		r.wantStates("a", "finished finished failed/error")
		if len(sent) != 1 || sent[0] != "town-square: Fire." {
			t.Errorf("%v", sent)
		}
	})
}

// A channel gets a run's failure and its questions; its thread there then shows the rest.
func TestChannelOfTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, each("a", "1h", "destination: {channel: town-square}", "timeout: 10m"))
		var sent []string
		r.channel = func(_ context.Context, _ string, run heartbeat.RunOutcome) error {
			if run.ID == "" || run.SessionID == "" {
				t.Errorf("%+v", run)
			}
			sent = append(sent, run.State+": "+run.Text)
			return nil
		}
		r.start()
		defer r.stop()
		runs := 0
		r.acts(func(p *play) {
			if runs++; runs == 1 {
				p.say(&event.PermissionRequest{Question: event.Question{RequestID: "q"}})
				p.take(time.Minute)
				p.say(&event.PermissionResolved{RequestID: "q"})
				p.answer("Done.", 1, 0)
				return
			}
			p.take(2 * time.Hour) // longer than allowed
		})
		r.pass(2*time.Hour + 30*time.Minute)
		r.wantStates("a", "finished failed/timeout")
		if len(sent) != 2 || !strings.HasPrefix(sent[0], "asking: ") || !strings.HasPrefix(sent[1], "failed: It was stopped") {
			t.Errorf("%q", sent)
		}
	})
}

// Subagents count, and a rejected account isn't retried for minutes.
func TestMeter(t *testing.T) {
	bubble(t, each("a", "1h", "budgets: {run: {tokens: 1000}}"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) {
			for i := range 20 {
				p.say(&event.TaskUpdate{Task: event.Task{TaskID: "1", TotalTokens: int64(i) * 100}})
				p.take(time.Second)
			}
		})
		r.pass(time.Hour + time.Minute)
		r.wantStates("a", "failed/budget")
		if b := r.get("a").Last; b.Tokens < 1100 {
			t.Errorf("%+v", b)
		}
		r.acts(func(p *play) {
			for i := range 10 {
				p.say(&event.Status{Status: "retrying", Retry: &event.Retry{Attempt: i + 1, HTTPStatus: 401}})
				p.take(time.Second)
			}
		})
		r.pass(time.Hour)
		r.wantStates("a", "failed/budget failed/auth")
		if v := r.get("a"); v.State != "stopped" || !r.IsHeartbeatTurn(v.Last.TurnID) || r.IsHeartbeatTurn("another") || r.Asking(v.Last.SessionID) != "" {
			t.Errorf("%+v", v)
		}
	})
}
