package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/heartbeat"
	"parley/backend/heartbeat/plan"
	"parley/backend/paths"
	"parley/backend/record"
)

// heartbeatsFile is where heartbeats are written, in the data folder.
const heartbeatsFile = "heartbeats.yaml"

// heartbeats is the service behind heartbeat.*.
type heartbeats struct {
	service  *heartbeat.Service
	sessions *beatSessions
	zone     string
	// channel says what is wrong with the name of a channel, as far as that is known.
	channel func(ctx context.Context, name string) error
}

var _ HeartbeatService = (*heartbeats)(nil)

// openHeartbeats builds what runs prompts on a schedule.
func (a *App) openHeartbeats() error {
	zone, name := localZone()
	runs := &beatSessions{registry: a.registry, library: a.library, workspace: a.workspaces.Of, budgets: map[string]float64{}}
	service, err := heartbeat.New(heartbeat.Config{
		Path: filepath.Join(a.cfg.Dirs.Data, heartbeatsFile), Home: a.cfg.Dirs.Home, Zone: zone,
		Ledger: beats{a.keeping.db}, Sessions: runs,
		Workspace: func(folder string) string {
			w, err := a.workspaces.Get(a.workspaces.Of(folder))
			if err != nil {
				return filepath.Base(folder)
			}
			return w.Title
		},
		Take: func(path string) (func() error, error) {
			held, err := paths.Take(path)
			if held == nil {
				return nil, err
			}
			return held.Release, nil
		},
		Rehearsal: a.cfg.Rehearsal,
		Publish:   a.bus.Publish,
		Channel: func(ctx context.Context, channel string, run heartbeat.Answered) error {
			return a.chats.ran(ctx, channel, run)
		},
		Connected: func() bool { return a.chats.linked() != nil },
		Notify:    func(n heartbeat.Notice) { a.notices.heard(n) },
		Logger:    a.cfg.Logger,
	})
	if err != nil {
		return err
	}
	a.heartbeats = &heartbeats{service: service, sessions: runs, zone: name, channel: func(ctx context.Context, name string) error {
		_, err := a.chats.channel(ctx, name)
		return err
	}}
	a.engine.heartbeat, a.engine.more = service.Asking, runs.args
	return nil
}

// localZone is the machine's time zone under its IANA name, as far as that can be found.
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

func (h *heartbeats) List(ctx context.Context, _ Empty) (HeartbeatList, error) {
	st, err := h.service.Status(ctx)
	if err != nil {
		return HeartbeatList{}, err
	}
	list := HeartbeatList{
		Heartbeats: []Heartbeat{}, File: st.File, Revision: st.Revision, Problems: notNil(st.Problems), Stale: st.Stale,
		Paused: st.Pause.Paused, PausedUntil: st.Pause.Until, Zone: h.zone, Today: spentOf(st.Day), Month: spentOf(st.Month),
	}
	for i := range st.Heartbeats {
		list.Heartbeats = append(list.Heartbeats, heartbeatOf(&st.Heartbeats[i]))
	}
	return list, nil
}

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func heartbeatOf(v *heartbeat.View) Heartbeat {
	return Heartbeat{
		Spec: v.Spec, State: v.State, Why: v.Why, Next: v.Next, Words: plan.Words(v.Spec.Schedule), Line: v.Line,
		Last: recordOf(v.Last), Running: recordOf(v.Running), Today: spentOf(v.Day), Month: spentOf(v.Month),
	}
}

func spentOf(s record.Spent) HeartbeatSpent {
	return HeartbeatSpent{Runs: s.Runs, Turns: s.Turns, Tokens: s.Tokens, CostUSD: s.CostUSD}
}

func recordOf(b *record.Beat) *HeartbeatRecord {
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
	if b.Usage != (record.Tokens{}) {
		r.Usage = &event.Usage{
			InputTokens: b.Usage.Input, CacheReadTokens: b.Usage.CacheRead, CacheCreationTokens: b.Usage.CacheCreation, OutputTokens: b.Usage.Output,
		}
	}
	return r
}

// one is a heartbeat on its way to the border.
func one(v heartbeat.View, err error) (Heartbeat, error) {
	if err != nil {
		return Heartbeat{}, err
	}
	return heartbeatOf(&v), nil
}

func (h *heartbeats) Get(ctx context.Context, p HeartbeatRef) (Heartbeat, error) {
	return one(h.service.Get(ctx, p.Name))
}

func (h *heartbeats) Save(ctx context.Context, p HeartbeatSaveParams) (Heartbeat, error) {
	if err := h.channel(ctx, p.Spec.Destination.Channel); fault.CodeOf(err) == fault.NotFound {
		return Heartbeat{}, fault.Wrap(err, fault.Invalid, "%s (parameter destination.channel)", fault.MessageOf(err))
	}
	return one(h.service.Save(ctx, p.Name, p.Spec))
}

func (h *heartbeats) Delete(ctx context.Context, p HeartbeatRef) (Empty, error) {
	return Empty{}, h.service.Delete(ctx, p.Name)
}

func (h *heartbeats) Enable(ctx context.Context, p HeartbeatEnableParams) (Heartbeat, error) {
	return one(h.service.Enable(ctx, p.Name, p.Enabled))
}

func (h *heartbeats) Run(ctx context.Context, p HeartbeatRef) (HeartbeatRunResult, error) {
	return h.run(ctx, p.Name, heartbeat.TriggerPerson)
}

// run has a heartbeat run for somebody: a person, or the model of a session.
func (h *heartbeats) run(ctx context.Context, name, trigger string) (HeartbeatRunResult, error) {
	id, err := h.service.Run(ctx, name, trigger)
	return HeartbeatRunResult{RecordID: id}, err
}

func (h *heartbeats) Cancel(ctx context.Context, p HeartbeatRunRef) (Empty, error) {
	return Empty{}, h.service.Cancel(ctx, p.RecordID)
}

func (h *heartbeats) Pause(ctx context.Context, p HeartbeatPauseParams) (Empty, error) {
	var until time.Time
	if p.Until != 0 {
		if until = time.UnixMilli(p.Until); p.Paused && !until.After(time.Now()) {
			return Empty{}, fault.New(fault.Invalid, "The pause would be over already (parameter until).")
		}
	}
	return Empty{}, h.service.SetPause(ctx, p.Paused, until)
}

// maxHistory bounds a page of the ledger.
const maxHistory = 1000

func (h *heartbeats) History(ctx context.Context, p HeartbeatHistoryParams) (HeartbeatHistory, error) {
	if p.Limit < 0 || p.Limit > maxHistory {
		return HeartbeatHistory{}, fault.New(fault.Invalid, "limit must be 0 to %d.", maxHistory)
	}
	if p.Limit == 0 {
		p.Limit = 100
	}
	found, more, err := h.service.History(ctx, heartbeat.HistoryQuery{Name: p.Name, From: p.From, To: p.To, Before: p.Before, Limit: p.Limit})
	if err != nil {
		return HeartbeatHistory{}, err
	}
	page := HeartbeatHistory{Records: []HeartbeatRecord{}, More: more}
	for i := range found {
		page.Records = append(page.Records, *recordOf(&found[i]))
	}
	return page, nil
}

// upcoming is how many due times a check tells.
const upcoming = 10

func (h *heartbeats) Check(ctx context.Context, p HeartbeatCheckParams) (HeartbeatCheck, error) {
	check := HeartbeatCheck{Problems: []plan.Problem{}, Next: []int64{}, Zone: h.zone}
	if (p.Spec == nil) == (p.Text == nil) {
		return check, fault.New(fault.Invalid, "Give either spec or text.")
	}
	if p.Text != nil {
		if len(*p.Text) > plan.MaxFile {
			return check, fault.New(fault.TooLarge, "The file has %d bytes; the limit is %d.", len(*p.Text), plan.MaxFile)
		}
		_, problems := plan.Parse([]byte(*p.Text))
		check.Problems = notNil(problems)
		return check, nil
	}
	job, problems := plan.Prepare(*p.Spec, h.service.Zone())
	if len(problems) > 0 {
		check.Problems = problems
		return check, nil
	}
	if err := h.channel(ctx, p.Spec.Destination.Channel); fault.CodeOf(err) == fault.NotFound {
		check.Problems = []plan.Problem{{Name: p.Spec.Name, Field: "destination.channel", Message: fault.MessageOf(err)}}
		return check, nil
	}
	check.Words, check.Zone = plan.Words(p.Spec.Schedule), h.zone
	if p.Spec.Schedule.Zone != "" {
		check.Zone = p.Spec.Schedule.Zone
	}
	for _, at := range job.Upcoming(time.Now(), upcoming) {
		check.Next = append(check.Next, at.UnixMilli())
	}
	return check, nil
}

func (h *heartbeats) Preview(ctx context.Context, p HeartbeatRef) (HeartbeatPreview, error) {
	v, err := h.service.Preview(ctx, p.Name)
	if err != nil {
		return HeartbeatPreview{}, err
	}
	return HeartbeatPreview{
		Prompt: v.Prompt, Folder: v.Folder, Model: v.Spec.Model, PermissionMode: v.Spec.PermissionMode, Next: v.Next,
		Basis: v.Basis, Tokens: v.Tokens, CostUSD: v.CostUSD, RunsPerMonth: v.RunsPerMonth, Blocked: v.Blocked,
	}, nil
}

func (h *heartbeats) Text(ctx context.Context, _ Empty) (HeartbeatText, error) {
	text, revision, err := h.service.Text(ctx)
	return HeartbeatText{Text: text, Revision: revision}, err
}

func (h *heartbeats) SetText(ctx context.Context, p HeartbeatText) (HeartbeatText, error) {
	revision, err := h.service.SetText(ctx, p.Text, p.Revision)
	if err != nil {
		return HeartbeatText{}, err
	}
	return HeartbeatText{Text: p.Text, Revision: revision}, nil
}

func (h *heartbeats) Schema(context.Context, Empty) (HeartbeatSchema, error) {
	return HeartbeatSchema{Schema: string(plan.Schema())}, nil
}
