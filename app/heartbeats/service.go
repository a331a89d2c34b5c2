package heartbeats

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/app/feature"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/heartbeat"
	"parley/backend/heartbeat/plan"
	"parley/backend/session"
	"parley/backend/store/model"
)

// Service implements heartbeat.*.
type Service struct {
	Service *heartbeat.Service
	runs    *runs
	zone    string
	// channel reports an error in a channel's name, as far as it is known.
	channel func(ctx context.Context, name string) error
	file    string
}

// localZone is the machine's time zone with its IANA name, if it can be determined.
func localZone() (*time.Location, string) {
	name := strings.TrimPrefix(os.Getenv("TZ"), ":")
	if name == "" {
		if link, err := filepath.EvalSymlinks("/etc/localtime"); err == nil {
			_, name, _ = strings.Cut(link, "/zoneinfo/")
		}
	}
	if zone, err := time.LoadLocation(name); err == nil && name != "" {
		return zone, name
	}
	return time.Local, time.Local.String()
}

func (h *Service) List(ctx context.Context, _ feature.Empty) (HeartbeatList, error) {
	st, err := h.Service.Status(ctx)
	if err != nil {
		return HeartbeatList{}, err
	}
	list := HeartbeatList{
		Heartbeats: []Heartbeat{}, File: st.File, Revision: st.Revision, Problems: feature.List(st.Problems), Stale: st.Stale,
		Paused: st.Pause.Paused, PausedUntil: st.Pause.Until, Zone: h.zone, Today: spentOf(st.Day), Month: spentOf(st.Month),
	}
	for i := range st.Heartbeats {
		list.Heartbeats = append(list.Heartbeats, heartbeatOf(&st.Heartbeats[i]))
	}
	return list, nil
}

func heartbeatOf(v *heartbeat.View) Heartbeat {
	return Heartbeat{
		Spec: v.Spec, State: v.State, Why: v.Why, Next: v.Next, Words: plan.Describe(v.Spec.Schedule), Line: v.Line,
		Last: recordOf(v.Last), Running: recordOf(v.Running), Today: spentOf(v.Day), Month: spentOf(v.Month),
	}
}

func spentOf(s model.Totals) HeartbeatSpent {
	return HeartbeatSpent{Runs: s.Runs, Turns: s.Turns, Tokens: s.Tokens, CostUSD: s.CostUSD}
}

func recordOf(b *model.HeartbeatRun) *HeartbeatRecord {
	if b == nil {
		return nil
	}
	r := &HeartbeatRecord{
		ID: b.ID, Name: b.Name, State: b.State, Trigger: b.Trigger, Reason: b.Reason, Code: b.Code,
		DueAt: b.DueAt, Count: max(1, b.Count), FirstAt: b.FirstAt, StartedAt: b.StartedAt, EndedAt: b.EndedAt, LateMs: b.LateMs,
		SessionID: b.SessionID, TurnID: b.TurnID, Turns: b.Turns, Tokens: b.Tokens, CostUSD: b.CostUSD,
		Found: b.State == "finished" && !b.Quiet, Answer: b.Answer,
	}
	if r.FirstAt == 0 {
		r.FirstAt = b.DueAt
	}
	if b.Usage != (model.Tokens{}) {
		r.Usage = &event.Usage{
			InputTokens: b.Usage.Input, CacheReadTokens: b.Usage.CacheRead, CacheCreationTokens: b.Usage.CacheCreation, OutputTokens: b.Usage.Output,
		}
	}
	return r
}

// one converts a heartbeat for the API.
func one(v heartbeat.View, err error) (Heartbeat, error) {
	if err != nil {
		return Heartbeat{}, err
	}
	return heartbeatOf(&v), nil
}

func (h *Service) Get(ctx context.Context, p HeartbeatRef) (Heartbeat, error) {
	return one(h.Service.Get(ctx, p.Name))
}

func (h *Service) Save(ctx context.Context, p HeartbeatSaveParams) (Heartbeat, error) {
	if err := h.channel(ctx, p.Spec.Destination.Channel); fault.CodeOf(err) == fault.NotFound {
		return Heartbeat{}, fault.Wrap(err, fault.Invalid, "%s (parameter destination.channel)", fault.MessageOf(err))
	}
	return one(h.Service.Save(ctx, p.Name, p.Spec))
}

func (h *Service) Delete(ctx context.Context, p HeartbeatRef) (feature.Empty, error) {
	return feature.Empty{}, h.Service.Delete(ctx, p.Name)
}

func (h *Service) Enable(ctx context.Context, p HeartbeatEnableParams) (Heartbeat, error) {
	return one(h.Service.Enable(ctx, p.Name, p.Enabled))
}

func (h *Service) Run(ctx context.Context, p HeartbeatRef) (HeartbeatRunResult, error) {
	return h.RunBy(ctx, p.Name, heartbeat.TriggerPerson)
}

// RunBy runs a heartbeat for a user or a session's model.
func (h *Service) RunBy(ctx context.Context, name, trigger string) (HeartbeatRunResult, error) {
	id, err := h.Service.Run(ctx, name, trigger)
	return HeartbeatRunResult{RecordID: id}, err
}

func (h *Service) Cancel(ctx context.Context, p HeartbeatRunRef) (feature.Empty, error) {
	return feature.Empty{}, h.Service.Cancel(ctx, p.RecordID)
}

func (h *Service) Pause(ctx context.Context, p HeartbeatPauseParams) (feature.Empty, error) {
	var until time.Time
	if p.Until != 0 {
		if until = time.UnixMilli(p.Until); p.Paused && !until.After(time.Now()) {
			return feature.Empty{}, fault.New(fault.Invalid, "The pause would end in the past (parameter until).")
		}
	}
	return feature.Empty{}, h.Service.SetPause(ctx, p.Paused, until)
}

// maxHistory bounds a page of records.
const maxHistory = 1000

func (h *Service) History(ctx context.Context, p HeartbeatHistoryParams) (HeartbeatHistory, error) {
	if p.Limit < 0 || p.Limit > maxHistory {
		return HeartbeatHistory{}, fault.New(fault.Invalid, "limit must be 0 to %d.", maxHistory)
	}
	if p.Limit == 0 {
		p.Limit = 100
	}
	found, more, err := h.Service.History(ctx, heartbeat.HistoryQuery{Name: p.Name, From: p.From, To: p.To, Before: p.Before, Limit: p.Limit})
	if err != nil {
		return HeartbeatHistory{}, err
	}
	page := HeartbeatHistory{Records: []HeartbeatRecord{}, More: more}
	for i := range found {
		page.Records = append(page.Records, *recordOf(&found[i]))
	}
	return page, nil
}

// upcoming is how many due times a check returns.
const upcoming = 10

func (h *Service) Check(ctx context.Context, p HeartbeatCheckParams) (HeartbeatCheck, error) {
	check := HeartbeatCheck{Problems: []plan.Problem{}, Next: []int64{}, Zone: h.zone}
	if (p.Spec == nil) == (p.Text == nil) {
		return check, fault.New(fault.Invalid, "Pass either spec or text.")
	}
	if p.Text != nil {
		if len(*p.Text) > plan.MaxFile {
			return check, fault.New(fault.TooLarge, "The file has %d bytes; the limit is %d.", len(*p.Text), plan.MaxFile)
		}
		_, problems := plan.Parse([]byte(*p.Text))
		check.Problems = feature.List(problems)
		return check, nil
	}
	job, problems := plan.Prepare(*p.Spec, h.Service.Zone())
	if len(problems) > 0 {
		check.Problems = problems
		return check, nil
	}
	if err := h.channel(ctx, p.Spec.Destination.Channel); fault.CodeOf(err) == fault.NotFound {
		check.Problems = []plan.Problem{{Name: p.Spec.Name, Field: "destination.channel", Message: fault.MessageOf(err)}}
		return check, nil
	}
	check.Words, check.Zone = plan.Describe(p.Spec.Schedule), h.zone
	if p.Spec.Schedule.Zone != "" {
		check.Zone = p.Spec.Schedule.Zone
	}
	for _, at := range job.Upcoming(time.Now(), upcoming) {
		check.Next = append(check.Next, at.UnixMilli())
	}
	return check, nil
}

func (h *Service) Preview(ctx context.Context, p HeartbeatRef) (HeartbeatPreview, error) {
	v, err := h.Service.Preview(ctx, p.Name)
	if err != nil {
		return HeartbeatPreview{}, err
	}
	return HeartbeatPreview{
		Prompt: v.Prompt, Folder: v.Folder, Model: v.Spec.Model, PermissionMode: v.Spec.PermissionMode, Next: v.Next,
		Basis: v.Basis, Tokens: v.Tokens, CostUSD: v.CostUSD, RunsPerMonth: v.RunsPerMonth, Blocked: v.Blocked,
	}, nil
}

func (h *Service) Text(ctx context.Context, _ feature.Empty) (HeartbeatText, error) {
	text, revision, err := h.Service.Text(ctx)
	return HeartbeatText{Text: text, Revision: revision}, err
}

func (h *Service) SetText(ctx context.Context, p HeartbeatText) (HeartbeatText, error) {
	revision, err := h.Service.SetText(ctx, p.Text, p.Revision)
	if err != nil {
		return HeartbeatText{}, err
	}
	return HeartbeatText{Text: p.Text, Revision: revision}, nil
}

func (h *Service) Schema(context.Context, feature.Empty) (HeartbeatSchema, error) {
	return HeartbeatSchema{Schema: string(plan.Schema())}, nil
}

// Args are additional arguments of the CLI of a session with a run.
func (h *Service) Args(spec session.Spec) []string { return h.runs.args(spec) }
