package heartbeat_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/event"
)

// each returns a heartbeat with an interval and more fields.
func each(name, every string, more ...string) string {
	text := "heartbeats:\n  " + name + ":\n    prompt: Look.\n    folder: ~/w\n    schedule: {every: " + every + "}\n"
	for _, line := range more {
		text += "    " + line + "\n"
	}
	return text
}

func TestRunsWhenDue(t *testing.T) {
	bubble(t, each("a", "1h", "description: Mail"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) {
			p.take(5 * time.Second)
			p.answer("Two letters.", 120, 0.25)
		})
		r.pass(3*time.Hour + time.Minute)
		r.wantStates("a", "finished finished finished")
		last := r.get("a").Last
		if last.LateMs > 10 || last.EndedAt-last.StartedAt != 5000 || last.Tokens != 120 || last.CostUSD != 0.25 || last.TurnID == "" || last.Open || last.Answer != "Two letters." {
			t.Errorf("%+v", last)
		}
		v := r.get("a")
		if v.Day.Runs != 3 || v.Day.Tokens != 360 || v.State != "idle" || v.Next != time.Date(2000, 1, 1, 4, 0, 0, 0, time.UTC).UnixMilli() {
			t.Errorf("%+v", v)
		}
		if len(r.fake.open) != 0 || r.kinds() != "found found found" {
			t.Errorf("open %v, told %s", r.fake.open, r.kinds())
		}
		if text := r.fake.sent[last.ID]; !strings.HasPrefix(text, "Look.") || !strings.Contains(text, "HEARTBEAT_OK") {
			t.Errorf("sent %q", text)
		}
	})
}

func TestNothingToDo(t *testing.T) {
	bubble(t, each("a", "1h"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) { p.answer("All quiet.\n\n**HEARTBEAT_OK**\n", 1, 0) })
		r.pass(time.Hour + time.Second)
		last := r.get("a").Last
		if !last.Quiet || last.Answer != "All quiet." || !r.fake.folds[last.SessionID] || r.kinds() != "" {
			t.Errorf("%+v, folded %v, told %q", last, r.fake.folds, r.kinds())
		}
	})
}

func TestOverlap(t *testing.T) {
	for policy, want := range map[string]string{
		"skip":   "finished skipped/overlap skipped/overlap started skipped/overlap skipped/overlap",
		"queue":  "finished finished skipped/overlap",
		"cancel": "cancelled/overlap cancelled/overlap cancelled/overlap cancelled/overlap cancelled/overlap started",
	} {
		t.Run(policy, func(t *testing.T) {
			bubble(t, each("a", "10m", "overlap: "+policy, "timeout: 1h"), func(t *testing.T, r *rig) {
				r.acts(func(p *play) { p.take(25 * time.Minute) })
				r.pass(time.Hour + time.Second)
				got := r.ledger.states("a")
				if policy == "queue" {
					// Two runs, and a queued one.
					if !strings.HasPrefix(got, want) || !strings.Contains(got, "due") && !strings.Contains(got, "started") {
						t.Errorf("%s", got)
					}
					return
				}
				if got != want {
					t.Errorf("%s\nwant %s", got, want)
				}
			})
		})
	}
}

// The computer sleeps for eight hours.
func TestSleep(t *testing.T) {
	for policy, want := range map[string]string{
		"once": "finished missed missed missed missed missed missed missed finished(missed)",
		"skip": "finished missed missed missed missed missed missed missed missed",
		"all":  "finished finished(missed) finished(missed) finished(missed) finished(missed) finished(missed) finished(missed) finished(missed) finished(missed)",
	} {
		t.Run(policy, func(t *testing.T) {
			bubble(t, each("a", "1h", "missed: "+policy), func(t *testing.T, r *rig) {
				r.pass(time.Hour + 10*time.Minute)
				r.jump(8 * time.Hour)
				r.pass(time.Minute)
				r.wantStates("a", want)
				last := r.get("a").Last
				if policy != "skip" && (last.LateMs < 10*60_000 || last.LateMs > 11*60_000 || !strings.Contains(last.Reason, "asleep") || !strings.Contains(last.Reason, "10 min late")) {
					t.Errorf("%+v", last)
				}
			})
		})
	}
}

func TestStartDeadline(t *testing.T) {
	bubble(t, each("a", "1h", "startDeadline: 5m"), func(t *testing.T, r *rig) {
		r.pass(time.Minute)
		r.jump(90 * time.Minute)
		r.pass(time.Minute)
		r.wantStates("a", "late/deadline")
		if last := r.get("a").Last; last.LateMs < 30*60_000 || last.Reason == "" {
			t.Errorf("%+v", last)
		}
	})
}

// The clock is set back: no due time runs twice.
func TestClockSetBack(t *testing.T) {
	bubble(t, each("a", "1h"), func(t *testing.T, r *rig) {
		r.pass(2*time.Hour + time.Minute)
		r.jump(-90 * time.Minute)
		r.pass(2 * time.Hour)
		r.wantStates("a", "finished finished")
		r.pass(time.Hour)
		r.wantStates("a", "finished finished finished")
		r.jump(-48 * time.Hour)
		r.pass(2 * time.Hour)
		if got := r.ledger.states("a"); strings.Count(got, "finished") != 5 {
			t.Errorf("after the clock was right again: %s", got)
		}
	})
}

func TestQuietHours(t *testing.T) {
	bubble(t, each("a", "1h", `quiet: {from: "01:30", to: "03:30"}`), func(t *testing.T, r *rig) {
		r.pass(4*time.Hour + time.Minute)
		r.wantStates("a", "finished skipped/quiet skipped/quiet finished")
	})
}

func TestPause(t *testing.T) {
	bubble(t, each("a", "1h"), func(t *testing.T, r *rig) {
		r.pass(time.Minute)
		if err := r.SetPause(t.Context(), true, r.now().Add(150*time.Minute)); err != nil {
			t.Fatal(err)
		}
		if v := r.get("a"); v.Next != time.Date(2000, 1, 1, 3, 0, 0, 0, time.UTC).UnixMilli() {
			t.Errorf("next %v", time.UnixMilli(v.Next).UTC())
		}
		r.pass(2 * time.Hour)
		r.wantStates("a", "")
		r.pass(2 * time.Hour)
		r.wantStates("a", "skipped/paused skipped/paused finished finished")
	})
}

func TestIdle(t *testing.T) {
	bubble(t, each("a", "1h", "idlePause: 90m"), func(t *testing.T, r *rig) {
		r.pass(3*time.Hour + time.Minute)
		r.wantStates("a", "finished skipped/idle skipped/idle")
		r.usedNow()
		r.pass(time.Hour)
		r.wantStates("a", "finished skipped/idle skipped/idle finished")
	})
}

// Waiting for a user doesn't count, and working does.
func TestTimeout(t *testing.T) {
	bubble(t, each("a", "12h", "timeout: 10m"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) {
			p.take(5 * time.Minute)
			p.say(&event.PermissionRequest{Question: event.Question{RequestID: "q"}})
			p.take(6 * time.Hour)
			p.say(&event.PermissionResolved{RequestID: "q"})
			p.take(time.Hour)
		})
		r.pass(12*time.Hour + 6*time.Minute)
		if v := r.get("a"); v.State != "waiting" || v.Running == nil {
			t.Errorf("state %s", v.State)
		}
		r.pass(6*time.Hour + 8*time.Minute)
		r.wantStates("a", "failed/timeout")
		if last := r.get("a").Last; last.EndedAt-last.StartedAt != (6*time.Hour + 10*time.Minute).Milliseconds() {
			t.Errorf("took %v", time.Duration(last.EndedAt-last.StartedAt)*time.Millisecond)
		}
	})
}

func TestAtMostFourWork(t *testing.T) {
	file := "heartbeats:\n"
	for _, name := range strings.Split("abcdefgh", "") {
		file += strings.TrimPrefix(each(name, "1h"), "heartbeats:\n")
	}
	bubble(t, file, func(t *testing.T, r *rig) {
		r.acts(func(p *play) { p.take(9 * time.Minute) })
		r.pass(time.Hour + time.Minute)
		if r.fake.most != 4 || len(r.fake.open) != 4 {
			t.Errorf("%d at once", r.fake.most)
		}
		r.wantStates("h", "due")
		r.pass(20 * time.Minute)
		r.wantStates("h", "finished")
		if last := r.get("h").Last; last.LateMs < 540_000 {
			t.Errorf("late by %d", last.LateMs)
		}
	})
}

func TestOnce(t *testing.T) {
	bubble(t, each("a", "1h")+"  b:\n    prompt: Look.\n    folder: ~/w\n    schedule: {every: 1h, once: true} # once only\n", func(t *testing.T, r *rig) {
		r.pass(3*time.Hour + time.Minute)
		r.wantStates("b", "finished")
		if v := r.get("b"); v.State != "off" || v.Spec.Enabled {
			t.Errorf("%s", v.State)
		}
		text, _, err := r.Text(t.Context())
		if err != nil || !strings.Contains(text, "enabled: false") || !strings.Contains(text, "# once only") {
			t.Errorf("%s, %v", text, err)
		}
	})
}

func TestTellsAtMostTenTimesASecond(t *testing.T) {
	bubble(t, each("a", "1s"), func(t *testing.T, r *rig) {
		r.acts(func(p *play) {
			for range 50 {
				p.say(&event.PermissionRequest{Question: event.Question{RequestID: "q"}})
				p.take(time.Millisecond)
				p.say(&event.PermissionResolved{RequestID: "q"})
				p.take(time.Millisecond)
			}
		})
		before := r.published()
		r.pass(10 * time.Second)
		if n := r.published() - before; n < 20 || n > 101 {
			t.Errorf("%d times", n)
		}
	})
}

// A user saves the file repeatedly.
func TestReload(t *testing.T) {
	bubble(t, each("a", "1h"), func(t *testing.T, r *rig) {
		r.pass(time.Minute)
		r.write(each("a", "1h") + "  b: {prompt: Look., folder: ~/w, schedule: {every: 30m}}\n")
		r.pass(time.Minute)
		r.write(each("a", "1h") + "  b: {prompt: Look., folder\n")
		r.pass(58*time.Minute + time.Second)
		st, err := r.Status(t.Context())
		if err != nil || !st.Stale || len(st.Heartbeats) != 2 || len(st.Problems) == 0 || st.Problems[0].Line == 0 {
			t.Errorf("%+v, %v", st, err)
		}
		r.wantStates("b", "finished finished")
		r.write("")
		r.pass(time.Hour)
		r.wantStates("b", "finished finished")
		if st, err = r.Status(t.Context()); err != nil || st.Stale || len(st.Heartbeats) != 0 {
			t.Errorf("%+v, %v", st, err)
		}
	})
}

func TestNoFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "")
		r.start()
		defer r.stop()
		st, err := r.Status(t.Context())
		if err != nil || st.Stale || len(st.Problems) != 0 || len(st.Heartbeats) != 0 {
			t.Errorf("%+v, %v", st, err)
		}
	})
}
