package plan

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// job returns a heartbeat with a schedule.
func job(t testing.TB, s Schedule, change func(*Spec)) Job {
	t.Helper()
	spec := Spec{Name: "a", Prompt: "x", Folder: "/", Enabled: true, Schedule: s}
	if change != nil {
		change(&spec)
	}
	out, problems := Prepare(spec, time.UTC)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return out
}

func at(t testing.TB, text string) time.Time {
	t.Helper()
	out, err := time.Parse("2006-01-02 15:04:05", text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// said formats a reckoning in short lines.
func said(r DueTimes) []string {
	var out []string
	for _, d := range r.Decisions {
		line := fmt.Sprintf("%s %s", d.Due.UTC().Format("15:04:05"), d.Action)
		if d.Code != "" {
			line += " " + d.Code
		}
		if d.Missed {
			line += " for missed"
		}
		if d.Count > 1 {
			line += fmt.Sprintf(" and %d since %s", d.Count-1, d.First.UTC().Format("15:04:05"))
		}
		out = append(out, line)
	}
	return out
}

func TestDue(t *testing.T) {
	hourly, often := Schedule{Cron: "@hourly"}, Schedule{Every: "2s"}
	missed := func(policy string) func(*Spec) { return func(s *Spec) { s.Missed = policy } }
	tests := []struct {
		name      string
		schedule  Schedule
		change    func(*Spec)
		now       string
		accounted string
		pauses    []Pause
		want      []string
	}{
		{"on time", hourly, nil, "2027-01-01 09:00:00", "2027-01-01 08:00:00", nil, []string{"09:00:00 run"}},
		{"a little late is on time", hourly, missed("skip"), "2027-01-01 09:00:59", "2027-01-01 08:00:00", nil, []string{"09:00:00 run"}},
		{"nothing is due", hourly, nil, "2027-01-01 08:59:59", "2027-01-01 08:00:00", nil, nil},
		{"not twice", hourly, nil, "2027-01-01 09:00:00", "2027-01-01 09:00:00", nil, nil},
		{"the clock went back", hourly, nil, "2027-01-01 08:30:00", "2027-01-01 09:00:00", nil, nil},
		{
			"eight hours of sleep, one run for all", hourly, nil, "2027-01-01 08:30:00", "2027-01-01 00:00:00", nil,
			[]string{"01:00:00 missed", "02:00:00 missed", "03:00:00 missed", "04:00:00 missed", "05:00:00 missed", "06:00:00 missed", "07:00:00 missed", "08:00:00 run for missed"},
		},
		{
			"eight hours of sleep, skipped", hourly, missed("skip"), "2027-01-01 04:30:00", "2027-01-01 00:00:00", nil,
			[]string{"01:00:00 missed", "02:00:00 missed", "03:00:00 missed", "04:00:00 missed"},
		},
		{
			"sleep that ends on time, skipped", hourly, missed("skip"), "2027-01-01 04:00:02", "2027-01-01 00:00:00", nil,
			[]string{"01:00:00 missed", "02:00:00 missed", "03:00:00 missed", "04:00:00 run"},
		},
		{
			"eight hours of sleep, all made up for", hourly, missed("all"), "2027-01-01 04:00:02", "2027-01-01 00:00:00", nil,
			[]string{"01:00:00 run for missed", "02:00:00 run for missed", "03:00:00 run for missed", "04:00:00 run"},
		},
		{
			"too late to start", hourly, func(s *Spec) { s.StartDeadline = "10m" }, "2027-01-01 03:30:00", "2027-01-01 00:00:00", nil,
			[]string{"01:00:00 missed", "02:00:00 missed", "03:00:00 late deadline"},
		},
		{
			"some too late to start", hourly, func(s *Spec) { s.StartDeadline, s.Missed = "2h", "all" }, "2027-01-01 03:30:00", "2027-01-01 00:00:00", nil,
			[]string{"01:00:00 late deadline", "02:00:00 run for missed", "03:00:00 run for missed"},
		},
		{
			"at the deadline is not too late", hourly, func(s *Spec) { s.StartDeadline = "30m" }, "2027-01-01 01:30:00", "2027-01-01 00:00:00", nil,
			[]string{"01:00:00 run for missed"},
		},
		{
			"a busy moment of a quick heartbeat", often, nil, "2027-01-01 00:00:07", "2027-01-01 00:00:00", nil,
			[]string{"00:00:02 missed", "00:00:04 missed", "00:00:06 run"},
		},
		{
			"paused in between", hourly, nil, "2027-01-01 05:00:00", "2027-01-01 00:00:00",
			[]Pause{{at(t, "2027-01-01 02:00:00"), at(t, "2027-01-01 04:00:00")}},
			[]string{"01:00:00 missed", "02:00:00 skip paused", "03:00:00 skip paused", "04:00:00 missed", "05:00:00 run"},
		},
		{
			"still paused", hourly, nil, "2027-01-01 02:00:00", "2027-01-01 00:00:00", []Pause{{From: at(t, "2027-01-01 00:30:00")}},
			[]string{"01:00:00 skip paused", "02:00:00 skip paused"},
		},
		{
			"quiet hours over midnight", hourly, func(s *Spec) { s.Quiet = &Quiet{From: "22:00", To: "02:00"} }, "2027-01-02 02:00:00", "2027-01-01 20:30:00", nil,
			[]string{"21:00:00 missed", "22:00:00 skip quiet", "23:00:00 skip quiet", "00:00:00 skip quiet", "01:00:00 skip quiet", "02:00:00 run"},
		},
		{ // 1 January 2027 is a Friday.
			"quiet hours that begin on Friday only", hourly, func(s *Spec) { s.Quiet = &Quiet{From: "23:00", To: "01:00", Days: []string{"fri"}} }, "2027-01-02 02:00:00", "2027-01-01 21:30:00", nil,
			[]string{"22:00:00 missed", "23:00:00 skip quiet", "00:00:00 skip quiet", "01:00:00 missed", "02:00:00 run"},
		},
		{
			"quiet hours of another day", hourly, func(s *Spec) { s.Quiet = &Quiet{From: "23:00", To: "01:00", Days: []string{"sat"}} }, "2027-01-01 23:00:00", "2027-01-01 22:00:00", nil,
			[]string{"23:00:00 run"},
		},
		{
			"missed, and seen within quiet hours", hourly, func(s *Spec) { s.Quiet = &Quiet{From: "02:00", To: "06:00"} }, "2027-01-01 03:30:00", "2026-12-31 23:30:00", nil,
			[]string{"00:00:00 missed", "01:00:00 skip quiet", "02:00:00 skip quiet", "03:00:00 skip quiet"},
		},
		{
			"on time when the quiet hours begin", Schedule{Cron: "59 * * * *"}, func(s *Spec) { s.Quiet = &Quiet{From: "02:00", To: "06:00"} }, "2027-01-01 02:00:00", "2027-01-01 01:00:00", nil,
			[]string{"01:59:00 run"},
		},
		{
			"paused within quiet hours", hourly, func(s *Spec) { s.Quiet = &Quiet{From: "00:00", To: "03:00"} }, "2027-01-01 02:00:00", "2027-01-01 00:00:00",
			[]Pause{{From: at(t, "2027-01-01 02:00:00")}},
			[]string{"01:00:00 skip quiet", "02:00:00 skip paused"},
		},
		{"one moment that was missed", Schedule{RunAt: "2027-01-01 01:00"}, nil, "2027-01-01 08:00:00", "2027-01-01 00:00:00", nil, []string{"01:00:00 run for missed"}},
		{"one moment that was missed and is skipped", Schedule{RunAt: "2027-01-01 01:00"}, missed("skip"), "2027-01-01 08:00:00", "2027-01-01 00:00:00", nil, []string{"01:00:00 missed"}},
		{"one moment before it was written", Schedule{RunAt: "2026-01-01 01:00"}, nil, "2027-01-01 08:00:00", "2027-01-01 00:00:00", nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			now := at(t, test.now)
			got := job(t, test.schedule, test.change).Due(now, at(t, test.accounted), test.pauses...)
			if diff := cmp.Diff(test.want, said(got)); diff != "" {
				t.Error(diff)
			}
			want := at(t, test.accounted)
			for _, d := range got.Decisions {
				want = d.Due
				if d.Late != now.Sub(d.Due) {
					t.Errorf("late by %s: %+v", d.Late, d)
				}
				if (d.Action == Run) != (d.Reason == "") {
					t.Errorf("a reason: %+v", d)
				}
			}
			if !got.Accounted.Equal(want) || got.Rewound || got.Cut {
				t.Errorf("accounted for until %s: %+v", want, got)
			}
		})
	}
}

// TestYearOfSleep is bounded, however long it slept: 24 decisions of each outcome, and
// one for the rest, that add up to all due times.
func TestYearOfSleep(t *testing.T) {
	from, to := yearBounds()
	for _, policy := range []string{"once", "skip", "all"} {
		j := job(t, Schedule{Every: "2s"}, func(s *Spec) {
			s.Missed, s.Quiet = policy, &Quiet{From: "10:00", To: "18:00"}
		})
		got := j.Due(to, from, Pause{from.AddDate(0, 1, 0), from.AddDate(0, 2, 0)})
		counts := map[string]int{}
		for _, d := range got.Decisions {
			counts[string(d.Action)+d.Code] += d.Count
		}
		want := map[string]int{
			"skipquiet":  (365 - 28) * 8 * 1800,
			"skippaused": 28 * 24 * 1800,
		}
		all := 365 * 24 * 1800
		want["run"] = 1 // the newest is on time
		if policy == "all" {
			want["run"] = MaxMadeUp
		}
		want["missed"] = all - want["skipquiet"] - want["skippaused"] - want["run"]
		if diff := cmp.Diff(want, counts); diff != "" {
			t.Errorf("%s: %s", policy, diff)
		}
		if n := len(got.Decisions); n > 3*(MaxSingle+1)+MaxMadeUp {
			t.Errorf("%s: %d decisions", policy, n)
		}
	}
}

func TestClockThatWasWrong(t *testing.T) {
	j := job(t, Schedule{Cron: "@hourly"}, nil)
	now := at(t, "2027-01-01 09:30:00")
	// A day ahead may still be right: nothing is due until then.
	if got := j.Due(now, now.Add(MaxAhead)); len(got.Decisions) > 0 || got.Rewound || !got.Accounted.Equal(now.Add(MaxAhead)) {
		t.Errorf("a day ahead: %+v", got)
	}
	got := j.Due(now, now.AddDate(3, 0, 0))
	if len(got.Decisions) > 0 || !got.Rewound || !got.Accounted.Equal(now) {
		t.Errorf("three years ahead: %+v", got)
	}
	if diff := cmp.Diff([]string{"10:00:00 run"}, said(j.Due(now.Add(30*time.Minute), got.Accounted))); diff != "" {
		t.Errorf("afterwards: %s", diff)
	}
	if got := j.Due(now, time.Time{}); len(got.Decisions) > 0 || !got.Accounted.Equal(now) {
		t.Errorf("never before: %+v", got)
	}
	old := j.Due(now, now.AddDate(-10, 0, 0))
	count := 0
	for _, d := range old.Decisions {
		count += d.Count
	}
	if !old.Cut || count != 400*24 {
		t.Errorf("ten years: %d, %v", count, old.Cut)
	}
}

func TestWake(t *testing.T) {
	night := func(s *Spec) { s.Quiet = &Quiet{From: "22:00", To: "06:00"} }
	tests := []struct {
		name     string
		schedule Schedule
		change   func(*Spec)
		after    string
		want     []string
	}{
		{"no quiet hours", Schedule{Cron: "@hourly"}, nil, "2027-01-01 21:30:00", []string{"2027-01-01 22:00", "2027-01-01 23:00"}},
		{"over the night", Schedule{Cron: "@hourly"}, night, "2027-01-01 20:30:00", []string{"2027-01-01 21:00", "2027-01-02 06:00", "2027-01-02 07:00"}},
		{"an interval over the night", Schedule{Every: "2s"}, night, "2027-01-01 21:59:58", []string{"2027-01-02 06:00"}},
		{"once", Schedule{RunAt: "2027-01-01 09:00"}, nil, "2027-01-01 00:00:00", []string{"2027-01-01 09:00"}},
		{"over", Schedule{RunAt: "2027-01-01 09:00"}, nil, "2027-01-01 09:00:00", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			j := job(t, test.schedule, test.change)
			var got []string
			for _, next := range j.Upcoming(at(t, test.after), max(1, len(test.want))) {
				got = append(got, next.Format("2006-01-02 15:04"))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	// An always quiet heartbeat still wakes, to account for what it skips.
	j := job(t, Schedule{Cron: "0 23 * * *"}, night)
	if got := j.Wake(at(t, "2027-01-01 00:00:00")); !got.Equal(at(t, "2027-01-01 23:00:00")) {
		t.Errorf("always quiet: %s", got)
	}
	if got := j.Upcoming(at(t, "2027-01-01 00:00:00"), 10); len(got) > 0 {
		t.Errorf("always quiet: %v", got)
	}
}

func TestCount(t *testing.T) {
	from := at(t, "2027-01-01 00:00:00")
	tests := []struct {
		schedule Schedule
		change   func(*Spec)
		limit    int
		want     int
	}{
		{Schedule{Every: "2s"}, nil, 100_000, 100_000},
		{Schedule{Every: "1h"}, nil, 100_000, 720},
		{Schedule{Cron: "0 9 * * mon-fri"}, nil, 100_000, 21},
		{Schedule{Cron: "@hourly"}, func(s *Spec) { s.Quiet = &Quiet{From: "12:00", To: "00:00"} }, 100_000, 360},
		{Schedule{RunAt: "2027-01-31 00:00"}, nil, 100_000, 1},
		{Schedule{RunAt: "2027-01-31 00:01"}, nil, 100_000, 0},
	}
	for _, test := range tests {
		if got := job(t, test.schedule, test.change).Count(from, from.AddDate(0, 0, 30), test.limit); got != test.want {
			t.Errorf("%+v: %d, not %d", test.schedule, got, test.want)
		}
	}
}

func TestPrepare(t *testing.T) {
	j := job(t, Schedule{Cron: "@daily"}, func(s *Spec) { s.Timeout, s.StartDeadline, s.IdlePause = "1h30m", "2d", "1w" })
	if j.Timeout != 90*time.Minute || j.StartDeadline != 48*time.Hour || j.IdlePause != 7*24*time.Hour {
		t.Errorf("%+v", j)
	}
	if j := job(t, Schedule{Cron: "@daily"}, nil); j.Timeout != DefaultTimeout || j.StartDeadline != 0 {
		t.Errorf("%+v", j)
	}
	bad := Spec{
		Name: "a b", Prompt: " ", Schedule: Schedule{Every: "soon"}, Folder: "here", Model: "a\nb", Effort: "hihg", PermissionMode: "yolo",
		Timeout: "5", Missed: "never", Destination: Destination{Session: "a", Channel: "b"},
		Quiet: &Quiet{From: "22:00", To: "22:00", Days: []string{"mon", "monday"}}, Budgets: Budgets{Day: &Limit{USD: -1}, Run: &Limit{Tokens: -5}},
	}
	_, problems := Prepare(bad, time.UTC)
	var got []string
	for _, p := range problems {
		if p.Message == "" || p.Name != "a b" || p.Line != 0 {
			t.Errorf("%+v", p)
		}
		got = append(got, p.Field)
	}
	want := "|prompt|folder|model|effort|permissionMode|timeout|quiet.days|missed|budgets.run.tokens|budgets.day.usd|destination|quiet.to|schedule.every"
	if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" {
		t.Error(diff)
	}
	if bad.Budgets.Month != nil {
		t.Error("the heartbeat was changed by looking at it")
	}
}
