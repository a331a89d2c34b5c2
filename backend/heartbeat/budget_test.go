package heartbeat_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/heartbeat"
)

// Three failures in a row stop a heartbeat, also for the next Parley, until a user
// enables it again.
func TestStopsAfterThreeFailures(t *testing.T) {
	bubble(t, each("a", "1h"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) { p.fails("overloaded", "The service has a problem.") })
		r.pass(5 * time.Hour)
		r.wantStates("a", "failed/error failed/error failed/error")
		v := r.get("a")
		if v.State != "stopped" || !strings.Contains(v.Why, "after 3 failures") || !strings.Contains(v.Why, "has a problem") || v.Next != 0 {
			t.Errorf("%+v", v)
		}
		if r.kinds() != "failed failed stopped" {
			t.Errorf("told %s", r.kinds())
		}
		r.Close()
		r.start()
		r.pass(2 * time.Hour)
		if v := r.get("a"); v.State != "stopped" {
			t.Errorf("after a restart: %s", v.State)
		}
		r.acts(nil)
		if _, err := r.Enable(context.Background(), "a", true); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Hour)
		r.wantStates("a", "failed/error failed/error failed/error finished")
	})
}

func TestFailuresInARow(t *testing.T) {
	bubble(t, each("a", "1h"), func(t *testing.T, r *rig) {
		n := 0
		r.acts(func(p *play) {
			if n++; n%3 != 0 {
				p.fails("overloaded", "No.")
			}
		})
		r.pass(6*time.Hour + time.Minute)
		r.wantStates("a", "failed/error failed/error finished failed/error failed/error finished")
	})
}

func TestAccountRefused(t *testing.T) {
	bubble(t, each("a", "1h"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) { p.fails("no_account", "Invalid API key.") })
		r.pass(3 * time.Hour)
		r.wantStates("a", "failed/auth")
		if v := r.get("a"); v.State != "stopped" || !strings.Contains(v.Why, "Invalid API key") || r.kinds() != "stopped" {
			t.Errorf("%+v, told %s", v, r.kinds())
		}
	})
}

// A run that can't be started has failed.
func TestCannotBegin(t *testing.T) {
	bubble(t, each("a", "1h"), func(t *testing.T, r *rig) {
		r.fails(fault.New(fault.NotFound, "The folder is gone."))
		r.pass(time.Hour + time.Minute)
		r.wantStates("a", "failed/error")
		if last := r.get("a").Last; last.Reason != "The folder is gone." || last.Open {
			t.Errorf("%+v", last)
		}
	})
}

// calls plays API calls with that many tokens each, until the run is stopped.
func calls(p *play, tokens int64, most int) {
	for i := range most {
		p.say(&event.ContextUpdate{Context: event.Context{InputTokens: tokens - 10 + int64(i), OutputTokens: 1}})
		p.take(time.Second)
		p.say(&event.ContextUpdate{Context: event.Context{InputTokens: tokens - 10 + int64(i), OutputTokens: 10}})
		select {
		case <-p.stop:
			return
		default:
		}
	}
}

func TestBudgetOfARun(t *testing.T) {
	for name, tt := range map[string]struct {
		budget string
		turns  int64
	}{
		"tokens": {"{tokens: 1000}", 10},
		"turns":  {"{turns: 4}", 5},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, each("a", "1h", "budgets: {run: "+tt.budget+"}"), func(t *testing.T, r *rig) {
				r.acts(func(p *play) { calls(p, 100, 50) })
				r.pass(time.Hour + 2*time.Minute)
				r.wantStates("a", "failed/budget")
				last := r.get("a").Last
				if last.Turns != tt.turns || last.Tokens < 100*(tt.turns-1) || !strings.Contains(last.Reason, "stopped at its budget") {
					t.Errorf("%+v", last)
				}
			})
		})
	}
}

func TestBudgetOfADay(t *testing.T) {
	bubble(t, each("a", "1h", "budgets: {day: {tokens: 250}, month: {usd: 3}}"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) { p.answer("Done.", 100, 0.5) })
		r.pass(6*time.Hour + time.Minute)
		r.wantStates("a", "finished finished finished skipped/budget skipped/budget skipped/budget")
		if _, err := r.Run(context.Background(), "a", heartbeat.TriggerPerson); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("run now: %v", err)
		}
		r.pass(20 * time.Hour)
		if got := r.ledger.states("a"); strings.Count(got, "finished") != 6 {
			t.Errorf("on the next day: %s", got)
		}
		r.pass(5 * 24 * time.Hour)
		if got := r.ledger.states("a"); strings.Count(got, "finished") != 6 {
			t.Errorf("over the month's budget: %s", got)
		}
		r.pass(26 * 24 * time.Hour)
		if got := r.ledger.states("a"); strings.Count(got, "finished") < 9 {
			t.Errorf("in the next month: %d", strings.Count(got, "finished"))
		}
	})
}

// A run is stopped at the end of the daily or monthly budget, not only the next one.
func TestBudgetOfADayWithinARun(t *testing.T) {
	for of, budgets := range map[string]string{"day": "{day: {tokens: 250}, run: {tokens: 9000}}", "month": "{month: {turns: 2}}"} {
		t.Run(of, func(t *testing.T) {
			bubble(t, each("a", "1h", "budgets: "+budgets), func(t *testing.T, r *rig) {
				r.acts(func(p *play) { calls(p, 100, 50) })
				r.pass(2*time.Hour + 2*time.Minute)
				r.wantStates("a", "failed/budget skipped/budget")
				records, _, _ := r.History(context.Background(), heartbeat.HistoryQuery{Name: "a", Limit: 2})
				if first := records[1]; first.Turns > 4 || !strings.Contains(first.Reason, "left of its budget for a "+of) {
					t.Errorf("%+v", first)
				}
			})
		})
	}
}

// The CLI enforces dollars in a session created for a run. In a persistent one they are
// estimated from earlier token costs, also at the start of a month.
func TestDollarsOfAPersistentSession(t *testing.T) {
	bubble(t, each("a", "12h", "session: persistent", "budgets: {run: {usd: 0.5}, day: {usd: 0.3}}"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) { p.answer("Done.", 1000, 0.2) })
		r.pass(12*time.Hour + time.Minute)
		if p := r.place(0); p.SessionID != "" || p.USD != 0.3 {
			t.Errorf("the first run: %+v", p)
		}
		r.pass(31 * 24 * time.Hour)
		r.acts(func(p *play) { calls(p, 1000, 50) })
		r.pass(12 * time.Hour)
		last := r.get("a").Last
		if last.Code != "budget" || last.Turns > 4 || r.place(-1).SessionID == "" {
			t.Errorf("%+v", last)
		}
	})
}

// Demo mode doesn't run heartbeats that ran with the real model.
func TestDemo(t *testing.T) {
	bubble(t, each("a", "1h", "session: persistent"), func(t *testing.T, r *rig) {
		ctx := context.Background()
		r.pass(time.Hour + time.Minute)
		r.Close()
		r.scripted = true
		r.start()
		r.pass(3 * time.Hour)
		r.wantStates("a", "finished")
		if v := r.get("a"); v.State != heartbeat.StateOff || !strings.Contains(v.Why, "scripted model") || v.Next != 0 {
			t.Errorf("%+v", v)
		}
		if _, err := r.Run(ctx, "a", heartbeat.TriggerPerson); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("run now: %v", err)
		}
		r.write(each("a", "1h", "session: persistent") + strings.TrimPrefix(each("b", "1h", "session: persistent"), "heartbeats:\n"))
		r.pass(2 * time.Hour)
		r.wantStates("a", "finished")
		if got := r.ledger.states("b"); !strings.HasPrefix(got, "finished") || r.ledger.hearts["b"].SessionID == "" {
			t.Errorf("b: %s", got)
		}
		r.Close()
		r.scripted = false
		r.start()
		r.pass(time.Minute)
		r.wantStates("a", "finished missed missed missed missed finished")
		if h := r.ledger.hearts["b"]; h.Scripted || h.SessionID != "" {
			t.Errorf("b goes on from %+v", h)
		}
	})
}

func TestRepeats(t *testing.T) {
	bubble(t, each("a", "1h"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) {
			for i := range 40 {
				input := json.RawMessage(`{"command":"ls"}`)
				if i < 12 && i%4 == 3 { // something else in between
					input = json.RawMessage(`{"command":"pwd"}`)
				}
				p.say(&event.ToolPending{Name: "Bash", Input: input})
				p.take(time.Second)
			}
		})
		r.pass(time.Hour + time.Minute)
		r.wantStates("a", "failed/repeats")
		if last := r.get("a").Last; !strings.Contains(last.Reason, "Bash 5 times") || last.EndedAt-last.StartedAt > 20_000 {
			t.Errorf("%+v", last)
		}
	})
}

// A process that doesn't stop is killed.
func TestDoesNotStop(t *testing.T) {
	bubble(t, each("a", "1h", "timeout: 1m"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) { time.Sleep(20 * time.Minute) })
		r.pass(time.Hour + 2*time.Minute)
		r.wantStates("a", "failed/timeout")
		if last := r.get("a").Last; !strings.Contains(last.Reason, "had to be ended") || len(r.fake.open) != 0 {
			t.Errorf("%+v", last)
		}
		r.pass(20 * time.Minute)
	})
}

func TestRunNow(t *testing.T) {
	bubble(t, each("a", "12h"), func(t *testing.T, r *rig) {
		ctx := context.Background()
		r.acts(func(p *play) { p.take(time.Minute) })
		if err := r.SetPause(ctx, true, time.Time{}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Run(ctx, "a", heartbeat.TriggerSession); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("a session's model, in a pause: %v", err)
		}
		id, err := r.Run(ctx, "a", heartbeat.TriggerPerson)
		if err != nil {
			t.Fatal(err)
		}
		r.pass(time.Second)
		if _, err := r.Run(ctx, "a", heartbeat.TriggerPerson); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("twice: %v", err)
		}
		if err := r.Cancel(ctx, id); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Second)
		r.wantStates("a", "cancelled(person)")
		if err := r.Cancel(ctx, id); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("when it is over: %v", err)
		}
		if err := r.Cancel(ctx, "a.5"); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("one that there is not: %v", err)
		}
		if _, err := r.Run(ctx, "b", heartbeat.TriggerPerson); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("of no heartbeat: %v", err)
		}
	})
}

func TestPreview(t *testing.T) {
	bubble(t, each("a", "6h", "description: Mail"), func(t *testing.T, r *rig) {
		cost := 0.0
		r.acts(func(p *play) {
			cost++
			p.answer("Done.", int64(cost)*100, cost)
		})
		r.pass(24*time.Hour + time.Minute)
		p, err := r.Preview(context.Background(), "a")
		if err != nil {
			t.Fatal(err)
		}
		if p.Basis != 4 || p.Tokens != 300 || p.CostUSD != 3 || len(p.Next) != 10 || p.RunsPerMonth != 120 || !strings.HasPrefix(p.Prompt, "Look.") {
			t.Errorf("%+v", p)
		}
		if !strings.Contains(p.Blocked, "does not exist") {
			t.Errorf("blocked: %q", p.Blocked)
		}
	})
}

func TestChannelWithoutConnection(t *testing.T) {
	bubble(t, each("a", "1h", "destination: {channel: town-square}"), func(t *testing.T, r *rig) {
		r.pass(time.Hour + time.Minute)
		r.wantStates("a", "failed/error")
		if last := r.get("a").Last; !strings.Contains(last.Reason, "Mattermost") || len(r.fake.sent) != 0 {
			t.Errorf("%+v", last)
		}
	})
}
