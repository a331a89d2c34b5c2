package plan

import (
	"slices"
	"strconv"

	"parley/backend/choice"
)

// kind is the form of a field's value.
type kind int

const (
	text     kind = iota // *string
	duration             // *string, such as 15m
	boolean              // *bool
	integer              // *int64
	money                // *float64
	words                // *[]string
	group                // nested fields
)

// field is a field of the file: parsing, validation, writing, the schema and the
// check for added permissions all use the table of them.
type field struct {
	name string
	doc  string
	kind kind
	// at returns the address of the value in a heartbeat, creating its parents.
	at func(*Spec) any
	// of are the fields of a group.
	of []field
	// choices are the only valid values.
	choices []string
	// most is the maximum length of a text in bytes.
	most int
	// check returns what is wrong with a text, "" for nothing.
	check func(string) string
	// pattern is the form of a text, for the schema.
	pattern string
	// required means that the field is mandatory.
	required bool
	// block is true for multi-line text.
	block bool
}

// The maximum lengths of texts, in bytes.
const (
	maxPrompt = 64 << 10
	maxText   = 500
	maxPath   = 4096
	maxID     = 200
)

// MaxAgain is how often one heartbeat may be postponed at usage limits.
const MaxAgain = 20

// clockPattern matches a time of day.
const clockPattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"

// fields is the table, in the order of a new heartbeat.
func fields() []field {
	return []field{
		{name: "description", doc: "What the heartbeat is for.", most: maxText, at: func(s *Spec) any { return &s.Description }},
		{name: "prompt", doc: "The prompt for the model. Can contain " + placeholderList() + ".", most: maxPrompt, required: true, block: true,
			check: checkPrompt, at: func(s *Spec) any { return &s.Prompt }},
		{name: "schedule", doc: "When it runs: exactly one of cron, every, and runAt.", kind: group, required: true, of: []field{
			{name: "cron", doc: "Five fields (minute, hour, day, month, weekday), or @hourly, @daily, @weekly, @monthly, @yearly.", most: maxText,
				check: func(v string) string { _, m := parseCron(v); return m }, at: func(s *Spec) any { return &s.Schedule.Cron }},
			{name: "every", doc: "An interval of at least one second, such as 90s, 15m, 2h or 1d.", kind: duration, at: func(s *Spec) any { return &s.Schedule.Every }},
			{name: "runAt", doc: "One moment: 2026-11-21 09:00 in the zone, or 2026-11-21T09:00:00+01:00.", most: maxText, at: func(s *Spec) any { return &s.Schedule.RunAt }},
			{name: "zone", doc: "A time zone such as Europe/Berlin. Defaults to the computer's.", most: maxText, at: func(s *Spec) any { return &s.Schedule.Zone }},
			{name: "once", doc: "Turns it off after its first run.", kind: boolean, at: func(s *Spec) any { return &s.Schedule.Once }},
		}},
		{name: "folder", doc: "Where it runs; ~ is the home folder.", most: maxPath, pattern: "^(/|~/|~$)", check: checkFolder, at: func(s *Spec) any { return &s.Folder }},
		{name: "model", doc: "The model. Defaults to the settings.", most: maxID, check: checkModel, at: func(s *Spec) any { return &s.Model }},
		{name: "effort", doc: "How hard the model thinks.", choices: choice.Efforts(), at: func(s *Spec) any { return &s.Effort }},
		{name: "permissionMode", doc: "What it may do without asking.", choices: choice.Modes(), at: func(s *Spec) any { return &s.PermissionMode }},
		{name: "guard", doc: "What is allowed without asking: nothing (off), harmless actions (static), or also what a small model finds harmless (reviewed). Defaults to the settings.", choices: choice.Guards(), at: func(s *Spec) any { return &s.Guard }},
		{name: "session", doc: "fresh: each run is a new session (the default). persistent: one session continues.", choices: []string{"fresh", "persistent"}, at: func(s *Spec) any { return &s.Session }},
		{name: "destination", doc: "Where a run goes: an existing session, or a channel.", kind: group, of: []field{
			{name: "session", doc: "The session's ID.", most: maxID, at: func(s *Spec) any { return &s.Destination.Session }},
			{name: "channel", doc: "The channel's ID or name.", most: maxID, at: func(s *Spec) any { return &s.Destination.Channel }},
		}},
		{name: "timeout", doc: "The time limit for a run. Defaults to 10m.", kind: duration, at: func(s *Spec) any { return &s.Timeout }},
		{name: "enabled", doc: "false turns it off.", kind: boolean, at: func(s *Spec) any { return &s.Enabled }},
		{name: "quiet", doc: "When it doesn't run. Runs due in these hours are skipped.", kind: group, of: []field{
			{name: "from", doc: "A time of day, such as 22:00.", required: true, pattern: clockPattern, check: checkClock, at: func(s *Spec) any { return &quietOf(s).From }},
			{name: "to", doc: "A time of day. If it's before from, it's on the next day.", required: true, pattern: clockPattern, check: checkClock, at: func(s *Spec) any { return &quietOf(s).To }},
			{name: "days", doc: "The days on which quiet hours start. Defaults to all.", kind: words, choices: weekdays(), at: func(s *Spec) any { return &quietOf(s).Days }},
		}},
		{name: "missed", doc: "What to do about missed runs: one run for all (the default), none, or all (at most 24).",
			choices: []string{"once", "skip", "all"}, at: func(s *Spec) any { return &s.Missed }},
		{name: "overlap", doc: "What to do if it's still running when it's due: skip (the default), queue (at most one waits), or cancel the current run.",
			choices: []string{"skip", "queue", "cancel"}, at: func(s *Spec) any { return &s.Overlap }},
		{name: "again", doc: "How often a heartbeat with runAt may wait for a usage limit to reset and run again, at most " + strconv.Itoa(MaxAgain) + " times.", kind: integer, at: func(s *Spec) any { return &s.Again }},
		{name: "startDeadline", doc: "How late a run may start. Defaults to any time.", kind: duration, at: func(s *Spec) any { return &s.StartDeadline }},
		{name: "idlePause", doc: "Skips runs if nobody has used the session or folder for this long.", kind: duration, at: func(s *Spec) any { return &s.IdlePause }},
		{name: "budgets", doc: "Budgets for runs.", kind: group, of: []field{
			limit("run", "One run.", func(s *Spec) **Limit { return &s.Budgets.Run }),
			limit("day", "All runs of a day.", func(s *Spec) **Limit { return &s.Budgets.Day }),
			limit("month", "All runs of a month.", func(s *Spec) **Limit { return &s.Budgets.Month }),
		}},
	}
}

// limit is the table of a limit.
func limit(name, doc string, of func(*Spec) **Limit) field {
	at := func(s *Spec) *Limit {
		l := of(s)
		if *l == nil {
			*l = &Limit{}
		}
		return *l
	}
	return field{name: name, doc: doc, kind: group, of: []field{
		{name: "tokens", doc: "Tokens, at least 1.", kind: integer, at: func(s *Spec) any { return &at(s).Tokens }},
		{name: "usd", doc: "Dollars, more than 0.", kind: money, at: func(s *Spec) any { return &at(s).USD }},
		{name: "turns", doc: "Model answers, at least 1.", kind: integer, at: func(s *Spec) any { return &at(s).Turns }},
	}}
}

func quietOf(s *Spec) *Quiet {
	if s.Quiet == nil {
		s.Quiet = &Quiet{}
	}
	return s.Quiet
}

// known reports whether a list contains a word.
func known(list []string, word string) bool { return slices.Contains(list, word) }
