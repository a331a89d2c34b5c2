package beattool

import (
	"parley/app/feature"
	"parley/backend/heartbeat/plan"
	"parley/backend/untrusted"
)

// HeartbeatIn are the arguments of manage_heartbeat: flat, and only those given count.
type HeartbeatIn struct {
	Action  string  `json:"action" jsonschema:"list, get, create, update, delete, run, history, pause or resume"`
	Name    string  `json:"name,omitempty" jsonschema:"the heartbeat: 1 to 64 letters, digits, - and _"`
	NewName *string `json:"new_name,omitempty" jsonschema:"with update: its new name"`

	Description *string `json:"description,omitempty"`
	Prompt      *string `json:"prompt,omitempty" jsonschema:"what each run is to do"`

	Cron  *string `json:"cron,omitempty" jsonschema:"five fields (minute, hour, day of month, month, day of week), with names, or @hourly, @daily, @weekly, @monthly, @yearly"`
	Every *string `json:"every,omitempty" jsonschema:"a duration such as 90s, 15m, 2h, 1d"`
	RunAt *string `json:"run_at,omitempty" jsonschema:"one moment: RFC 3339, or 2006-01-02 15:04 in the zone"`
	Zone  *string `json:"zone,omitempty" jsonschema:"an IANA time zone; the machine's when left out"`
	Once  *bool   `json:"once,omitempty" jsonschema:"turn it off after its first run"`

	Folder         *string `json:"folder,omitempty" jsonschema:"where it runs; this session's folder when left out"`
	Model          *string `json:"model,omitempty"`
	Effort         *string `json:"effort,omitempty" jsonschema:"low, medium, high, xhigh or max"`
	PermissionMode *string `json:"permission_mode,omitempty" jsonschema:"default, acceptEdits, plan, auto, dontAsk or bypassPermissions"`
	Guard          *string `json:"guard,omitempty" jsonschema:"off, static or reviewed"`
	Persistent     *bool   `json:"persistent,omitempty" jsonschema:"all runs continue one session instead of starting a new one each"`
	Session        *string `json:"destination_session,omitempty" jsonschema:"the id of a session that runs go to"`
	Timeout        *string `json:"timeout,omitempty" jsonschema:"a duration after which a run is ended; 10m when left out"`
	Enabled        *bool   `json:"enabled,omitempty"`

	QuietFrom *string   `json:"quiet_from,omitempty" jsonschema:"a time of day such as 22:00 at which quiet hours start; empty removes quiet hours"`
	QuietTo   *string   `json:"quiet_to,omitempty"`
	QuietDays *[]string `json:"quiet_days,omitempty" jsonschema:"mon to sun, the days on which quiet hours start; all when left out"`

	Missed        *string `json:"missed,omitempty" jsonschema:"what to do about missed runs: once, skip or all"`
	Overlap       *string `json:"overlap,omitempty" jsonschema:"what to do when it is due while it runs: skip, queue or cancel"`
	StartDeadline *string `json:"start_deadline,omitempty" jsonschema:"a duration: how late a run may begin"`
	IdlePause     *string `json:"idle_pause,omitempty" jsonschema:"a duration: skip runs if nobody has used its folder for this long"`

	RunUSD      *float64 `json:"run_usd,omitempty" jsonschema:"what one run may cost in dollars; 0 removes the limit"`
	DayUSD      *float64 `json:"day_usd,omitempty"`
	MonthUSD    *float64 `json:"month_usd,omitempty"`
	RunTokens   *int64   `json:"run_tokens,omitempty"`
	DayTokens   *int64   `json:"day_tokens,omitempty"`
	MonthTokens *int64   `json:"month_tokens,omitempty"`

	Limit int `json:"limit,omitempty" jsonschema:"with history: the maximum number of records, 1 to 50"`
}

// Change applies the arguments to a heartbeat. It shares no data with the old one.
func (in *HeartbeatIn) Change(s *plan.Spec) {
	feature.Assign(&s.Name, in.NewName)
	feature.Assign(&s.Description, in.Description)
	if in.Prompt != nil {
		s.Prompt = untrusted.Text(*in.Prompt) // a model wrote it
	}
	if in.Cron != nil || in.Every != nil || in.RunAt != nil {
		// Each replaces the others.
		s.Schedule.Cron, s.Schedule.Every, s.Schedule.RunAt = "", "", ""
	}
	feature.Assign(&s.Schedule.Cron, in.Cron)
	feature.Assign(&s.Schedule.Every, in.Every)
	feature.Assign(&s.Schedule.RunAt, in.RunAt)
	feature.Assign(&s.Schedule.Zone, in.Zone)
	feature.Assign(&s.Schedule.Once, in.Once)
	feature.Assign(&s.Folder, in.Folder)
	feature.Assign(&s.Model, in.Model)
	feature.Assign(&s.Effort, in.Effort)
	feature.Assign(&s.PermissionMode, in.PermissionMode)
	feature.Assign(&s.Guard, in.Guard)
	if in.Persistent != nil {
		s.Session = map[bool]string{true: "persistent", false: "fresh"}[*in.Persistent]
	}
	feature.Assign(&s.Destination.Session, in.Session)
	feature.Assign(&s.Timeout, in.Timeout)
	feature.Assign(&s.Enabled, in.Enabled)
	in.quiet(s)
	feature.Assign(&s.Missed, in.Missed)
	feature.Assign(&s.Overlap, in.Overlap)
	feature.Assign(&s.StartDeadline, in.StartDeadline)
	feature.Assign(&s.IdlePause, in.IdlePause)
	s.Budgets.Run = limited(s.Budgets.Run, in.RunUSD, in.RunTokens)
	s.Budgets.Day = limited(s.Budgets.Day, in.DayUSD, in.DayTokens)
	s.Budgets.Month = limited(s.Budgets.Month, in.MonthUSD, in.MonthTokens)
}

func (in *HeartbeatIn) quiet(s *plan.Spec) {
	if in.QuietFrom == nil && in.QuietTo == nil && in.QuietDays == nil {
		return
	}
	if in.QuietFrom != nil && *in.QuietFrom == "" {
		s.Quiet = nil
		return
	}
	quiet := plan.Quiet{}
	if s.Quiet != nil {
		quiet = *s.Quiet
	}
	feature.Assign(&quiet.From, in.QuietFrom)
	feature.Assign(&quiet.To, in.QuietTo)
	feature.Assign(&quiet.Days, in.QuietDays)
	s.Quiet = &quiet
}

// limited is a limit with the given values, nil if it limits nothing.
func limited(l *plan.Limit, usd *float64, tokens *int64) *plan.Limit {
	if usd == nil && tokens == nil {
		return l
	}
	now := plan.Limit{}
	if l != nil {
		now = *l
	}
	feature.Assign(&now.USD, usd)
	feature.Assign(&now.Tokens, tokens)
	if now == (plan.Limit{}) {
		return nil
	}
	return &now
}
