package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/backend/choice"
	"parley/backend/truncate"
)

const (
	// DefaultTimeout ends a run without its own timeout.
	DefaultTimeout = 10 * time.Minute
	maxDuration    = 366 * 24 * time.Hour
	maxEvery       = maxDuration
	// maxUSD is the largest budget.
	maxUSD = 1e6
)

// parseDuration parses a duration such as 90s, 1h30m or 1d. The second result is
// a sentence with the problem, "" for none.
func parseDuration(s string, least, most time.Duration) (time.Duration, string) {
	wrong := fmt.Sprintf("%q is not a duration. Write it like 90s, 15m, 2h or 1d.", clip(s))
	if s == "" || len(s) > 32 {
		return 0, wrong
	}
	if strings.Trim(s, "0123456789") == "" {
		return 0, fmt.Sprintf("%s of what? Write %ss, %sm, %sh or %sd.", s, s, s, s, s)
	}
	var total time.Duration
	for rest := s; rest != ""; {
		n := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		if n <= 0 {
			return 0, wrong
		}
		unit, ok := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}[rest[n]]
		count, err := strconv.ParseInt(rest[:n], 10, 32)
		if !ok {
			return 0, wrong
		}
		if err != nil || time.Duration(count) > maxDuration/unit {
			return 0, fmt.Sprintf("%q is longer than a year.", clip(s))
		}
		if total += time.Duration(count) * unit; total > maxDuration {
			return 0, fmt.Sprintf("%q is longer than a year.", clip(s))
		}
		rest = rest[n+1:]
	}
	switch {
	case total < least || total == 0:
		return 0, fmt.Sprintf("%q is too short; the minimum is %s.", clip(s), max(least, time.Second))
	case total > most:
		return 0, fmt.Sprintf("%q is too long; the maximum is %s.", clip(s), most)
	}
	return total, ""
}

// parseClock parses a time of day, 15:04.
func parseClock(s string) (time.Duration, string) {
	at, err := time.Parse("15:04", s)
	if err != nil || len(s) != 5 {
		return 0, fmt.Sprintf("%q is not a time of day. Write it like 07:30 or 22:00.", clip(s))
	}
	return time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute, ""
}

func checkClock(s string) string { _, m := parseClock(s); return m }

func checkFolder(s string) string {
	if strings.HasPrefix(s, "/") || s == "~" || strings.HasPrefix(s, "~/") {
		return ""
	}
	return fmt.Sprintf("%q is not a full path. Start it with / or ~/.", clip(s))
}

// checkName validates the name of a heartbeat.
func checkName(name string) string {
	n := 0
	for _, r := range name {
		if n++; !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' || r == utf8.RuneError {
			return fmt.Sprintf("The name %q may only have letters, digits, - and _.", clip(name))
		}
	}
	if n == 0 || n > 64 {
		return "A name must have 1 to 64 characters."
	}
	return ""
}

// checkText validates any text.
func checkText(s string, f field) string {
	if !utf8.ValidString(s) {
		return "This is not valid text (UTF-8)."
	}
	if f.most > 0 && len(s) > f.most {
		return fmt.Sprintf("This is longer than %d bytes.", f.most)
	}
	bad := strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsControl(r) && (!f.block || r != '\n' && r != '\t') || r == '\ufeff' || r == '\u2028' || r == '\u2029'
	})
	if bad >= 0 {
		return "This contains invisible characters."
	}
	return ""
}

// clip shortens a value for a sentence.
func clip(s string) string { return truncate.Runes(s, 60) }

// checkValues validates a heartbeat, except its schedule.
func checkValues(spec Spec) []Problem {
	var problems []Problem
	say := func(field, message string) {
		if message != "" && !hasField(problems, field) {
			problems = append(problems, Problem{Name: spec.Name, Field: field, Message: message})
		}
	}
	say("", checkName(spec.Name))
	spec = copyOf(spec)
	hasQuiet := spec.Quiet != nil
	each(fields(), "", func(path string, f field) {
		if strings.HasPrefix(path, "quiet.") && !hasQuiet {
			return
		}
		say(path, checkField(spec, path, f))
	})
	if spec.Folder == "" && spec.Destination.Session == "" {
		say("folder", "Enter the folder in which it runs (folder).")
	}
	if spec.Destination.Session != "" && spec.Destination.Channel != "" {
		say("destination", "Use only one of session and channel.")
	}
	switch {
	case spec.Again > MaxAgain:
		say("again", fmt.Sprintf("This is more than %d.", MaxAgain))
	case spec.Again > 0 && spec.Schedule.RunAt == "":
		say("again", "Only a heartbeat with runAt can use again; others are due again automatically. Remove the field again.")
	}
	if hasQuiet && spec.Quiet.From != "" && spec.Quiet.From == spec.Quiet.To {
		say("quiet.to", "The quiet hours start and end at the same time.")
	}
	return problems
}

func hasField(problems []Problem, field string) bool {
	for _, p := range problems {
		if p.Field == field {
			return true
		}
	}
	return false
}

// checkField validates a field's value. The spec is a copy, because missing parents
// are created in it.
func checkField(spec Spec, path string, f field) string {
	missing := fmt.Sprintf("%s is missing.", path)
	switch v := f.at(&spec).(type) {
	case *string:
		switch {
		case strings.TrimSpace(*v) == "" && f.required:
			return missing
		case *v == "":
			return ""
		case f.choices != nil && !known(f.choices, *v):
			return unknownChoice(*v, f.choices)
		}
		if m := checkText(*v, f); m != "" {
			return m
		}
		if f.kind == duration && path != "schedule.every" {
			_, m := parseDuration(*v, 0, maxDuration)
			return m
		}
		if f.check != nil && !strings.HasPrefix(path, "schedule.") {
			return f.check(*v)
		}
	case *int64:
		if *v < 0 {
			return "This is less than 0."
		}
	case *float64:
		if !(*v >= 0 && *v <= maxUSD) {
			return "This is not an amount between 0 and 1,000,000."
		}
	case *[]string:
		for i, day := range *v {
			if !known(f.choices, day) {
				return unknownChoice(day, f.choices)
			}
			if known((*v)[:i], day) {
				return fmt.Sprintf("%q is listed twice.", day)
			}
		}
	}
	return ""
}

func unknownChoice(v string, choices []string) string {
	if near := nearest(v, choices); near != "" {
		return fmt.Sprintf("%q is not one of %s. Do you mean %s?", clip(v), strings.Join(choices, ", "), near)
	}
	return fmt.Sprintf("%q is not one of %s.", clip(v), strings.Join(choices, ", "))
}

// each visits the fields that have values, with their paths.
func each(list []field, under string, visit func(path string, f field)) {
	for _, f := range list {
		if f.kind == group {
			each(f.of, under+f.name+".", visit)
			continue
		}
		visit(under+f.name, f)
	}
}

// copyOf deep-copies a heartbeat.
func copyOf(s Spec) Spec {
	if s.Quiet != nil {
		q := *s.Quiet
		q.Days = append([]string(nil), q.Days...)
		s.Quiet = &q
	}
	for _, l := range []**Limit{&s.Budgets.Run, &s.Budgets.Day, &s.Budgets.Month} {
		if *l != nil {
			c := **l
			*l = &c
		}
	}
	return s
}

// nearest returns the likely intended word for a misspelled one, "" for none.
func nearest(word string, list []string) string {
	best, least := "", len([]rune(word))/3+2
	if len(word) > 64 {
		return ""
	}
	for _, w := range list {
		if d := distance(strings.ToLower(word), strings.ToLower(w)); d < least {
			best, least = w, d
		}
	}
	return best
}

// distance returns the edit distance.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		corner := row[0]
		row[0] = i + 1
		for j := range y {
			cost := corner
			if x[i] != y[j] {
				cost = 1 + min(corner, row[j], row[j+1])
			}
			corner, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}

func checkModel(name string) string {
	if choice.ProblemOfModel(name) != "" {
		return "This must be a model's name of at most 200 letters, digits and . _ : / @ + [ ] -, or empty."
	}
	return ""
}
