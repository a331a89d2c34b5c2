package plan

import (
	"slices"
	"time"
)

// quiet is a heartbeat's parsed quiet hours. A nil one is never quiet.
type quiet struct {
	from, to time.Duration
	days     [7]bool
	zone     *time.Location
}

func readQuiet(q *Quiet, zone *time.Location) *quiet {
	if q == nil {
		return nil
	}
	out := &quiet{zone: zone}
	out.from, _ = parseClock(q.From)
	out.to, _ = parseClock(q.To)
	if out.to <= out.from {
		out.to += 24 * time.Hour
	}
	for i, day := range weekdays() {
		out.days[i] = len(q.Days) == 0 || slices.Contains(q.Days, day)
	}
	return out
}

// weekdays start with Sunday, as in time.Weekday.
func weekdays() []string { return []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} }

// on returns the quiet hours that start on a day, from inclusive, to exclusive. The
// day is a midnight of the wall clock as if it were UTC.
func (q *quiet) on(day time.Time) (from, to time.Time, ok bool) {
	if !q.days[day.Weekday()] {
		return from, to, false
	}
	from, to = moment(day.Add(q.from), q.zone), moment(day.Add(q.to), q.zone)
	return from, to, from.Before(to)
}

func (q *quiet) day(at time.Time) time.Time { return shown(at.In(q.zone)).Truncate(24 * time.Hour) }

// end returns when the quiet hours around a moment end, the zero time if there are
// none.
func (q *quiet) end(at time.Time) time.Time {
	var end time.Time
	if q == nil {
		return end
	}
	today := q.day(at)
	for _, day := range []time.Time{today.AddDate(0, 0, -1), today} {
		if from, to, ok := q.on(day); ok && !at.Before(from) && at.Before(to) && to.After(end) {
			end = to
		}
	}
	return end
}

// cuts reports every start and end of quiet hours around a time.
func (q *quiet) cuts(from, to time.Time, cut func(time.Time)) {
	if q == nil {
		return
	}
	last := q.day(to)
	for day := q.day(from).AddDate(0, 0, -1); !day.After(last); day = day.AddDate(0, 0, 1) {
		if a, b, ok := q.on(day); ok {
			cut(a)
			cut(b)
		}
	}
}
