package plan

import (
	"slices"
	"time"
)

// Action is what to do about a due time.
type Action string

const (
	// Run it. Decision.Missed is set if this makes up for a missed one.
	Run Action = "run"
	// Skip it: Code is "quiet" or "paused".
	Skip Action = "skip"
	// TooLate: the policy would run it, but the start deadline has passed.
	TooLate Action = "late"
	// Missed: Parley wasn't running, and the policy doesn't make it up.
	Missed Action = "missed"
)

// Decision is what to do about one due time, or several old ones.
type Decision struct {
	Action Action
	// Code and Reason are for the record: "quiet", "paused", "deadline" or "", and a
	// sentence.
	Code   string
	Reason string
	// Due is the due time. If Count is more than 1, it is the newest of that many with
	// the same outcome, and First the oldest; otherwise First is Due.
	Due   time.Time
	First time.Time
	Count int
	// Missed is true for a run that makes up for a missed due time.
	Missed bool
	// Late is how long ago Due was.
	Late time.Duration
}

// DueTimes accounts for all due times up to a moment.
type DueTimes struct {
	// Decisions are ordered by Due.
	Decisions []Decision
	// Accounted must be stored, and passed to the next reckoning.
	Accounted time.Time
	// Rewound is true if the accounted time was so far in the future that the clock must
	// have been wrong: accounting restarts now.
	Rewound bool
	// Cut is true if there was more than Horizon to account for: older due times were
	// omitted.
	Cut bool
}

// Pause is a time in which nothing ran, From inclusive, To exclusive. A zero To
// is open.
type Pause struct{ From, To time.Time }

const (
	// Grace is how late a due time may be noticed and count as on time: a busy or
	// waking program wasn't absent.
	Grace = time.Minute
	// MaxMadeUp is how many missed due times the policy "all" makes up.
	MaxMadeUp = 24
	// MaxSingle is how many of the newest due times of one outcome get their own
	// decision. Older ones share one with a count.
	MaxSingle = 24
	// MaxAhead is how far the clock may have gone back for the accounted time to stay
	// valid. Until the clock is there again nothing is due, so that nothing runs
	// twice.
	MaxAhead = 24 * time.Hour
	// Horizon is how far back due times are accounted for.
	Horizon = 400 * 24 * time.Hour
)

// Due accounts for all due times after accounted and up to now: each is in exactly one
// decision. accounted is the last reckoning's; for a heartbeat that was just created,
// changed or enabled it is that moment. pauses are those that overlap the time between.
// At most 24 + 4·25 decisions are made, however long it was.
//
// The newest due time is on time within Grace, and runs. Other due ones, outside of
// pauses and quiet hours, were missed: with the policy "once" the newest runs for all,
// with "all" the newest MaxMadeUp run, with "skip" none. Nothing is made up within
// quiet hours: it is skipped instead.
func (j Job) Due(now, accounted time.Time, pauses ...Pause) DueTimes {
	r := DueTimes{Accounted: accounted}
	switch {
	case accounted.IsZero():
		r.Accounted = now
		return r
	case accounted.Sub(now) > MaxAhead:
		r.Accounted, r.Rewound = now, true
		return r
	case !now.After(accounted):
		return r
	case now.Sub(accounted) > Horizon:
		accounted, r.Cut = now.Add(-Horizon), true
		r.Accounted = accounted
	}

	var open tally
	tallies := map[string]*tally{"quiet": {}, "paused": {}, "": &open}
	for _, s := range j.spans(accounted, now, pauses) {
		times, count := j.Table.tail(s.from, s.to, maxKept)
		tallies[s.code].add(j.Table, s.from, times, count)
	}
	runs := j.chosen(&open, now)
	r.Decisions = append(r.Decisions, runs...)
	ran := slices.ContainsFunc(runs, func(d Decision) bool { return d.Action == Run })
	r.Decisions = append(r.Decisions, open.decisions(Decision{Action: Missed, Reason: j.whyMissed(ran)})...)
	r.Decisions = append(r.Decisions, tallies["quiet"].decisions(Decision{Action: Skip, Code: "quiet", Reason: "It was due during quiet hours."})...)
	r.Decisions = append(r.Decisions, tallies["paused"].decisions(Decision{Action: Skip, Code: "paused", Reason: "Heartbeats were paused."})...)
	slices.SortStableFunc(r.Decisions, func(a, b Decision) int { return a.Due.Compare(b.Due) })
	for i := range r.Decisions {
		d := &r.Decisions[i]
		d.Late = now.Sub(d.Due)
		r.Accounted = d.Due
	}
	return r
}

// chosen removes from the open due times those that the policy runs (or would, if not
// too late).
func (j Job) chosen(open *tally, now time.Time) []Decision {
	if len(open.times) == 0 {
		return nil
	}
	n, newest := 1, open.times[len(open.times)-1]
	switch {
	case j.Spec.Missed == "all":
		n = min(MaxMadeUp, len(open.times))
	case j.Spec.Missed == "skip" && now.Sub(newest) > Grace:
		return nil
	}
	var out []Decision
	asleep := !j.quiet.end(now).IsZero()
	for _, due := range open.take(n) {
		d := Decision{Action: Run, Due: due, First: due, Count: 1, Missed: now.Sub(due) > Grace || !due.Equal(newest)}
		if j.StartDeadline > 0 && now.Sub(due) > j.StartDeadline {
			d.Action, d.Code, d.Missed = TooLate, "deadline", false
			d.Reason = "The start deadline had passed."
		} else if d.Missed && asleep {
			d.Action, d.Code, d.Missed = Skip, "quiet", false
			d.Reason = "It was missed, and quiet hours had started when it could have run."
		}
		out = append(out, d)
	}
	return out
}

// whyMissed returns why due times aren't made up.
func (j Job) whyMissed(ran bool) string {
	switch {
	case j.Spec.Missed == "skip":
		return "Parley couldn't run it, and missed runs are skipped."
	case j.Spec.Missed == "all":
		return "Parley couldn't run it, and only the latest 24 missed runs are caught up on."
	case ran:
		return "Parley couldn't run it. One later run replaces all missed runs."
	}
	return "Parley couldn't run it."
}

// maxKept is how many due times must be known individually: those that run, those
// with their own decision, and the newest of the others.
const maxKept = MaxMadeUp + MaxSingle + 1

// tally collects due times of one outcome: the newest ones, and their number.
type tally struct {
	times []time.Time
	count int
	first time.Time
}

func (t *tally) add(table Timetable, from time.Time, times []time.Time, count int) {
	if count == 0 {
		return
	}
	if t.count == 0 {
		t.first = table.Next(from.Add(-1))
	}
	t.count += count
	t.times = append(t.times, times...)
	if len(t.times) > maxKept {
		t.times = slices.Clone(t.times[len(t.times)-maxKept:])
	}
}

// take removes the newest n.
func (t *tally) take(n int) []time.Time {
	cut := len(t.times) - n
	taken := t.times[cut:]
	t.times = t.times[:cut]
	t.count -= n
	return taken
}

// decisions gives the newest due times a decision each, and the older ones one.
func (t *tally) decisions(like Decision) []Decision {
	if t.count == 0 {
		return nil
	}
	single := t.times[max(0, len(t.times)-MaxSingle):]
	var out []Decision
	if older := t.count - len(single); older > 0 {
		like.Due, like.First, like.Count = t.times[len(t.times)-len(single)-1], t.first, older
		out = append(out, like)
	}
	for _, due := range single {
		like.Due, like.First, like.Count = due, due, 1
		out = append(out, like)
	}
	return out
}

// span is a time in which all due times have the same outcome, from inclusive,
// to exclusive.
type span struct {
	from, to time.Time
	// code is "paused", "quiet" or "".
	code string
}

// spans splits the time after from and up to to at the starts and ends of pauses and
// quiet hours.
func (j Job) spans(after, upTo time.Time, pauses []Pause) []span {
	from, to := after.Add(1), upTo.Add(1)
	cuts := []time.Time{from, to}
	cut := func(at time.Time) {
		if at.After(from) && at.Before(to) {
			cuts = append(cuts, at)
		}
	}
	for _, p := range pauses {
		cut(p.From)
		cut(p.To)
	}
	j.quiet.cuts(from, to, cut)
	slices.SortFunc(cuts, time.Time.Compare)
	cuts = slices.CompactFunc(cuts, time.Time.Equal)
	var out []span
	for i := range len(cuts) - 1 {
		s := span{from: cuts[i], to: cuts[i+1]}
		switch {
		case slices.ContainsFunc(pauses, func(p Pause) bool {
			return !s.from.Before(p.From) && (p.To.IsZero() || s.from.Before(p.To))
		}):
			s.code = "paused"
		case !j.quiet.end(s.from).IsZero():
			s.code = "quiet"
		}
		out = append(out, s)
	}
	return out
}
