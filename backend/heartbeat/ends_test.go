package heartbeat_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/heartbeat"
)

// However a run ends, its record says how.
func TestHowRunsEnd(t *testing.T) {
	for reason, want := range map[string]string{
		"completed":   "finished: ",
		"interrupted": "cancelled: Someone stopped it.",
		"dropped":     "cancelled: Someone removed its prompt.",
		"closed":      "cancelled: Its session was closed during the run.",
	} {
		bubble(t, each("a", "1h"), func(t *testing.T, r *rig) {
			r.acts(func(p *play) { p.done(reason) })
			r.pass(time.Hour + time.Minute)
			b := r.get("a").Last
			if b == nil || b.State+": "+b.Reason != want {
				t.Errorf("%s: %+v, want %s", reason, b, want)
			}
		})
	}
}

// A prompt that waits until its time is up was dropped; one that was being worked on was
// stopped.
func TestTimeLimitsSayWhetherItBegan(t *testing.T) {
	for idle, want := range map[bool]string{true: "It was canceled, because it didn't start within its time limit of 10m0s.", false: "It was stopped, because it took longer than its time limit of 10m0s."} {
		bubble(t, each("a", "1h", "timeout: 10m"), func(t *testing.T, r *rig) {
			r.fake.idle.Store(idle)
			r.acts(func(p *play) { p.take(time.Hour) })
			r.pass(time.Hour + 12*time.Minute)
			r.wantStates("a", "failed/timeout")
			if b := r.get("a").Last; b.Reason != want {
				t.Errorf("idle %v: %q, want %q", idle, b.Reason, want)
			}
		})
	}
}

// Usage after the end of an answer no longer stops anything.
func TestUseBehindTheEnd(t *testing.T) {
	bubble(t, each("a", "1h", "budgets: {run: {tokens: 1000}}"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) {
			p.answer("Done.", 10, 0)
			p.say(&event.TaskUpdate{Task: event.Task{TaskID: "1", TotalTokens: 5000}})
			p.take(time.Second)
		})
		r.pass(time.Hour + time.Minute)
		if b := r.get("a").Last; b.State != "finished" || b.Answer != "Done." {
			t.Errorf("%+v", b)
		}
	})
}

// The cost of a run stopped before it was reported is estimated from earlier runs.
func TestCostOfAStoppedRun(t *testing.T) {
	bubble(t, each("a", "1h", "session: persistent", "budgets: {run: {usd: 1}}"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) { p.answer("Done.", 1000, 0.5) })
		r.pass(time.Hour + time.Minute)
		r.acts(func(p *play) {
			p.say(&event.TaskUpdate{Task: event.Task{TaskID: "1", TotalTokens: 400}})
			p.take(time.Second)
			p.done("interrupted")
		})
		r.pass(time.Hour)
		if b := r.get("a").Last; b.State != "cancelled" || b.Tokens != 400 || b.CostUSD < 0.19 || b.CostUSD > 0.21 {
			t.Errorf("%+v, want 400 tokens and $0.20", b)
		}
	})
}

// Removing a running heartbeat from the file ends its run, and then it is gone. Due times
// until it is back don't count.
func TestTakenOutOfTheFile(t *testing.T) {
	bubble(t, each("a", "1h"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) { p.take(8 * time.Minute) })
		r.pass(time.Hour + time.Minute)
		r.write("")
		r.pass(time.Minute)
		if st, err := r.Status(t.Context()); err != nil || len(st.Heartbeats) != 0 {
			t.Errorf("%+v, %v", st, err)
		}
		r.pass(10 * time.Minute)
		r.wantStates("a", "finished")
		if _, err := r.Get(t.Context(), "a"); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("it is still there: %v", err)
		}
		r.pass(3 * time.Hour)
		r.write(each("a", "1h"))
		r.pass(time.Minute)
		r.wantStates("a", "finished")
		if v := r.get("a"); v.Last == nil || v.Last.State != "finished" {
			t.Errorf("its last run: %+v", v.Last)
		}
	})
}

// Enabling or disabling returns the current state.
func TestEnableSaysHowItIs(t *testing.T) {
	bubble(t, each("a", "1h"), func(t *testing.T, r *rig) {
		for _, enabled := range []bool{false, false, true, true} {
			if v, err := r.Enable(t.Context(), "a", enabled); err != nil || v.Spec.Name != "a" || v.Spec.Enabled != enabled {
				t.Errorf("%v: %+v, %v", enabled, v.Spec, err)
			}
		}
		if _, err := r.Enable(t.Context(), "b", true); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("one that is not there: %v", err)
		}
	})
}

// A queued run can be canceled, and nothing else with it. After a restart the last run is
// the last finished one.
func TestTakenBackAndLeft(t *testing.T) {
	file := "heartbeats:\n"
	for _, name := range strings.Split("abcdefg", "") {
		file += strings.TrimPrefix(each(name, "1h"), "heartbeats:\n")
	}
	bubble(t, file, func(t *testing.T, r *rig) {
		r.pass(time.Hour + time.Minute)
		r.acts(func(p *play) { p.take(30 * time.Minute) })
		r.pass(time.Hour)
		r.wantStates("f", "finished due")
		waiting, _, err := r.ledger.History(heartbeat.HistoryQuery{Name: "f", Limit: 1})
		if err != nil || len(waiting) != 1 {
			t.Fatal(waiting, err)
		}
		if err := r.Cancel(t.Context(), waiting[0].ID); err != nil {
			t.Fatal(err)
		}
		r.wantStates("f", "finished cancelled")
		r.wantStates("e", "finished due")
		if err := r.Cancel(t.Context(), waiting[0].ID); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("taken back twice: %v", err)
		}
		r.stop()
		r.fake.open = map[string]bool{}
		r.start()
		for _, name := range []string{"a", "e", "g"} {
			if last := r.get(name).Last; last == nil || last.State == "due" || last.State == "started" {
				t.Errorf("%s: the last run that is over is %+v", name, last)
			}
		}
	})
}

// The file is read when it is saved, in any way, and not only by polling. The polling clock
// stands still here.
func TestFileIsWatched(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "heartbeats.yaml")
	ledger := newMemory()
	changed := make(chan struct{}, 1)
	s, err := heartbeat.New(heartbeat.Config{
		Path: path, Home: dir, Zone: time.UTC, Ledger: ledger, Sessions: &fake{}, Workspace: filepath.Base,
		Publish: func(event.Event) {
			select {
			case changed <- struct{}{}:
			default:
			}
		},
		Notify: func(heartbeat.Notice) {}, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.Close()
	saves := map[string]func(text string) error{
		"written": func(text string) error { return os.WriteFile(path, []byte(text), 0o600) },
		"replaced": func(text string) error {
			if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		},
	}
	// noticed reports whether a saved file is read well before polling would find it.
	noticed := func(name string) bool {
		soon, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		for {
			if _, err := s.Get(soon, name); err == nil {
				return true
			}
			select {
			case <-changed:
			case <-soon.Done():
				return false
			}
		}
	}
	for how, save := range saves {
		tries := 0
		for {
			tries++
			name := fmt.Sprint(how, "-", tries)
			if err := save(each(name, "1h")); err != nil {
				t.Fatal(err)
			}
			if noticed(name) {
				break
			}
			// A busy machine may notice it late.
			if tries == 50 {
				t.Errorf("nobody noticed that the file was %s", how)
				break
			}
		}
	}
}
