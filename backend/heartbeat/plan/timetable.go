package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// Timetable is a schedule made ready to be asked for its due times. It may be used by
// many goroutines. The zero one is never due.
//
// # Changes of the clock
//
// A cron schedule names times of the wall clock, each of which is due once: at the first
// moment at which the clock shows that time or a later one. So
//
//   - a time that the clock leaps over (02:30 when summer time begins) is due at the first
//     moment after the leap, and several such times are due there once, together;
//   - a time that the clock shows twice (02:30 when summer time ends) is due when it is
//     shown first, and not again. A schedule of every few minutes therefore pauses for
//     the hour that is repeated; who wants elapsed time writes an interval.
//
// An interval counts elapsed time, whatever the clock does: it is due at the moments that
// are a multiple of it after [Epoch] in the schedule's zone. It counts from there and not
// from the last run, the start of the program or the change of the file, so that the same
// moments are due after a restart, and none is due twice or lost by one.
type Timetable struct {
	cron   *cron.SpecSchedule
	every  time.Duration
	anchor time.Time
	at     time.Time
	zone   *time.Location
}

// Epoch is what intervals count from, in a schedule's own zone: midnight of a Monday, so
// that "1d" is midnight in winter and "7d" Monday.
func Epoch(zone *time.Location) time.Time { return time.Date(2001, 1, 1, 0, 0, 0, 0, zone) }

// searchYears is how far a cron schedule is searched: two leap days may be eight years
// apart, and two that are on the same weekday 40.
const searchYears = 41

// Compile reads a schedule. local is the zone of those that name none, nil for UTC. The error is a
// sentence for the user who wrote it.
func Compile(s Schedule, local *time.Location) (Timetable, error) {
	t, problems := compile(s, local)
	if len(problems) > 0 {
		return Timetable{}, fmt.Errorf("%s: %s", problems[0].Field, problems[0].Message)
	}
	return t, nil
}

// Zone is where the schedule's times of day are.
func (t Timetable) Zone() *time.Location { return t.zone }

// Next is the first due time after a moment, the zero time for never.
func (t Timetable) Next(after time.Time) time.Time {
	switch {
	case t.cron != nil:
		return t.nextCron(after)
	case t.every > 0:
		return t.nth(t.steps(after) + 1)
	case !t.at.IsZero() && t.at.After(after):
		return t.at
	}
	return time.Time{}
}

// steps is how many whole intervals a moment is after the anchor, rounded down.
func (t Timetable) steps(at time.Time) int64 {
	since := at.Sub(t.anchor)
	n := int64(since / t.every)
	if since%t.every < 0 {
		n--
	}
	return n
}

// nth is the end of an interval.
func (t Timetable) nth(n int64) time.Time {
	return t.anchor.Add(time.Duration(n) * t.every).In(t.zone)
}

// nextCron searches in the time of the wall clock, as if it were UTC, where the days all
// have 24 hours, and only then asks when that is. Since a later time of the wall clock is
// never due earlier, the search may begin with what the clock shows at the moment.
func (t Timetable) nextCron(after time.Time) time.Time {
	for wall := shown(after.In(t.zone)); ; {
		// Due times are whole minutes; from here the library need not count the seconds.
		wall = wall.Truncate(time.Minute).Add(59 * time.Second)
		if wall = t.cron.Next(wall); wall.IsZero() {
			return time.Time{}
		}
		if due := moment(wall, t.zone); due.After(after) {
			return due
		}
	}
}

// tail gives the newest due times at or after from and before to, oldest first, at most
// keep of them, and how many there are.
func (t Timetable) tail(from, to time.Time, keep int) ([]time.Time, int) {
	if t.every > 0 {
		first, last := t.steps(from.Add(-1))+1, t.steps(to.Add(-1))
		if last < first {
			return nil, 0
		}
		var times []time.Time
		for n := max(first, last-int64(keep)+1); n <= last; n++ {
			times = append(times, t.nth(n))
		}
		return times, int(last - first + 1)
	}
	var times []time.Time
	count := 0
	for at := t.Next(from.Add(-1)); !at.IsZero() && at.Before(to); at = t.Next(at) {
		count++
		times = append(times, at)
		if len(times) >= 2*keep+1 {
			times = append(times[:0], times[len(times)-keep:]...)
		}
	}
	return times[max(0, len(times)-keep):], count
}

// shown is what the wall clock shows at a moment, as if it were UTC.
func shown(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.UTC)
}

// moment is the first moment at which the clock of a zone shows a time or a later one.
func moment(wall time.Time, zone *time.Location) time.Time {
	at := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), zone)
	start, end := at.ZoneBounds()
	switch is := shown(at); {
	case is.After(wall): // leapt over, and at is after the leap
		return start.In(zone)
	case is.Before(wall): // leapt over, and at is before the leap
		return end.In(zone)
	case start.IsZero():
		return at
	}
	_, offset := start.Add(-1).Zone()
	if earlier := wall.Add(-time.Duration(offset) * time.Second); earlier.Before(start) {
		return earlier.In(zone)
	}
	return at
}

// compile is Compile with a problem per field.
func compile(s Schedule, local *time.Location) (Timetable, []Problem) {
	var problems []Problem
	say := func(field, format string, args ...any) {
		problems = append(problems, Problem{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	t := Timetable{zone: local}
	if local == nil {
		t.zone = time.UTC
	}
	if s.Zone != "" {
		zone, err := loadZone(s.Zone)
		if err != nil {
			say("schedule.zone", "There is no time zone %q. Names are like Europe/Berlin.", s.Zone)
			return t, problems
		}
		t.zone = zone
	}
	given := 0
	for _, v := range []string{s.Cron, s.Every, s.RunAt} {
		if v != "" {
			given++
		}
	}
	switch {
	case given == 0:
		say("schedule", "When is it due? Write one of cron, every and runAt.")
	case given > 1:
		say("schedule", "Write only one of cron, every and runAt.")
	case s.Cron != "":
		c, message := parseCron(s.Cron)
		if message != "" {
			say("schedule.cron", "%s", message)
			break
		}
		t.cron = c
	case s.Every != "":
		d, message := parseDuration(s.Every, time.Second, maxEvery)
		if message != "" {
			say("schedule.every", "%s", message)
			break
		}
		t.every, t.anchor = d, Epoch(t.zone)
	default:
		at, message := parseMoment(s.RunAt, t.zone)
		if message != "" {
			say("schedule.runAt", "%s", message)
			break
		}
		t.at = at
	}
	if len(problems) > 0 {
		return Timetable{}, problems
	}
	return t, nil
}

// loadZone is time.LoadLocation without the names that mean the machine's.
func loadZone(name string) (*time.Location, error) {
	if name == "Local" || len(name) > 64 || strings.TrimSpace(name) != name {
		return nil, fmt.Errorf("no zone %q", name)
	}
	return time.LoadLocation(name)
}

// parseMoment reads one moment.
func parseMoment(text string, zone *time.Location) (time.Time, string) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.In(zone), checkYear(at)
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if wall, err := time.Parse(layout, text); err == nil {
			return moment(wall, zone), checkYear(wall)
		}
	}
	return time.Time{}, fmt.Sprintf("%q is not a moment. Write it like 2026-11-21 09:00 or 2026-11-21T09:00:00+01:00.", text)
}

func checkYear(at time.Time) string {
	if at.Year() < 1970 || at.Year() > 9999 {
		return fmt.Sprintf("The year %d is not between 1970 and 9999.", at.Year())
	}
	return ""
}
