package heartbeat_test

import (
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/event"
	"parley/backend/heartbeat/plan"
)

// scheduled is a user's prompt to send later, as the frontend saves it.
func scheduled(at time.Time) plan.Spec {
	return plan.Spec{
		Name: "send-s1-x", Prompt: "Tag the release.", Folder: "~/w", Enabled: true,
		Schedule:    plan.Schedule{RunAt: at.Format(time.RFC3339), Once: true},
		Destination: plan.Destination{Session: "s1"},
		Missed:      "once", StartDeadline: "1h", Timeout: "4h",
	}
}

// A prompt scheduled for later survives Parley. It is sent once; if its time was
// missed by long, it isn't sent and the user is told.
func TestScheduledSend(t *testing.T) {
	for name, tt := range map[string]struct {
		away  time.Duration
		want  string
		sends int
		state string
	}{
		"in time":       {10 * time.Minute, "finished", 1, "off"},
		"a little late": {90 * time.Minute, "finished(missed)", 1, "off"},
		"far too late":  {26 * time.Hour, "late/deadline", 0, "over"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "")
				r.start()
				if _, err := r.Save(t.Context(), "", scheduled(r.now().Add(time.Hour))); err != nil {
					t.Fatal(err)
				}
				r.pass(time.Minute)
				r.stop()
				r.pass(tt.away)
				r.start()
				defer r.stop()
				r.pass(time.Hour)
				r.wantStates("send-s1-x", tt.want)
				if len(r.fake.sent) != tt.sends {
					t.Errorf("sent %q", r.fake.sent)
				}
				for _, text := range r.fake.sent {
					if text != "Tag the release." {
						t.Errorf("sent %q", text)
					}
				}
				if v := r.get("send-s1-x"); v.State != tt.state || v.Next != 0 || v.Last == nil || v.Spec.Prompt != "Tag the release." {
					t.Errorf("%+v", v)
				}
			})
		})
	}
}

// A scheduled prompt canceled in time isn't sent.
func TestScheduledSendTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "")
		r.start()
		defer r.stop()
		if _, err := r.Save(t.Context(), "", scheduled(r.now().Add(time.Hour))); err != nil {
			t.Fatal(err)
		}
		if err := r.Delete(t.Context(), "send-s1-x"); err != nil {
			t.Fatal(err)
		}
		r.pass(2 * time.Hour)
		if len(r.fake.sent) != 0 {
			t.Errorf("sent %q", r.fake.sent)
		}
	})
}

// A run that hits a usage limit waits for its reset, as often as allowed, across restarts
// and without counting as a failure. Beyond that it is over, and the user is told.
func TestPutOffAtUsageLimits(t *testing.T) {
	for name, tt := range map[string]struct {
		again  int64
		resets time.Duration
		want   string
		sends  int
		state  string
		told   string
	}{
		"never":             {0, 2 * time.Hour, "failed/limit", 1, "over", "failed"},
		"twice":             {2, 2 * time.Hour, "failed/limit failed/limit failed/limit", 3, "over", "failed"},
		"it is not known":   {2, 0, "failed/limit", 1, "over", "failed"},
		"it is far too far": {2, 60 * 24 * time.Hour, "failed/limit", 1, "over", "failed"},
		"ten times":         {10, time.Hour, "failed/limit failed/limit failed/limit failed/limit failed/limit failed/limit finished", 7, "over", "found"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, "")
				calls := 0
				r.acts(func(p *play) {
					if calls++; calls > 6 {
						p.answer("Done.", 10, 0)
						return
					}
					var resets int64
					if tt.resets > 0 {
						resets = r.now().Add(tt.resets).UnixMilli()
					}
					p.say(&event.Error{Code: event.FailRateLimit, Message: "You've hit your limit.", ResetsAt: resets})
					p.done("error")
				})
				r.start()
				if _, err := r.Save(t.Context(), "", plan.Spec{
					Name: "continue-s1", Prompt: "Continue.", Enabled: true, Again: tt.again, Missed: "once",
					Schedule: plan.Schedule{RunAt: r.now().Add(time.Hour).Format(time.RFC3339)}, Destination: plan.Destination{Session: "s1"},
					Budgets: plan.Budgets{Run: &plan.Limit{Turns: 20}},
				}); err != nil {
					t.Fatal(err)
				}
				r.pass(90 * time.Minute)
				r.stop()
				r.pass(time.Minute)
				r.start()
				defer r.stop()
				r.pass(12 * time.Hour)
				r.wantStates("continue-s1", tt.want)
				if v := r.get("continue-s1"); len(r.fake.sent) != tt.sends || v.State != tt.state || v.Spec.Again > tt.again || v.Spec.Budgets.Run == nil {
					t.Errorf("%d sent, %+v", len(r.fake.sent), v)
				}
				if got := r.kinds(); got != tt.told {
					t.Errorf("told %q, want %q", got, tt.told)
				}
			})
		})
	}
}
