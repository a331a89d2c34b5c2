package plan

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// Describe describes a schedule as an English sentence without a full stop, "" for an
// invalid one.
func Describe(s Schedule) string {
	t, problems := compile(s, time.UTC)
	if len(problems) > 0 {
		return ""
	}
	var out string
	switch {
	case t.cron != nil:
		out = cronWords(t.cron)
	case t.every > 0:
		out = "Every " + strings.TrimPrefix(spanWords(t.every), "1 ")
	default:
		out = "Once, on " + t.at.Format("2 January 2006") + " at " + t.at.Format("15:04")
		if t.at.Second() != 0 {
			out += t.at.Format(":05")
		}
		if at, err := time.Parse(time.RFC3339, s.RunAt); err == nil && s.Zone == "" {
			out = "Once, on " + at.Format("2 January 2006") + " at " + at.Format("15:04") + " (UTC" + at.Format("-07:00") + ")"
		}
	}
	if s.Once && s.RunAt == "" {
		out += ", but only once"
	}
	if s.Zone != "" && s.Every == "" {
		out += " (" + s.Zone + ")"
	}
	return out
}

// spanWords formats a duration in the largest unit that divides it.
func spanWords(d time.Duration) string {
	units := []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}}
	for _, u := range units {
		if d%u.size == 0 {
			return counted(int(d/u.size), u.name)
		}
	}
	return counted(int(d/time.Second), "second")
}

func counted(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return fmt.Sprintf("%d %ss", n, name)
}

func and(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// star is the bit of a cron field written as a star.
const star = 1 << 63

// cronWords describes a cron schedule by its meaning instead of its notation.
func cronWords(c *cron.SpecSchedule) string {
	out := clockWords(numbers(c.Minute, 0, 59), numbers(c.Hour, 0, 23))
	days, weekdays := numbers(c.Dom, 1, 31), numbers(c.Dow, 0, 6)
	// If neither has a star, either is enough.
	either := c.Dom&star == 0 && c.Dow&star == 0
	anyDay, anyWeekday := len(days) == 31, len(weekdays) == 7
	switch {
	case anyDay && anyWeekday || either && (anyDay || anyWeekday):
		if !strings.HasPrefix(out, "Every") {
			out += " every day"
		}
	case anyWeekday:
		out += " " + dayWords(days)
	case anyDay:
		out += " " + weekdayWords(weekdays)
	case either:
		out += " " + dayWords(days) + " or " + weekdayWords(weekdays)
	default:
		out += " " + dayWords(days) + ", only " + weekdayWords(weekdays)
	}
	if months := numbers(c.Month, 1, 12); len(months) < 12 {
		out += " in " + and(runs(months, func(n int) string { return time.Month(n).String() }))
	}
	return out
}

// clockWords describes the times of day.
func clockWords(minutes, hours []int) string {
	if len(minutes)*len(hours) <= 6 {
		var times []string
		for _, h := range hours {
			for _, m := range minutes {
				times = append(times, fmt.Sprintf("%02d:%02d", h, m))
			}
		}
		return "At " + and(times)
	}
	var out string
	step := stepOf(minutes, 60)
	switch {
	case step == 1:
		out = "Every minute"
	case step > 1 && step < 60:
		out = fmt.Sprintf("Every %d minutes", step)
	case len(minutes) == 1 && minutes[0] == 0:
		out = "Every hour"
		if step := stepOf(hours, 24); step > 1 {
			return fmt.Sprintf("Every %d hours from midnight on", step)
		}
	case len(minutes) == 1:
		out = fmt.Sprintf("Every hour at minute %d", minutes[0])
	default:
		out = "Every hour at minutes " + and(runs(minutes, strconv.Itoa))
	}
	if len(hours) == 24 {
		return out
	}
	between := ranges(hours)
	if len(minutes) == 1 && len(between) == 1 {
		return fmt.Sprintf("Every hour from %02d:%02d to %02d:%02d", between[0][0], minutes[0], between[0][1], minutes[0])
	}
	var parts []string
	for _, r := range between {
		parts = append(parts, fmt.Sprintf("between %02d:00 and %02d:59", r[0], r[1]))
	}
	return out + " " + and(parts)
}

// stepOf returns the step of numbers from 0 to whole, 0 if there is none.
func stepOf(list []int, whole int) int {
	if len(list) == 0 || list[0] != 0 || whole%len(list) != 0 {
		return 0
	}
	step := whole / len(list)
	for i, n := range list {
		if n != i*step {
			return 0
		}
	}
	return step
}

func dayWords(days []int) string {
	if len(days) == 1 {
		return fmt.Sprintf("on day %d of the month", days[0])
	}
	return "on days " + and(runs(days, strconv.Itoa)) + " of the month"
}

// weekdayWords starts the week on Monday.
func weekdayWords(days []int) string {
	list := make([]int, 0, 7)
	sunday := false
	for _, d := range days {
		if d == 0 {
			sunday = true
			continue
		}
		list = append(list, d)
	}
	if sunday {
		list = append(list, 7)
	}
	said := runs(list, func(n int) string { return time.Weekday(n % 7).String() })
	if len(said) == 1 && len(list) > 1 {
		return "from " + said[0]
	}
	return "on " + and(said)
}

// runs formats numbers, three or more in a row as "a to b".
func runs(list []int, name func(int) string) []string {
	var out []string
	for _, r := range ranges(list) {
		switch r[1] - r[0] {
		case 0:
			out = append(out, name(r[0]))
		case 1:
			out = append(out, name(r[0]), name(r[1]))
		default:
			out = append(out, name(r[0])+" to "+name(r[1]))
		}
	}
	return out
}

// ranges returns the first and last of consecutive numbers.
func ranges(list []int) [][2]int {
	var out [][2]int
	for _, n := range list {
		if last := len(out) - 1; last >= 0 && out[last][1] == n-1 {
			out[last][1] = n
			continue
		}
		out = append(out, [2]int{n, n})
	}
	return out
}

// numbers returns the set bits.
func numbers(set uint64, from, to int) []int {
	out := make([]int, 0, bits.OnesCount64(set))
	for n := from; n <= to; n++ {
		if set>>n&1 == 1 {
			out = append(out, n)
		}
	}
	return out
}
