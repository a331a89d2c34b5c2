package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// parseCron parses a cron expression. The second result is a sentence with the
// problem, "" for none.
//
// If both a day of the month and a day of the week are given, either matches, as in every
// cron since the first; a field that starts with a star isn't given, even with a step.
func parseCron(text string) (*cron.SpecSchedule, string) {
	fields := strings.Fields(text)
	switch {
	case strings.HasPrefix(text, "TZ=") || strings.HasPrefix(text, "CRON_TZ="):
		return nil, "Write the time zone in zone, not in cron."
	case strings.HasPrefix(text, "@every"):
		return nil, "Write the interval in every, not in cron."
	case strings.HasPrefix(text, "@"):
		meaning, ok := descriptors()[strings.ToLower(strings.TrimSpace(text))]
		if !ok {
			return nil, fmt.Sprintf("%q is not known. Use @hourly, @daily, @weekly, @monthly or @yearly.", text)
		}
		fields = strings.Fields(meaning)
	case len(fields) != 5:
		return nil, fmt.Sprintf("A cron expression has five fields (minute, hour, day, month, weekday); this has %d.", len(fields))
	}
	c := &cron.SpecSchedule{Second: 1, DowOrDom: true, Location: time.UTC, MaxSearchYears: searchYears}
	kinds := cronFields()
	for i, to := range []*uint64{&c.Minute, &c.Hour, &c.Dom, &c.Month, &c.Dow} {
		var wrong string
		if *to, wrong = kinds[i].read(fields[i]); wrong != "" {
			return nil, wrong
		}
	}
	if c.Next(time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, "This day does not exist in any year."
	}
	return c, ""
}

func descriptors() map[string]string {
	return map[string]string{
		"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
		"@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
	}
}

// cronField is one of the five fields.
type cronField struct {
	name, names string // names are those of its numbers, starting with the first
	first, last int
}

func cronFields() [5]cronField {
	return [5]cronField{
		{name: "minute", last: 59},
		{name: "hour", last: 23},
		{name: "day of the month", first: 1, last: 31},
		{"month", "january february march april may june july august september october november december", 1, 12},
		{"weekday", "sunday monday tuesday wednesday thursday friday saturday", 0, 6},
	}
}

// read returns the numbers of a field as bits, and [star] for one that starts with a star.
func (f cronField) read(text string) (set uint64, wrong string) {
	if text[0] == '*' || text == "?" {
		set = star
	}
	for item := range strings.SplitSeq(text, ",") {
		from, to, step, wrong := f.item(item)
		if wrong != "" {
			return 0, wrong
		}
		// A range may wrap around: FRI-MON, 22-2.
		whole := f.last - f.first + 1
		if to < from {
			to += whole
		}
		for n := from; n <= to; n += step {
			set |= 1 << ((n-f.first)%whole + f.first)
		}
	}
	return set, ""
}

// item parses "*", "5", "1-5" or one of them with a step.
func (f cronField) item(item string) (from, to, step int, wrong string) {
	bounds, every, stepped := strings.Cut(item, "/")
	step = 1
	if stepped {
		var err error
		if step, err = strconv.Atoi(every); err != nil || step < 1 || step > 1000 || every[0] == '+' {
			return 0, 0, 0, fmt.Sprintf("The step in %q is not a number of at least 1.", item)
		}
	}
	if bounds == "*" || bounds == "?" && !stepped {
		return f.first, f.last, step, ""
	}
	begin, end, ranged := strings.Cut(bounds, "-")
	from, ok := f.number(begin)
	to = from
	switch {
	case ok && ranged:
		to, ok = f.number(end)
	case ok && stepped:
		to = f.last
	}
	if !ok {
		return 0, 0, 0, f.unknown(item)
	}
	if f.names != "" && f.first == 0 { // Sunday is 0 and 7
		if to == 7 && from < 7 && ranged {
			return from, 7, step, ""
		}
		from, to = from%7, to%7
	}
	return from, to, step, ""
}

// number parses a number or a name, in full or at least three letters.
func (f cronField) number(text string) (int, bool) {
	last := f.last
	if f.name == "weekday" {
		last = 7
	}
	if n, err := strconv.Atoi(text); err == nil && text[0] != '+' && text[0] != '-' {
		return n, f.first <= n && n <= last
	}
	for i, name := range strings.Fields(f.names) {
		if text = strings.ToLower(text); len(text) >= 3 && strings.HasPrefix(name, text) {
			return f.first + i, true
		}
	}
	return 0, false
}

func (f cronField) unknown(item string) string {
	if names := strings.Fields(f.names); len(names) > 0 {
		return fmt.Sprintf("%q is not a valid %s. Use a number from %d to %d, a name such as %s, a range (2-5), a list (1,3) or * for each.",
			item, f.name, f.first, f.last, strings.ToUpper(names[1][:3]))
	}
	return fmt.Sprintf("%q is not a valid %s. Use a number from %d to %d, a range (2-5), a list (1,3) or * for each.", item, f.name, f.first, f.last)
}
