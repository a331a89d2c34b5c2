package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// The simulated year: jobs of every kind go through a year of random wakeups, sleeps,
// restarts and clock jumps, and every due time must be in exactly one decision. The
// expected due times are found independently: by walking through the year minute by
// minute and checking the clock.

const (
	yearSeed = 20270101
	yearJobs = 200
)

func yearBounds() (from, to time.Time) {
	from = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	return from, from.AddDate(1, 0, 0)
}

func yearZones() []string {
	return []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"}
}

// minute is a minute of the year: its time, and which wall clock minutes are shown or
// skipped for the first time (as Unix minutes of a clock taken for UTC).
type minute struct {
	at       int64 // Unix seconds
	wallFrom int64 // the first new one; none are new if it is after wallTo
	wallTo   int64 // the latest that the clock has shown
}

// walk goes through the year in a zone. The latest time that the clock has shown never
// goes back.
func walk(zone *time.Location) []minute {
	from, to := yearBounds()
	var out []minute
	most := int64(-1)
	for at := from.Unix(); at < to.Unix(); at += 60 {
		_, offset := time.Unix(at, 0).In(zone).Zone()
		wall := (at + int64(offset)) / 60
		m := minute{at: at, wallFrom: wall, wallTo: wall}
		if most >= 0 {
			m.wallFrom, m.wallTo = most+1, max(most, wall)
		}
		most = m.wallTo
		out = append(out, m)
	}
	return out
}

func TestSimulatedYear(t *testing.T) {
	walks := map[string][]minute{}
	for _, name := range yearZones() {
		walks[name] = walk(zone(t, name))
	}
	due, wakes := make([]int, yearJobs), make([]int, yearJobs)
	t.Run("jobs", func(t *testing.T) {
		for i := range yearJobs {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(yearSeed, uint64(i)))
				l := randomJob(r, i, walks)
				due[i], wakes[i] = len(l.times), live(t, r, l)
			})
		}
	})
	all, woken := 0, 0
	for i := range due {
		all, woken = all+due[i], woken+wakes[i]
	}
	t.Logf("%d jobs, %d due times, %d reckonings", yearJobs, all, woken)
}

// live takes a job through the year. It returns the number of reckonings.
func live(t *testing.T, r *rand.Rand, l lived) int {
	job, problems := Prepare(l.spec, time.UTC)
	if len(problems) > 0 {
		t.Fatalf("%+v: %v", l.spec, problems)
	}
	from, to := yearBounds()
	end := to.Add(-time.Minute)
	now, accounted := from, from
	seen := make([]int, len(l.times))
	var pauses []Pause
	reckonings := 0
	reckon := func() {
		reckonings++
		before := accounted
		got := job.Due(now, accounted, pauses...)
		accounted = got.Accounted
		l.check(t, got, before, now, pauses, seen)
		// Pauses before the accounted time are dropped, as their keeper does.
		pauses = slices.DeleteFunc(pauses, func(p Pause) bool { return !p.To.After(accounted) })
	}
	for now.Before(end) && !t.Failed() {
		switch r.IntN(10) {
		case 0, 1, 2, 3: // awake: it wakes on time, and a little late
			next := job.Wake(now)
			if next.IsZero() || next.After(end) {
				next = end
			}
			now = next.Add(time.Duration(r.IntN(1500)) * time.Millisecond)
		case 4: // something else wakes it
			now = now.Add(time.Duration(r.IntN(600)) * time.Second)
		case 5: // asleep for a night
			now = now.Add(8 * time.Hour)
		case 6: // asleep for days
			now = now.Add(time.Duration(r.IntN(4*24*3600)) * time.Second)
		case 7: // the clock goes back, and nothing is due twice
			reckon()
			now = now.Add(-time.Duration(r.IntN(20*3600)) * time.Second)
			if least := accounted.Add(-MaxAhead); now.Before(least) {
				now = least
			}
			reckon()
			now = now.Add(time.Duration(r.IntN(3600)) * time.Second)
		case 8: // paused for a time that starts or ends while it sleeps
			p := Pause{From: now.Add(time.Duration(r.IntN(3600)) * time.Second)}
			p.To = p.From.Add(time.Duration(r.IntN(24*3600)) * time.Second)
			pauses = append(pauses, p)
			now = now.Add(time.Duration(r.IntN(48*3600)) * time.Second)
		case 9: // a new program with the stored state
			again, problems := Prepare(l.spec, l.zone)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			job = again
		}
		if now.After(end) {
			now = end
		}
		reckon()
	}
	now = end
	reckon()
	for i, count := range seen {
		if count != 1 && l.times[i] <= end.Unix() {
			t.Fatalf("%s: %+v: due at %s: accounted for %d times", l.spec.Name, l.spec.Schedule, time.Unix(l.times[i], 0).In(l.zone), count)
		}
	}
	return reckonings
}

// check compares a reckoning with the walk, and counts what it accounts for.
func (l lived) check(t *testing.T, got DueTimes, before, now time.Time, pauses []Pause, seen []int) {
	t.Helper()
	runs := 0
	if len(got.Decisions) > 124 {
		t.Fatalf("%d decisions", len(got.Decisions))
	}
	for _, d := range got.Decisions {
		if !d.First.After(before) || d.Due.After(now) || d.Count < 1 || d.Due.Before(d.First) {
			t.Fatalf("%s: after %s, at %s: %+v", l.spec.Name, before, now, d)
		}
		if d.Action == Run || d.Action == TooLate {
			runs++
			if d.Count != 1 {
				t.Fatalf("a run of several: %+v", d)
			}
			if late := l.spec.StartDeadline; late != "" {
				limit, _ := time.ParseDuration(late)
				if (d.Action == TooLate) != (now.Sub(d.Due) > limit) {
					t.Fatalf("with the deadline %s: %+v", late, d)
				}
			}
		}
		i, exact := slices.BinarySearch(l.times, d.First.Unix())
		count := 0
		// A missed one isn't made up in quiet hours.
		code := d.Code
		if code == "deadline" || code == "quiet" && d.Count == 1 && exact && l.code(i, pauses) == "" && l.asleep(now) {
			code = ""
		}
		for ; exact && i < len(l.times) && l.times[i] <= d.Due.Unix(); i++ {
			if l.code(i, pauses) == code {
				seen[i]++
				count++
			}
		}
		if count != d.Count {
			t.Fatalf("%s %+v: %d due times between %s and %s, not %d: %+v", l.spec.Name, l.spec.Schedule, count, d.First.In(l.zone), d.Due.In(l.zone), d.Count, d)
		}
	}
	most := map[string]int{"": 1, "once": 1, "skip": 1, "all": MaxMadeUp}[l.spec.Missed]
	if runs > most {
		t.Fatalf("%d runs at once by the policy %q", runs, l.spec.Missed)
	}
}

// code returns why the due time is skipped, according to the walk.
func (l lived) code(i int, pauses []Pause) string {
	at := time.Unix(l.times[i], 0)
	for _, p := range pauses {
		if !at.Before(p.From) && at.Before(p.To) {
			return "paused"
		}
	}
	return l.state[i]
}
