package plan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/netresearch/go-cron"
)

// Typical schedules, and when they are due from Friday, 2 January 2026 on.
func TestCron(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"0 9 * * MON-THU", "01-05 09:00, 01-06 09:00, 01-07 09:00, 01-08 09:00, 01-12 09:00"},
		{"0 9 * * mon-thu", "01-05 09:00, 01-06 09:00, 01-07 09:00, 01-08 09:00, 01-12 09:00"},
		{"0 9 * * Monday-Thursday", "01-05 09:00, 01-06 09:00, 01-07 09:00, 01-08 09:00, 01-12 09:00"},
		{"0 9 * * THU", "01-08 09:00, 01-15 09:00, 01-22 09:00, 01-29 09:00, 02-05 09:00"},
		{"0 9 * * Thurs,tues", "01-06 09:00, 01-08 09:00, 01-13 09:00, 01-15 09:00, 01-20 09:00"},
		{"0 9 * * FRI-MON", "01-02 09:00, 01-03 09:00, 01-04 09:00, 01-05 09:00, 01-09 09:00"},
		{"0 9 * * 5-7", "01-02 09:00, 01-03 09:00, 01-04 09:00, 01-09 09:00, 01-10 09:00"},
		{"0 9 * * SAT-SUN", "01-03 09:00, 01-04 09:00, 01-10 09:00, 01-11 09:00, 01-17 09:00"},
		{"0 9 * * 7", "01-04 09:00, 01-11 09:00, 01-18 09:00, 01-25 09:00, 02-01 09:00"},
		{"0 9 * * 0", "01-04 09:00, 01-11 09:00, 01-18 09:00, 01-25 09:00, 02-01 09:00"},
		{"0 9 * * MON-FRI/2", "01-02 09:00, 01-05 09:00, 01-07 09:00, 01-09 09:00, 01-12 09:00"},
		{"0\t9\t*\t*\tFRI", "01-02 09:00, 01-09 09:00, 01-16 09:00, 01-23 09:00, 01-30 09:00"},
		{"  0   9 * *  FRI ", "01-02 09:00, 01-09 09:00, 01-16 09:00, 01-23 09:00, 01-30 09:00"},
		{"0 0 1 MARCH,jun *", "03-01 00:00, 06-01 00:00, 03-01 00:00, 06-01 00:00, 03-01 00:00"},
		{"0 0 1 sept *", "09-01 00:00, 09-01 00:00, 09-01 00:00, 09-01 00:00, 09-01 00:00"},
		{"0 0 1 NOV-FEB *", "02-01 00:00, 11-01 00:00, 12-01 00:00, 01-01 00:00, 02-01 00:00"},
		{"*/20 8 * * *", "01-02 08:00, 01-02 08:20, 01-02 08:40, 01-03 08:00, 01-03 08:20"},
		{"5/20 8 * * *", "01-02 08:05, 01-02 08:25, 01-02 08:45, 01-03 08:05, 01-03 08:25"},
		{"0 22-2/2 * * *", "01-02 02:00, 01-02 22:00, 01-03 00:00, 01-03 02:00, 01-03 22:00"},
		{"0 0 ? * MON", "01-05 00:00, 01-12 00:00, 01-19 00:00, 01-26 00:00, 02-02 00:00"},
		{"0 0 10 * MON", "01-05 00:00, 01-10 00:00, 01-12 00:00, 01-19 00:00, 01-26 00:00"},
		{"0 0 */2 * MON", "01-05 00:00, 01-19 00:00, 02-09 00:00, 02-23 00:00, 03-09 00:00"},
		{"@DAILY", "01-03 00:00, 01-04 00:00, 01-05 00:00, 01-06 00:00, 01-07 00:00"},
		{"@weekly", "01-04 00:00, 01-11 00:00, 01-18 00:00, 01-25 00:00, 02-01 00:00"},
		{"@annually", "01-01 00:00, 01-01 00:00, 01-01 00:00, 01-01 00:00, 01-01 00:00"},

		{"0 9 * * MO", `"MO" is not a valid weekday`},
		{"0 9 * * Montag", `"Montag" is not a valid weekday`},
		{"0 9 * * 8", `"8" is not a valid weekday`},
		{"0 9 * * MON-", `"MON-" is not a valid weekday`},
		{"0 9 * * -5", `"-5" is not a valid weekday`},
		{"0 9 * * FRI#2", `"FRI#2" is not a valid weekday`},
		{"0 9 LW * *", `"LW" is not a valid day of the month`},
		{"0 9 0 * *", `"0" is not a valid day of the month`},
		{"0 9 1, * *", `"" is not a valid day of the month`},
		{"0 24 * * *", `"24" is not a valid hour`},
		{"0 H * * *", `"H" is not a valid hour`},
		{"0 9 * 13 *", `"13" is not a valid month`},
		{"0 9 * thu *", `"thu" is not a valid month`},
		{"*/0 * * * *", `The step in "*/0"`},
		{"*/x * * * *", `The step in "*/x"`},
		{"1/2/3 * * * *", `The step in "1/2/3"`},
		{"+1 * * * *", `"+1" is not a valid minute`},
		{"1-2-3 * * * *", `"1-2-3" is not a valid minute`},
		{"99999999999999999999 * * * *", `is not a valid minute`},
		{"0 0 30 2 *", "This day does not exist in any year."},
		{"* * * *", "this has 4"},
		{"0 0 9 * * *", "this has 6"},
		{"", "this has 0"},
		{"@reboot", `"@reboot" is not known`},
	} {
		c, wrong := parseCron(tt.text)
		got := wrong
		if c != nil {
			var due []string
			at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
			for range 5 {
				at = c.Next(at)
				due = append(due, at.Format("01-02 15:04"))
			}
			got = strings.Join(due, ", ")
		}
		if c != nil && got != tt.want || c == nil && !strings.Contains(got, tt.want) {
			t.Errorf("%q: %s\nwant %s", tt.text, got, tt.want)
		}
		for _, of := range []string{"hash", "beyond", "failed", "invalid", "strconv"} {
			if strings.Contains(wrong, of) {
				t.Errorf("%q is answered with a library's words: %s", tt.text, wrong)
			}
		}
	}
}

// The library parses expressions too: for a thousand random ones the next ten due times are
// the same. It treats a star with a step as a given day, unlike any cron.
func TestCronAsTheLibraryReadsIt(t *testing.T) {
	parser, err := cron.TryNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.DowOrDom)
	if err != nil {
		t.Fatal(err)
	}
	parser = parser.WithMaxSearchYears(searchYears)
	r := rand.New(rand.NewPCG(1, 2))
	item := func(first, last int) string {
		from := first + r.IntN(last-first+1)
		to := from + r.IntN(last-from+1)
		switch r.IntN(7) {
		case 0, 1:
			return "*"
		case 2:
			return fmt.Sprintf("*/%d", 1+r.IntN(last))
		case 3:
			return fmt.Sprintf("%d-%d", from, to)
		case 4:
			return fmt.Sprintf("%d-%d/%d", from, to, 1+r.IntN(5))
		case 5:
			return fmt.Sprintf("%d,%d", from, to)
		}
		return fmt.Sprint(from)
	}
	compared, steps := 0, 0
	for compared < 1000 {
		days, weekdays := item(1, 28), item(0, 6)
		text := strings.Join([]string{item(0, 59), item(0, 23), days, item(1, 12), weekdays}, " ")
		if strings.HasPrefix(days, "*/") && weekdays != "*" || strings.HasPrefix(weekdays, "*/") && days != "*" {
			steps++
			continue
		}
		theirs, err := parser.Parse(text)
		if err != nil {
			continue // it rejects steps that are longer than a range
		}
		compared++
		ours, wrong := parseCron(text)
		if ours == nil {
			t.Fatalf("%s: %s", text, wrong)
		}
		at, want := time.Date(2027, 2, 27, 13, 7, 0, 0, time.UTC), time.Date(2027, 2, 27, 13, 7, 0, 0, time.UTC)
		for i := range 10 {
			if at, want = ours.Next(at), theirs.Next(want); !at.Equal(want) {
				t.Fatalf("%s: the due time %d is %s, and for the library %s", text, i, at, want)
			}
		}
	}
	t.Logf("%d compared, %d left out for the star with a step", compared, steps)
}
