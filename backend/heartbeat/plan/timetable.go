package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// Timetable is a schedule prepared to compute due times. It may be used by many
// goroutines. The zero value is never due.
//
// # Changes of the clock
//
// A cron schedule names wall clock times, each of which is due once: at the first moment
// at which the clock shows that time or a later one. So
//
//   - a time that the clock skips (02:30 when summer time starts) is due at the first
//     moment after the skip, and several such times are due there once, together;
//   - a time that the clock shows twice (02:30 when summer time ends) is due when it is
//     first shown, and not again. A schedule of every few minutes therefore pauses for
//     the hour that is repeated; for elapsed time, use an interval.
//
// An interval counts elapsed time, whatever the clock does: it is due at multiples of it
// after [Epoch] in the schedule's zone. It doesn't count from the last run, the start of
// the program or a change of the file, so that a restart neither repeats nor loses a due
// time.
type Timetable struct {
	cron   *cron.SpecSchedule
	every  time.Duration
	anchor time.Time
	at     time.Time
	zone   *time.Location
}

// Epoch is the start of intervals, in a schedule's own zone: midnight of a Monday, so
// that "1d" is midnight in winter and "7d" Monday.
func Epoch(zone *time.Location) time.Time { return time.Date(2001, 1, 1, 0, 0, 0, 0, zone) }

// searchYears is how far a cron schedule is searched: two leap days may be eight years
// apart, and two on the same weekday 40.
const searchYears = 41

// Compile parses a schedule. local is the zone of those without one, nil for UTC. The error
// is a sentence for the user who wrote it.
func Compile(s Schedule, local *time.Location) (Timetable, error) {
	t, problems := compile(s, local)
	if len(problems) > 0 {
		return Timetable{}, fmt.Errorf("%s: %s", problems[0].Field, problems[0].Message)
	}
	return t, nil
}

// Zone returns the schedule's time zone.
func (t Timetable) Zone() *time.Location { return t.zone }

// Next returns the first due time after a moment, the zero time for never.
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

// steps returns how many whole intervals a moment is after the anchor, rounded
// down.
func (t Timetable) steps(at time.Time) int64 {
	since := at.Sub(t.anchor)
	n := int64(since / t.every)
	if since%t.every < 0 {
		n--
	}
	return n
}

// nth returns the end of an interval.
func (t Timetable) nth(n int64) time.Time {
	return t.anchor.Add(time.Duration(n) * t.every).In(t.zone)
}

// nextCron searches in wall clock time, as if it were UTC, where all days have 24 hours,
// and only then determines the moment. Because a later wall clock time is never due
// earlier, the search may start with the current local time.
func (t Timetable) nextCron(after time.Time) time.Time {
	for wall := shown(after.In(t.zone)); ; {
		// Due times are whole minutes, so the library needn't count the seconds.
		wall = wall.Truncate(time.Minute).Add(59 * time.Second)
		if wall = t.cron.Next(wall); wall.IsZero() {
			return time.Time{}
		}
		if due := moment(wall, t.zone); due.After(after) {
			return due
		}
	}
}

// tail returns the newest due times at or after from and before to, oldest first, at
// most keep of them, and their total number.
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

// shown returns what the wall clock shows at a moment, as if it were UTC.
func shown(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.UTC)
}

// moment returns the first moment at which a zone's clock shows a time or a later one.
func moment(wall time.Time, zone *time.Location) time.Time {
	at := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), zone)
	start, end := at.ZoneBounds()
	switch is := shown(at); {
	case is.After(wall): // skipped, and at is after the skip
		return start.In(zone)
	case is.Before(wall): // skipped, and at is before the skip
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
			say("schedule.zone", "There is no time zone %q. Use a name such as Europe/Berlin.", s.Zone)
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
		say("schedule", "Add a schedule: cron, every or runAt.")
	case given > 1:
		say("schedule", "Use only one of cron, every and runAt.")
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

// loadZone is time.LoadLocation without the names that mean the computer's
// zone.
func loadZone(name string) (*time.Location, error) {
	if name == "Local" || len(name) > 64 || strings.TrimSpace(name) != name {
		return nil, fmt.Errorf("no zone %q", name)
	}
	return time.LoadLocation(name)
}

// parseMoment parses one moment.
func parseMoment(text string, zone *time.Location) (time.Time, string) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.In(zone), checkYear(at)
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if wall, err := time.Parse(layout, text); err == nil {
			return moment(wall, zone), checkYear(wall)
		}
	}
	return time.Time{}, fmt.Sprintf("%q is not a date and time. Write it like 2026-11-21 09:00 or 2026-11-21T09:00:00+01:00.", text)
}

func checkYear(at time.Time) string {
	if at.Year() < 1970 || at.Year() > 9999 {
		return fmt.Sprintf("The year %d is not between 1970 and 9999.", at.Year())
	}
	return ""
}
