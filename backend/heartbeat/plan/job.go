package plan

import "time"

// Job is a heartbeat prepared to run: its schedule and durations are parsed.
type Job struct {
	Spec  Spec
	Table Timetable
	// Timeout ends a run. StartDeadline and IdlePause are 0 for never.
	Timeout       time.Duration
	StartDeadline time.Duration
	IdlePause     time.Duration

	quiet *quiet
}

// Prepare validates and prepares a heartbeat. local is the zone of a schedule without
// one. With problems (their Line is 0) the job is unusable.
func Prepare(spec Spec, local *time.Location) (Job, []Problem) {
	j := Job{Spec: spec, Timeout: DefaultTimeout}
	problems := checkValues(spec)
	table, wrong := compile(spec.Schedule, local)
	for _, p := range wrong {
		p.Name = spec.Name
		problems = append(problems, p)
	}
	if len(problems) > 0 {
		return j, problems
	}
	j.Table = table
	for _, d := range []struct {
		text string
		to   *time.Duration
	}{{spec.Timeout, &j.Timeout}, {spec.StartDeadline, &j.StartDeadline}, {spec.IdlePause, &j.IdlePause}} {
		if d.text != "" {
			*d.to, _ = parseDuration(d.text, 0, maxDuration)
		}
	}
	j.quiet = readQuiet(spec.Quiet, table.zone)
	return j, nil
}

// Next returns the first due time after a moment, quiet or not; the zero time for
// never.
func (j Job) Next(after time.Time) time.Time { return j.Table.Next(after) }

// Quiet reports whether a moment is within the quiet hours.
func (j Job) Quiet(at time.Time) bool { return !j.quiet.end(at).IsZero() }

// Wake returns when there is something to do after a moment: the first due time outside
// of the quiet hours. Due times within them need no wakeup; they are accounted for with
// the next. If all due times are quiet, it is the next of them.
func (j Job) Wake(after time.Time) time.Time {
	next := j.Table.Next(after)
	at := next
	for range maxQuietLeaps {
		if at.IsZero() {
			return next
		}
		end := j.quiet.end(at)
		if end.IsZero() {
			return at
		}
		at = j.Table.Next(end.Add(-1))
	}
	return next
}

// maxQuietLeaps bounds the search for a due time that isn't quiet: two years of nights.
const maxQuietLeaps = 800

// Upcoming returns the next due times after a moment, without those in quiet hours, at
// most n of them (and at most 1,000).
func (j Job) Upcoming(after time.Time, n int) []time.Time {
	var times []time.Time
	for range min(n, 1000) {
		after = j.Wake(after)
		if after.IsZero() || !j.quiet.end(after).IsZero() {
			break
		}
		times = append(times, after)
	}
	return times
}

// Count returns the number of due times after from and up to to, without those in quiet
// hours, at most limit.
func (j Job) Count(from, to time.Time, limit int) int {
	count := 0
	for _, s := range j.spans(from, to, nil) {
		if s.code == "" {
			_, n := j.Table.tail(s.from, s.to, 0)
			count += n
		}
		if count >= limit {
			return limit
		}
	}
	return count
}
