package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/backend/choice"
)

// NewPermissions describes, in sentences, what an edit of a heartbeat newly allows; none if it
// only restricts. Such an edit needs permission. It isn't called for a new heartbeat,
// which always widens.
func NewPermissions(old, now Spec) []string {
	var out []string
	say := func(yes bool, format string, args ...any) {
		if yes {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	say(now.Enabled && !old.Enabled, "It is turned on again.")
	say(now.Prompt != old.Prompt, "It sends another prompt.")
	out = append(out, oftener(old, now)...)
	say(now.Folder != old.Folder, "It runs in %s instead of %s.", orNone(now.Folder), orNone(old.Folder))
	say(now.Destination.Session != "" && now.Destination.Session != old.Destination.Session, "Its runs go to the session %s.", now.Destination.Session)
	say(now.Destination.Channel != "" && now.Destination.Channel != old.Destination.Channel, "Its runs go to the channel %s.", now.Destination.Channel)
	// A value left to the settings may be the laxest. A guard allows things: none is the
	// strictest.
	say(laxer(old.PermissionMode, now.PermissionMode, 2, choice.Modes()...),
		"Its permission mode is %s instead of %s.", orSettings(now.PermissionMode), orSettings(old.PermissionMode))
	say(laxer(old.Guard, now.Guard, 0, choice.Guards()...), "Its auto-approve is %s instead of %s.", orSettings(now.Guard), orSettings(old.Guard))
	say(now.Session == "persistent" && old.Session != "persistent", "All its runs continue one session, which keeps growing.")
	say(now.Model != old.Model, "It uses the model %s instead of %s.", orSettings(now.Model), orSettings(old.Model))
	say(laxer(old.Effort, now.Effort, 0, choice.Efforts()...), "Its effort is %s instead of %s.", orSettings(now.Effort), orSettings(old.Effort))
	say(length(now.Timeout, DefaultTimeout) > length(old.Timeout, DefaultTimeout), "A run may take %s instead of %s.",
		spanWordsOf(now.Timeout), spanWordsOf(old.Timeout))
	say(longer(old.StartDeadline, now.StartDeadline), "It may start later than before.")
	say(longer(old.IdlePause, now.IdlePause), "It keeps running for longer while its session or folder is unused.")
	say(laxer(or(old.Missed, "once"), or(now.Missed, "once"), 0, "skip", "once", "all"), "It makes up for more missed runs.")
	say(now.Again > old.Again, "It runs again after a usage limit up to %d times instead of %d.", now.Again, old.Again)
	say(or(now.Overlap, "skip") != "skip" && or(old.Overlap, "skip") == "skip", "If it's still running when it's due, it runs again.")
	for _, b := range []struct {
		of       string
		was, now *Limit
	}{{"a run", old.Budgets.Run, now.Budgets.Run}, {"a day", old.Budgets.Day, now.Budgets.Day}, {"a month", old.Budgets.Month, now.Budgets.Month}} {
		out = append(out, b.now.above(b.was, b.of)...)
	}
	return out
}

// above lists the limits that were raised or removed.
func (l *Limit) above(was *Limit, of string) []string {
	var out []string
	at, before := Limit{}, Limit{}
	if l != nil {
		at = *l
	}
	if was != nil {
		before = *was
	}
	say := func(old, now float64, what string) {
		amount := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) + " " + what }
		switch {
		case old > 0 && now <= 0:
			out = append(out, fmt.Sprintf("The budget of %s for %s is gone.", amount(old), of))
		case old > 0 && now > old:
			out = append(out, fmt.Sprintf("The budget for %s is %s instead of %s.", of, amount(now), amount(old)))
		}
	}
	say(float64(before.Tokens), float64(at.Tokens), "tokens")
	say(before.USD, at.USD, "dollars")
	say(float64(before.Turns), float64(at.Turns), "turns")
	return out
}

// sample returns the time in which two schedules are compared: 52 weeks with both clock
// changes.
func sample() (from, to time.Time) {
	from = time.Date(2027, 1, 4, 0, 0, 0, 0, time.UTC)
	return from, from.AddDate(0, 0, 364)
}

// oftener describes whether it is due more often, closer together, or again.
func oftener(old, now Spec) []string {
	var out []string
	if now.Schedule.RunAt != "" {
		if now.Schedule.RunAt != old.Schedule.RunAt || now.Schedule.Zone != old.Schedule.Zone {
			out = append(out, fmt.Sprintf("It runs at another time: %s.", lowerFirst(Describe(now.Schedule))))
		}
		return out
	}
	if old.Schedule.Once && !now.Schedule.Once || old.Schedule.RunAt != "" {
		out = append(out, "It keeps running after its first run.")
	}
	if sameAt("schedule", old, now) && sameAt("quiet", old, now) {
		return out
	}
	a, wrongA := Prepare(old, time.UTC)
	b, wrongB := Prepare(now, time.UTC)
	if len(wrongA)+len(wrongB) > 0 {
		return append(out, "Its schedule is different.")
	}
	from, to := sample()
	const most = 1 << 40
	was, is := a.Count(from, to, most), b.Count(from, to, most)
	switch {
	case is > was:
		out = append(out, fmt.Sprintf("It runs more often: %s instead of %s.", rate(is), rate(was)))
	case 2*b.closest(from) <= a.closest(from):
		out = append(out, fmt.Sprintf("Its runs are closer together: %s.", lowerFirst(Describe(now.Schedule))))
	}
	return out
}

// closest returns the shortest time between two of the next 200 due times.
func (j Job) closest(from time.Time) time.Duration {
	least := maxDuration
	times := j.Upcoming(from, 200)
	for i := 1; i < len(times); i++ {
		least = min(least, times[i].Sub(times[i-1]))
	}
	return least
}

// rate describes the frequency of something that happens count times in 52
// weeks.
func rate(count int) string {
	switch {
	case count >= 3*182:
		return fmt.Sprintf("about %d times a day", (count+182)/364)
	case count >= 364:
		return "about once a day"
	case count >= 52:
		return fmt.Sprintf("about %d times a week", (count+26)/52)
	case count == 1:
		return "once a year"
	}
	return fmt.Sprintf("%d times a year", count)
}

// laxer reports whether a value is further right in a list. "" is at unset for the old
// value, and at the end for the new one.
func laxer(was, now string, unset int, list ...string) bool {
	if was == now {
		return false
	}
	i, j := slices.Index(list, was), slices.Index(list, now)
	if was == "" {
		i = unset
	}
	if now == "" {
		j = len(list) - 1
	}
	return j > i
}

// longer reports whether a time limit was raised or removed.
func longer(was, now string) bool {
	return was != "" && length(now, maxDuration+1) > length(was, 0)
}

func length(s string, unset time.Duration) time.Duration {
	if s == "" {
		return unset
	}
	d, _ := parseDuration(s, 0, maxDuration)
	return d
}

func spanWordsOf(timeout string) string { return spanWords(length(timeout, DefaultTimeout)) }

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

func or(s, unset string) string {
	if s == "" {
		return unset
	}
	return s
}

func orSettings(s string) string { return or(s, "that of the settings") }

func orNone(s string) string { return or(s, "no folder of its own") }
