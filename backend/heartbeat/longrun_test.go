package heartbeat_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/backend/heartbeat/plan"
	"parley/backend/store/model"
)

// yearOf returns 200 heartbeats of every kind in three time zones.
func yearOf() string {
	zones := []string{"Europe/Berlin", "America/New_York", "Asia/Kolkata"}
	var b strings.Builder
	b.WriteString("heartbeats:\n")
	for i := range 200 {
		schedule := [...]string{
			fmt.Sprintf("cron: '%d %d * * *'", i%60, i%24),                 // daily
			fmt.Sprintf("cron: '%d 2 * * *'", i%60),                        // in the hour that is skipped or repeated
			fmt.Sprintf("cron: '%d 9 * * mon-fri'", i%60),                  // on weekdays
			fmt.Sprintf("cron: '0 %d 1,15 * *'", i%24),                     // twice a month
			"cron: '0 0 29 feb *'",                                         // a leap day
			"cron: '@weekly'",                                              //
			fmt.Sprintf("every: %dh", 5+i%20),                              //
			fmt.Sprintf("every: %dd", 1+i%9),                               //
			fmt.Sprintf("runAt: '2000-%02d-01 02:30'", 1+i%12),             // once
			fmt.Sprintf("runAt: '2000-%02d-26 02:30', once: true", 1+i%12), //
		}[i%10]
		policy := [...]string{"skip", "queue", "cancel"}[i%3]
		missed := [...]string{"once", "skip", "all"}[i/3%3]
		fmt.Fprintf(&b, "  job%d: {prompt: Look., folder: ~/w, overlap: %s, missed: %s, schedule: {%s, zone: %s}}\n", i, policy, missed, schedule, zones[i%3])
	}
	return b.String()
}

// A year of 200 heartbeats: every due time has exactly one record, at most four run at the
// same time, and no process is left.
func TestLongYear(t *testing.T) {
	if testing.Short() {
		t.Skip("this takes a while")
	}
	file := yearOf()
	bubble(t, file, func(t *testing.T, r *rig) {
		begin := r.now()
		var n atomic.Int64
		r.acts(func(p *play) {
			p.take(time.Duration(1+n.Add(1)%40) * time.Minute / 8)
		})
		r.pass(366*24*time.Hour + time.Hour)
		r.fake.mu.Lock()
		defer r.fake.mu.Unlock()
		if r.fake.most > 4 || len(r.fake.open) > 4 {
			t.Errorf("%d at once", r.fake.most)
		}
		records := map[string]map[int64]model.HeartbeatRun{}
		for _, b := range r.ledger.beats {
			if records[b.Name] == nil {
				records[b.Name] = map[int64]model.HeartbeatRun{}
			}
			if _, twice := records[b.Name][b.DueAt]; twice || b.Count > 1 {
				t.Errorf("twice, or not one by one: %+v", b)
			}
			records[b.Name][b.DueAt] = b
		}
		parsed, problems := plan.Parse([]byte(file))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		due, end := 0, r.now().Add(-time.Hour)
		for _, e := range parsed.Heartbeats {
			job, _ := plan.Prepare(e.Spec, time.UTC)
			of := records[e.Spec.Name]
			expected := 0
			for at := job.Next(begin); !at.IsZero() && at.Before(end); at = job.Next(at) {
				expected++
				b, ok := of[at.UnixMilli()]
				if !ok {
					t.Errorf("%s has no record for %v", e.Spec.Name, at)
				} else if b.Open || b.State != "finished" && b.Code != "overlap" {
					t.Errorf("%s at %v: %+v", e.Spec.Name, at, b)
				}
			}
			due += expected
			if len(of) < expected || len(of) > expected+2 {
				t.Errorf("%s has %d records for %d due times", e.Spec.Name, len(of), expected)
			}
		}
		t.Logf("%d due times, %d runs", due, n.Load())
	})
}
