package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// anyBits is a star.
const anyBits = ^uint64(0)

// cronSet is a cron expression and its meaning.
type cronSet struct {
	text                             string
	minutes, hours, days, months, wd uint64 // bits; anyBits is a star
	either                           bool   // neither day field starts with a star
}

func (c cronSet) has(wall int64) bool {
	in := func(set uint64, v int) bool { return set>>v&1 == 1 }
	if !in(c.minutes, int(wall%60)) || !in(c.hours, int(wall/60%24)) {
		return false
	}
	at := time.Unix(wall*60, 0).UTC()
	day := in(c.days, at.Day()) && in(c.wd, int(at.Weekday()))
	if c.either {
		day = in(c.days, at.Day()) || in(c.wd, int(at.Weekday()))
	}
	return in(c.months, int(at.Month())) && day
}

// randomField returns the text of a field and its meaning.
func randomField(r *rand.Rand, low, high int, names []string) (string, uint64) {
	set := uint64(0)
	word := func(n int) string {
		if names != nil && r.IntN(2) == 0 {
			return names[n-low]
		}
		return fmt.Sprint(n)
	}
	switch r.IntN(5) {
	case 0:
		return "*", anyBits
	case 1: // a list
		var parts []string
		for range 1 + r.IntN(3) {
			n := low + r.IntN(high-low+1)
			set |= 1 << n
			parts = append(parts, word(n))
		}
		return strings.Join(parts, ","), set
	case 2: // a range
		a := low + r.IntN(high-low)
		b := a + 1 + r.IntN(high-a)
		for n := a; n <= b; n++ {
			set |= 1 << n
		}
		return word(a) + "-" + word(b), set
	case 3: // steps
		step := 2 + r.IntN((high-low)/2+1)
		for n := low; n <= high; n += step {
			set |= 1 << n
		}
		return fmt.Sprintf("*/%d", step), set
	}
	n := low + r.IntN(high-low+1)
	set |= 1 << n
	return word(n), set
}

func randomCron(r *rand.Rand) cronSet {
	c := cronSet{days: anyBits, months: anyBits, wd: anyBits}
	text := make([]string, 5)
	text[0], c.minutes = randomField(r, 0, 59, nil)
	text[1], c.hours = randomField(r, 0, 23, nil)
	if r.IntN(2) == 0 { // where the clocks change
		text[1], c.hours = fmt.Sprintf("%d,2", 1+2*r.IntN(2)), uint64(1<<2)
		c.hours |= 1 << (text[1][0] - '0')
	}
	text[2], text[3], text[4] = "*", "*", "*"
	if r.IntN(3) == 0 {
		text[2], c.days = randomField(r, 1, 28, nil)
	}
	if r.IntN(3) == 0 {
		text[3], c.months = randomField(r, 1, 12, []string{"jan", "FEB", "mar", "Apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"})
	}
	if r.IntN(3) == 0 {
		text[4], c.wd = randomField(r, 0, 6, []string{"SUN", "mon", "tue", "wed", "thu", "fri", "sat"})
	}
	// The steps of days and weekdays start where the library's do; a full range
	// means a star there.
	if strings.HasPrefix(text[2], "*/") {
		c.days = 0
		step := 0
		_, _ = fmt.Sscanf(text[2], "*/%d", &step)
		for n := 1; n <= 31; n += step {
			c.days |= 1 << n
		}
	}
	c.either = text[2][0] != '*' && text[4][0] != '*'
	c.text = strings.Join(text, " ")
	return c
}

// lived is a job of the year: its spec, and all its due times according to the
// walk.
type lived struct {
	spec  Spec
	zone  *time.Location
	times []int64 // Unix seconds
	// state of each is "quiet" or "".
	state []string
	steps []minute
}

func randomJob(r *rand.Rand, i int, walks map[string][]minute) lived {
	zones := yearZones()
	name := zones[i%len(zones)]
	loc, _ := time.LoadLocation(name)
	from, to := yearBounds()
	l := lived{zone: loc, spec: Spec{
		Name: fmt.Sprint("job-", i), Prompt: "x", Folder: "/", Enabled: true,
		Schedule: Schedule{Zone: name},
		Missed:   []string{"", "once", "skip", "all"}[r.IntN(4)],
	}}
	steps := walks[name]
	if r.IntN(4) == 0 {
		l.spec.StartDeadline = []string{"30s", "10m", "3h"}[r.IntN(3)]
	}
	switch kind := i % 8; {
	case kind < 4:
		c := randomCron(r)
		if i == 0 {
			c = cronSet{"* * * * *", anyBits, anyBits, anyBits, anyBits, anyBits, false}
		}
		l.spec.Schedule.Cron = c.text
		for _, m := range steps {
			for wall := m.wallFrom; wall <= m.wallTo; wall++ {
				if c.has(wall) {
					l.times = append(l.times, m.at)
					break
				}
			}
		}
		// The first minute of the year may have been shown before: only what is due
		// after the start counts.
		l.times = slices.DeleteFunc(l.times, func(at int64) bool { return at <= from.Unix() })
	case kind < 7:
		seconds := []int64{420, 900, 1800, 3600, 5400, 86400, 100000, 7 * 86400}[r.IntN(8)]
		l.spec.Schedule.Every = fmt.Sprintf("%ds", seconds)
		epoch := time.Date(2001, 1, 1, 0, 0, 0, 0, loc).Unix()
		for at := from.Unix() + 1; at < to.Unix(); at++ {
			if (at-epoch)%seconds == 0 {
				l.times = append(l.times, at)
				at += seconds - 1
			}
		}
	default:
		m := steps[1+r.IntN(len(steps)-2)]
		if r.IntN(3) == 0 { // in or near a clock change
			for k := 1; k < len(steps); k++ {
				if steps[k].wallTo > steps[k].wallFrom && r.IntN(2) == 0 {
					m = steps[k]
				}
			}
		}
		wall := m.wallFrom
		l.spec.Schedule.RunAt = time.Unix(wall*60, 0).UTC().Format("2006-01-02 15:04")
		for _, s := range steps[1:] {
			if s.wallTo >= wall {
				l.times = []int64{s.at}
				break
			}
		}
	}
	if r.IntN(3) == 0 {
		q := &Quiet{From: fmt.Sprintf("%02d:%02d", r.IntN(24), r.IntN(60)), To: fmt.Sprintf("%02d:%02d", r.IntN(4), 30)}
		if q.From == q.To {
			q.To = "05:00"
		}
		if r.IntN(2) == 0 {
			q.Days = []string{"sat", "sun", "wed"}[:1+r.IntN(3)]
		}
		l.spec.Quiet = q
	}
	l.mark(steps)
	return l
}

// mark records which due times are in quiet hours.
func (l *lived) mark(steps []minute) {
	l.steps = steps
	l.state = make([]string, len(l.times))
	for i, at := range l.times {
		if l.asleep(time.Unix(at, 0)) {
			l.state[i] = "quiet"
		}
	}
}

// asleep reports whether a moment is in quiet hours, by the latest time the clock has
// shown.
func (l *lived) asleep(at time.Time) bool {
	q := l.spec.Quiet
	if q == nil {
		return false
	}
	clock := func(s string) int64 {
		var h, m int64
		_, _ = fmt.Sscanf(s, "%d:%d", &h, &m)
		return h*60 + m
	}
	from, to := clock(q.From), clock(q.To)
	if to < from {
		to += 24 * 60
	}
	wall := l.steps[(at.Unix()-l.steps[0].at)/60].wallTo
	for _, day := range []int64{wall / 1440, wall/1440 - 1} {
		name := strings.ToLower(time.Unix(day*86400, 0).UTC().Weekday().String()[:3])
		if (len(q.Days) == 0 || slices.Contains(q.Days, name)) && wall >= day*1440+from && wall < day*1440+to {
			return true
		}
	}
	return false
}
