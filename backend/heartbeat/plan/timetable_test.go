package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const stamp = "2006-01-02 15:04:05 -0700"

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func when(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(stamp, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func table(t testing.TB, s Schedule) Timetable {
	t.Helper()
	out, err := Compile(s, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestChangesOfTheClock has one subtest for each way in which a clock changes.
func TestChangesOfTheClock(t *testing.T) {
	tests := []struct {
		name     string
		schedule Schedule
		after    string
		want     []string
	}{
		{
			"a time in the gap is due at the first moment after it",
			Schedule{Cron: "30 2 * * *", Zone: "Europe/Berlin"}, "2027-03-27 00:00:00 +0100",
			[]string{"2027-03-27 02:30:00 +0100", "2027-03-28 03:00:00 +0200", "2027-03-29 02:30:00 +0200"},
		},
		{
			"several times in the gap are due once together",
			Schedule{Cron: "0,15,45 2,3 28 3 *", Zone: "Europe/Berlin"}, "2027-03-28 00:00:00 +0100",
			[]string{"2027-03-28 03:00:00 +0200", "2027-03-28 03:15:00 +0200", "2027-03-28 03:45:00 +0200", "2028-03-28 02:00:00 +0200"},
		},
		{
			"the last time before the gap",
			Schedule{Cron: "59 1 * * *", Zone: "Europe/Berlin"}, "2027-03-28 00:00:00 +0100",
			[]string{"2027-03-28 01:59:00 +0100", "2027-03-29 01:59:00 +0200"},
		},
		{
			"the first time after the gap",
			Schedule{Cron: "0 3 * * *", Zone: "Europe/Berlin"}, "2027-03-28 00:00:00 +0100",
			[]string{"2027-03-28 03:00:00 +0200", "2027-03-29 03:00:00 +0200"},
		},
		{
			"a time that is shown twice is due the first time",
			Schedule{Cron: "30 2 * * *", Zone: "Europe/Berlin"}, "2027-10-30 12:00:00 +0200",
			[]string{"2027-10-31 02:30:00 +0200", "2027-11-01 02:30:00 +0100"},
		},
		{
			"the beginning of the hour that is shown twice",
			Schedule{Cron: "0 2 * * *", Zone: "Europe/Berlin"}, "2027-10-30 12:00:00 +0200",
			[]string{"2027-10-31 02:00:00 +0200", "2027-11-01 02:00:00 +0100"},
		},
		{
			"asked in the hour that is repeated",
			Schedule{Cron: "30 2 * * *", Zone: "Europe/Berlin"}, "2027-10-31 02:10:00 +0100",
			[]string{"2027-11-01 02:30:00 +0100"},
		},
		{
			"every quarter of an hour when the clock goes back",
			Schedule{Cron: "*/15 * * * *", Zone: "Europe/Berlin"}, "2027-10-31 02:20:00 +0200",
			[]string{"2027-10-31 02:30:00 +0200", "2027-10-31 02:45:00 +0200", "2027-10-31 03:00:00 +0100", "2027-10-31 03:15:00 +0100"},
		},
		{
			"every quarter of an hour when the clock goes forward",
			Schedule{Cron: "*/15 * * * *", Zone: "Europe/Berlin"}, "2027-03-28 01:30:00 +0100",
			[]string{"2027-03-28 01:45:00 +0100", "2027-03-28 03:00:00 +0200", "2027-03-28 03:15:00 +0200"},
		},
		{
			"an interval counts elapsed time when the clock goes back",
			Schedule{Every: "30m", Zone: "Europe/Berlin"}, "2027-10-31 01:45:00 +0200",
			[]string{"2027-10-31 02:00:00 +0200", "2027-10-31 02:30:00 +0200", "2027-10-31 02:00:00 +0100", "2027-10-31 02:30:00 +0100", "2027-10-31 03:00:00 +0100"},
		},
		{
			"an interval counts elapsed time when the clock goes forward",
			Schedule{Every: "30m", Zone: "Europe/Berlin"}, "2027-03-28 01:15:00 +0100",
			[]string{"2027-03-28 01:30:00 +0100", "2027-03-28 03:00:00 +0200", "2027-03-28 03:30:00 +0200"},
		},
		{
			"one moment in the gap",
			Schedule{RunAt: "2027-03-28 02:30", Zone: "Europe/Berlin"}, "2027-01-01 00:00:00 +0100",
			[]string{"2027-03-28 03:00:00 +0200"},
		},
		{
			"one moment that is shown twice",
			Schedule{RunAt: "2027-10-31 02:30", Zone: "Europe/Berlin"}, "2027-01-01 00:00:00 +0100",
			[]string{"2027-10-31 02:30:00 +0200"},
		},
		{
			"one moment with its offset is that moment",
			Schedule{RunAt: "2027-10-31T02:30:00+01:00", Zone: "Europe/Berlin"}, "2027-01-01 00:00:00 +0100",
			[]string{"2027-10-31 02:30:00 +0100"},
		},
		{
			"New York goes forward",
			Schedule{Cron: "30 2 * * *", Zone: "America/New_York"}, "2027-03-13 12:00:00 -0500",
			[]string{"2027-03-14 03:00:00 -0400", "2027-03-15 02:30:00 -0400"},
		},
		{
			"New York goes back",
			Schedule{Cron: "30 1 * * *", Zone: "America/New_York"}, "2027-11-06 12:00:00 -0400",
			[]string{"2027-11-07 01:30:00 -0400", "2027-11-08 01:30:00 -0500"},
		},
		{
			"Lord Howe goes forward by half an hour in October",
			Schedule{Cron: "15 2 * * *", Zone: "Australia/Lord_Howe"}, "2027-10-02 12:00:00 +1030",
			[]string{"2027-10-03 02:30:00 +1100", "2027-10-04 02:15:00 +1100"},
		},
		{
			"Lord Howe goes back by half an hour in April",
			Schedule{Cron: "45 1 * * *", Zone: "Australia/Lord_Howe"}, "2027-04-03 12:00:00 +1100",
			[]string{"2027-04-04 01:45:00 +1100", "2027-04-05 01:45:00 +1030"},
		},
		{
			"midnight does not exist",
			Schedule{Cron: "0 0 * * *", Zone: "America/Sao_Paulo"}, "2018-11-03 12:00:00 -0300",
			[]string{"2018-11-04 01:00:00 -0200", "2018-11-05 00:00:00 -0200"},
		},
		{
			"the hour before midnight is shown twice",
			Schedule{Cron: "30 23 * * *", Zone: "America/Sao_Paulo"}, "2018-02-17 12:00:00 -0200",
			[]string{"2018-02-17 23:30:00 -0200", "2018-02-18 23:30:00 -0300"},
		},
		{
			"the midnight at which the clock goes back",
			Schedule{Cron: "0 0 * * *", Zone: "America/Sao_Paulo"}, "2018-02-17 12:00:00 -0200",
			[]string{"2018-02-18 00:00:00 -0300", "2018-02-19 00:00:00 -0300"},
		},
		{
			"a day that does not exist",
			Schedule{Cron: "0 12 * * *", Zone: "Pacific/Apia"}, "2011-12-29 00:00:00 -1000",
			[]string{"2011-12-29 12:00:00 -1000", "2011-12-31 00:00:00 +1400", "2011-12-31 12:00:00 +1400"},
		},
		{
			"a gap of two hours",
			Schedule{Cron: "30 2 * * *", Zone: "Antarctica/Troll"}, "2027-03-27 12:00:00 +0000",
			[]string{"2027-03-28 03:00:00 +0200", "2027-03-29 02:30:00 +0200"},
		},
		{
			"no summer time",
			Schedule{Cron: "30 2 * * *", Zone: "Asia/Kolkata"}, "2027-03-27 12:00:00 +0530",
			[]string{"2027-03-28 02:30:00 +0530", "2027-03-29 02:30:00 +0530"},
		},
		{
			"leap days",
			Schedule{Cron: "0 9 29 2 *"}, "2027-01-01 00:00:00 +0000",
			[]string{"2028-02-29 09:00:00 +0000", "2032-02-29 09:00:00 +0000"},
		},
		{
			"no leap day in 2100",
			Schedule{Cron: "0 9 29 2 *"}, "2096-03-01 00:00:00 +0000",
			[]string{"2104-02-29 09:00:00 +0000"},
		},
		{
			"a month without a 31st",
			Schedule{Cron: "0 9 31 * *"}, "2027-04-01 00:00:00 +0000",
			[]string{"2027-05-31 09:00:00 +0000", "2027-07-31 09:00:00 +0000"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			table := table(t, test.schedule)
			at := when(t, test.after)
			var got []string
			for range test.want {
				at = table.Next(at)
				got = append(got, at.Format(stamp))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSchedules(t *testing.T) {
	tests := []struct {
		name     string
		schedule Schedule
		after    string
		want     []string
	}{
		{"names", Schedule{Cron: "0 9 * JAN,jul Mon-fri"}, "2027-01-29 10:00:00 +0000", []string{"2027-07-01 09:00:00 +0000", "2027-07-02 09:00:00 +0000", "2027-07-05 09:00:00 +0000"}},
		{"day of the month or of the week", Schedule{Cron: "0 0 13 * fri"}, "2027-01-09 00:00:00 +0000", []string{"2027-01-13 00:00:00 +0000", "2027-01-15 00:00:00 +0000"}},
		{"sunday is 0 and 7", Schedule{Cron: "0 0 * * 7"}, "2027-01-01 00:00:00 +0000", []string{"2027-01-03 00:00:00 +0000"}},
		{"hourly", Schedule{Cron: "@hourly"}, "2027-01-01 00:00:00 +0000", []string{"2027-01-01 01:00:00 +0000"}},
		{"weekly", Schedule{Cron: "@weekly"}, "2027-01-01 00:00:00 +0000", []string{"2027-01-03 00:00:00 +0000"}},
		{"monthly in a zone", Schedule{Cron: "@monthly", Zone: "Asia/Kolkata"}, "2027-01-31 12:00:00 +0000", []string{"2027-02-01 00:00:00 +0530"}},
		{"an interval is the same wherever it is asked from", Schedule{Every: "7s"}, "2027-01-01 00:00:03 +0000", []string{"2027-01-01 00:00:04 +0000", "2027-01-01 00:00:11 +0000"}},
		{"a week begins on Monday", Schedule{Every: "7d", Zone: "Europe/Berlin"}, "2027-01-01 00:00:00 +0000", []string{"2027-01-04 00:00:00 +0100", "2027-01-11 00:00:00 +0100"}},
		{"an interval before its epoch", Schedule{Every: "1d"}, "1999-12-31 12:00:00 +0000", []string{"2000-01-01 00:00:00 +0000"}},
		{"one moment is not due again", Schedule{RunAt: "2027-01-01 09:00"}, "2027-01-01 09:00:00 +0000", []string{"never"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			table := table(t, test.schedule)
			at := when(t, test.after)
			var got []string
			for range test.want {
				if at = table.Next(at); at.IsZero() {
					got = append(got, "never")
					continue
				}
				got = append(got, at.Format(stamp))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSchedulesWithMistakes(t *testing.T) {
	tests := []struct {
		schedule Schedule
		want     string
	}{
		{Schedule{}, "Add a schedule"},
		{Schedule{Cron: "@daily", Every: "1h"}, "only one of"},
		{Schedule{Cron: "0 0 31 2 *"}, "does not exist"},
		{Schedule{Cron: "0 0 30 feb *"}, "does not exist"},
		{Schedule{Cron: "0 0 31 4,6,9,11 *"}, "does not exist"},
		{Schedule{Cron: "* * * *"}, "five fields"},
		{Schedule{Cron: "0 * * * * *"}, "five fields"},
		{Schedule{Cron: "60 * * * *"}, "not a valid minute"},
		{Schedule{Cron: "0 0 * * lun"}, "not a valid weekday"},
		{Schedule{Cron: "0 0 L * *"}, "not a valid day of the month"},
		{Schedule{Cron: "H * * * *"}, "not a valid minute"},
		{Schedule{Cron: "@every 5m"}, "in every"},
		{Schedule{Cron: "@reboot"}, "not known"},
		{Schedule{Cron: "TZ=UTC 0 0 * * *"}, "in zone"},
		{Schedule{Every: "5"}, "5s, 5m"},
		{Schedule{Every: "0s"}, "too short"},
		{Schedule{Every: "500ms"}, "not a duration"},
		{Schedule{Every: "-5m"}, "not a duration"},
		{Schedule{Every: "367d"}, "longer than a year"},
		{Schedule{Every: "99999999999999999d"}, "longer than a year"},
		{Schedule{RunAt: "tomorrow"}, "not a date and time"},
		{Schedule{RunAt: "2027-02-30 09:00"}, "not a date and time"},
		{Schedule{RunAt: "1066-10-14 09:00"}, "between 1970"},
		{Schedule{Cron: "@daily", Zone: "Mars/Base"}, "no time zone"},
		{Schedule{Cron: "@daily", Zone: "Local"}, "no time zone"},
		{Schedule{Cron: "@daily", Zone: "../../etc/passwd"}, "no time zone"},
	}
	for _, test := range tests {
		_, err := Compile(test.schedule, time.UTC)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v, want %q", test.schedule, err, test.want)
		}
		if words := Describe(test.schedule); words != "" {
			t.Errorf("%+v is said as %q", test.schedule, words)
		}
	}
}
