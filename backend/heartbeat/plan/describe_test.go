package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	crons := map[string]string{
		"* * * * *":                "Every minute",
		"*/5 * * * *":              "Every 5 minutes",
		"0,30 * * * *":             "Every 30 minutes",
		"0 * * * *":                "Every hour",
		"15 * * * *":               "Every hour at minute 15",
		"5,35 * * * *":             "Every hour at minutes 5 and 35",
		"*/7 9 * * *":              "Every hour at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 between 09:00 and 09:59",
		"0 */2 * * *":              "Every 2 hours from midnight on",
		"0 9-17 * * 1-5":           "Every hour from 09:00 to 17:00 from Monday to Friday",
		"*/10 9-17 * * sat,sun":    "Every 10 minutes between 09:00 and 17:59 on Saturday and Sunday",
		"0 9 * * mon-fri":          "At 09:00 from Monday to Friday",
		"0 9 * * 0":                "At 09:00 on Sunday",
		"0 9 * * 5-7":              "At 09:00 from Friday to Sunday",
		"30 8,12 1 * *":            "At 08:30 and 12:30 on day 1 of the month",
		"0 0 1 jan *":              "At 00:00 on day 1 of the month in January",
		"0 0 1,15 1-3,12 *":        "At 00:00 on days 1 and 15 of the month in January to March and December",
		"0 0 13 * fri":             "At 00:00 on day 13 of the month or on Friday",
		"0 0 1-31 * fri":           "At 00:00 every day",
		"0 0 * * 0-6":              "At 00:00 every day",
		"0 0-5,12-20 * * *":        "Every hour between 00:00 and 05:59 and between 12:00 and 20:59",
		"@daily":                   "At 00:00 every day",
		"@weekly":                  "At 00:00 on Sunday",
		"@yearly":                  "At 00:00 on day 1 of the month in January",
		"0 0 29 2 *":               "At 00:00 on day 29 of the month in February",
		"0 6,7,8,9,10,11,12 * * *": "Every hour from 06:00 to 12:00",
	}
	for text, want := range crons {
		if diff := cmp.Diff(want, Describe(Schedule{Cron: text})); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	others := map[Schedule]string{
		{Every: "90s"}:                             "Every 90 seconds",
		{Every: "1h"}:                              "Every hour",
		{Every: "60m"}:                             "Every hour",
		{Every: "1h30m", Zone: "Asia/Kolkata"}:     "Every 90 minutes",
		{Every: "7d"}:                              "Every 7 days",
		{RunAt: "2026-11-21 09:00"}:                "Once, on 21 November 2026 at 09:00",
		{RunAt: "2026-11-21T09:00:30", Once: true}: "Once, on 21 November 2026 at 09:00:30",
		{RunAt: "2026-11-21T09:00:00+01:00"}:       "Once, on 21 November 2026 at 09:00 (UTC+01:00)",
		{RunAt: "2026-11-21T09:00:00+01:00", Zone: "Asia/Kolkata"}: "Once, on 21 November 2026 at 13:30 (Asia/Kolkata)",
		{Cron: "@daily", Zone: "Asia/Kolkata", Once: true}:         "At 00:00 every day, but only once (Asia/Kolkata)",
	}
	for schedule, want := range others {
		if diff := cmp.Diff(want, Describe(schedule)); diff != "" {
			t.Errorf("%+v: %s", schedule, diff)
		}
	}
}

func TestWidens(t *testing.T) {
	base := Spec{
		Name: "a", Prompt: "x", Folder: "/srv", Enabled: true, Schedule: Schedule{Cron: "0 9 * * *"}, PermissionMode: "default", Guard: "static",
		Timeout: "10m", StartDeadline: "1h", IdlePause: "1d",
		Budgets: Budgets{Run: &Limit{Tokens: 1000, USD: 1.5, Turns: 5}, Day: &Limit{USD: 5}},
	}
	tests := []struct {
		name   string
		from   func(*Spec)
		change func(*Spec)
		want   []string
	}{
		{"nothing", nil, func(*Spec) {}, nil},
		{"another name and description", nil, func(s *Spec) { s.Name, s.Description = "b", "B" }, nil},
		{"switched off", nil, func(s *Spec) { s.Enabled = false }, nil},
		{"switched on", func(s *Spec) { s.Enabled = false }, func(s *Spec) { s.Enabled = true }, []string{"It is turned on again."}},
		{"another prompt", nil, func(s *Spec) { s.Prompt = "y" }, []string{"It sends another prompt."}},
		{"less often", nil, func(s *Spec) { s.Schedule.Cron = "0 9 * * mon" }, nil},
		{"at another time", nil, func(s *Spec) { s.Schedule.Cron = "30 2 * * *" }, nil},
		{"at another time, in a zone", nil, func(s *Spec) { s.Schedule.Cron, s.Schedule.Zone = "30 2 * * *", "Europe/Berlin" }, nil},
		{"more often", nil, func(s *Spec) { s.Schedule.Cron = "*/15 * * * *" }, []string{"It runs more often: about 96 times a day instead of about once a day."}},
		{"an interval", nil, func(s *Spec) { s.Schedule = Schedule{Every: "2s"} }, []string{"It runs more often: about 43200 times a day instead of about once a day."}},
		{"in bursts", nil, func(s *Spec) { s.Schedule.Cron = "* 9 1 jan *" }, []string{"Its runs are closer together: every minute between 09:00 and 09:59 on day 1 of the month in January."}},
		{"no more only once", func(s *Spec) { s.Schedule.Once = true }, func(s *Spec) { s.Schedule.Once = false }, []string{"It keeps running after its first run."}},
		{"only once", nil, func(s *Spec) { s.Schedule.Once = true }, nil},
		{"one moment", nil, func(s *Spec) { s.Schedule = Schedule{RunAt: "2027-01-01 09:00"} }, []string{"It runs at another time: once, on 1 January 2027 at 09:00."}},
		{"shorter quiet hours", func(s *Spec) { s.Quiet = &Quiet{From: "08:00", To: "10:00", Days: []string{"sat"}} }, func(s *Spec) { s.Quiet = nil }, []string{"It runs more often: about once a day instead of about 6 times a week."}},
		{"quiet hours", nil, func(s *Spec) { s.Quiet = &Quiet{From: "08:00", To: "10:00"} }, nil},
		{"another folder", nil, func(s *Spec) { s.Folder = "/" }, []string{"It runs in / instead of /srv."}},
		{"to a session", nil, func(s *Spec) { s.Destination.Session = "s1" }, []string{"Its runs go to the session s1."}},
		{"to a channel", nil, func(s *Spec) { s.Destination.Channel = "c1" }, []string{"Its runs go to the channel c1."}},
		{"a stricter mode", nil, func(s *Spec) { s.PermissionMode = "plan" }, nil},
		{"a laxer mode", nil, func(s *Spec) { s.PermissionMode = "bypassPermissions" }, []string{"Its permission mode is bypassPermissions instead of default."}},
		{"the mode of the settings", nil, func(s *Spec) { s.PermissionMode = "" }, []string{"Its permission mode is that of the settings instead of default."}},
		{"a mode in place of that of the settings", func(s *Spec) { s.PermissionMode = "" }, func(s *Spec) { s.PermissionMode = "acceptEdits" }, []string{"Its permission mode is acceptEdits instead of that of the settings."}},
		{"nothing passes", nil, func(s *Spec) { s.Guard = "off" }, nil},
		{"a guard that lets more pass", nil, func(s *Spec) { s.Guard = "reviewed" }, []string{"Its auto-approve is reviewed instead of static."}},
		{"the guard of the settings", nil, func(s *Spec) { s.Guard = "" }, []string{"Its auto-approve is that of the settings instead of static."}},
		{"one session for all", nil, func(s *Spec) { s.Session = "persistent" }, []string{"All its runs continue one session, which keeps growing."}},
		{"a session for each", func(s *Spec) { s.Session = "persistent" }, func(s *Spec) { s.Session = "fresh" }, nil},
		{"another model", nil, func(s *Spec) { s.Model = "opus" }, []string{"It uses the model opus instead of that of the settings."}},
		{"more effort", func(s *Spec) { s.Effort = "low" }, func(s *Spec) { s.Effort = "max" }, []string{"Its effort is max instead of low."}},
		{"less effort", func(s *Spec) { s.Effort = "max" }, func(s *Spec) { s.Effort = "low" }, nil},
		{"a longer timeout", nil, func(s *Spec) { s.Timeout = "2h" }, []string{"A run may take 2 hours instead of 10 minutes."}},
		{"the same timeout", nil, func(s *Spec) { s.Timeout = "" }, nil},
		{"a later deadline", nil, func(s *Spec) { s.StartDeadline = "2h" }, []string{"It may start later than before."}},
		{"no deadline", nil, func(s *Spec) { s.StartDeadline = "" }, []string{"It may start later than before."}},
		{"no pause when idle", nil, func(s *Spec) { s.IdlePause = "" }, []string{"It keeps running for longer while its session or folder is unused."}},
		{"all missed", nil, func(s *Spec) { s.Missed = "all" }, []string{"It makes up for more missed runs."}},
		{"none missed", nil, func(s *Spec) { s.Missed = "skip" }, nil},
		{"queued", nil, func(s *Spec) { s.Overlap = "queue" }, []string{"If it's still running when it's due, it runs again."}},
		{"a higher budget", nil, func(s *Spec) { s.Budgets.Run = &Limit{Tokens: 2000, USD: 1.5, Turns: 5} }, []string{"The budget for a run is 2000 tokens instead of 1000 tokens."}},
		{"a lower budget", nil, func(s *Spec) { s.Budgets.Day = &Limit{USD: 1, Turns: 3} }, nil},
		{"no budget", nil, func(s *Spec) { s.Budgets.Run = nil }, []string{"The budget of 1000 tokens for a run is gone.", "The budget of 1.5 dollars for a run is gone.", "The budget of 5 turns for a run is gone."}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			old := copyOf(base)
			if test.from != nil {
				test.from(&old)
			}
			now := copyOf(old)
			test.change(&now)
			if diff := cmp.Diff(test.want, NewPermissions(old, now)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
