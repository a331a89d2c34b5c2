// Package beattool has the tool by which a model lists the user's heartbeats, and creates and changes
// them with the user's permission. It knows nothing of how they run.
//
// It starts no goroutine.
package beattool

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"parley/app/feature"
	"parley/app/heartbeats"
	"parley/app/tool"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/heartbeat"
	"parley/backend/heartbeat/plan"
	"parley/backend/session"
	"parley/backend/toolserver"
	"parley/backend/untrusted"
)

// beatTool is the tool set: a model lists the user's heartbeats, and creates and changes them with
// the user's permission.
type beatTool struct {
	own     *tool.Asker
	service beatService
	// Run runs a heartbeat for a session.
	run func(ctx context.Context, name string) (heartbeats.HeartbeatRunResult, error)
	// Running is the heartbeat whose run a session is, "" for none.
	running func(sessionID string) string
}

// beatService is the part of the heartbeats the tool needs.
type beatService interface {
	List(context.Context, feature.Empty) (heartbeats.HeartbeatList, error)
	Get(context.Context, heartbeats.HeartbeatRef) (heartbeats.Heartbeat, error)
	Save(context.Context, heartbeats.HeartbeatSaveParams) (heartbeats.Heartbeat, error)
	Delete(context.Context, heartbeats.HeartbeatRef) (feature.Empty, error)
	Enable(context.Context, heartbeats.HeartbeatEnableParams) (heartbeats.Heartbeat, error)
	Pause(context.Context, heartbeats.HeartbeatPauseParams) (feature.Empty, error)
	History(context.Context, heartbeats.HeartbeatHistoryParams) (heartbeats.HeartbeatHistory, error)
	Check(context.Context, heartbeats.HeartbeatCheckParams) (heartbeats.HeartbeatCheck, error)
}

// Config has the dependencies. All fields are required.
type Config struct {
	Own        *tool.Asker
	Heartbeats *heartbeats.Service
}

// New is the tool set "heartbeats".
func New(cfg Config) tool.Set {
	run := func(ctx context.Context, name string) (heartbeats.HeartbeatRunResult, error) {
		return cfg.Heartbeats.RunBy(ctx, name, heartbeat.TriggerSession)
	}
	return (&beatTool{own: cfg.Own, service: cfg.Heartbeats, run: run, running: cfg.Heartbeats.Service.Asking}).set()
}

func (t *beatTool) set() tool.Set {
	return tool.Set{ID: "heartbeats", Tools: func(spec session.Spec) ([]toolserver.Tool, error) {
		return tool.Join(tool.Of("Manage heartbeats", toolserver.Hints{Destructive: true, OpenWorld: true})(toolserver.NewTool("manage_heartbeat",
			"Heartbeats are prompts that Parley runs on a schedule, each run in its own session. Actions: list, get, create, update, delete, run (now), history, pause and resume (all heartbeats). "+
				"update only changes the given fields. The user is asked before a heartbeat is created, deleted, run, or allowed to do more than before. "+
				"A schedule is one of cron, every and run_at. The prompt may hold {{date}}, {{time}}, {{datetime}}, {{zone}}, {{name}}, {{workspace}}, {{folder}}, {{due}}, {{last}}, {{lastAt}}, {{lastState}} and {{count}}.",
			func(ctx context.Context, call toolserver.Call, in HeartbeatIn) (toolserver.Result, error) {
				out, err := t.do(ctx, spec, call, in)
				return toolserver.Result{Structured: out}, err
			})))
	}}
}

func (t *beatTool) do(ctx context.Context, spec session.Spec, call toolserver.Call, in HeartbeatIn) (any, error) {
	if in.Name == "" && in.Action != "list" && in.Action != "history" && in.Action != "pause" && in.Action != "resume" {
		return nil, fault.New(fault.Invalid, "Enter the heartbeat's name (parameter name).")
	}
	switch in.Action {
	case "list":
		return t.list(ctx)
	case "get":
		h, err := t.service.Get(ctx, heartbeats.HeartbeatRef{Name: in.Name})
		return toldBeat(h), err
	case "history":
		return t.history(ctx, spec, in)
	case "create":
		return t.create(ctx, spec, call, in)
	case "update":
		return t.update(ctx, spec, call, in)
	case "delete":
		return t.remove(ctx, spec, call, in.Name)
	case "run":
		return t.start(ctx, spec, call, in.Name)
	case "pause", "resume":
		return t.pause(ctx, spec, call, in.Action == "pause")
	}
	return nil, fault.New(fault.Invalid, "There is no action %.30q. The actions are list, get, create, update, delete, run, history, pause and resume.", in.Action)
}

// toldHeartbeat is a heartbeat in the form for a model.
type toldHeartbeat struct {
	plan.Spec
	State string `json:"state"`
	Why   string `json:"why,omitempty"`
	When  string `json:"when"`
	Next  string `json:"next,omitempty"`
	Last  string `json:"last,omitempty"`
}

func toldBeat(h heartbeats.Heartbeat) toldHeartbeat {
	told := toldHeartbeat{Spec: h.Spec, State: h.State, Why: h.Why, When: h.Words}
	if h.Next != 0 {
		told.Next = time.UnixMilli(h.Next).Format(time.RFC3339)
	}
	if h.Last != nil {
		told.Last = strings.TrimSpace(fmt.Sprintf("%s at %s. %s", h.Last.State, time.UnixMilli(h.Last.DueAt).Format(time.RFC3339), h.Last.Reason))
	}
	return told
}

// toldPrompt is how much of each prompt a list shows, in bytes.
const toldPrompt = 300

func (t *beatTool) list(ctx context.Context) (any, error) {
	list, err := t.service.List(ctx, feature.Empty{})
	if err != nil {
		return nil, err
	}
	out := struct {
		Heartbeats []toldHeartbeat `json:"heartbeats"`
		Paused     bool            `json:"paused"`
		Zone       string          `json:"zone"`
		Problems   []plan.Problem  `json:"problems,omitempty"`
		More       int             `json:"not_shown,omitempty"`
	}{Heartbeats: []toldHeartbeat{}, Paused: list.Paused, Zone: list.Zone, Problems: list.Problems}
	const most = 60
	for i, h := range list.Heartbeats {
		if i == most {
			out.More = len(list.Heartbeats) - most
			break
		}
		told := toldBeat(h)
		if cut := tool.Cut(told.Prompt, toldPrompt); cut != told.Prompt {
			told.Prompt = cut + "…"
		}
		out.Heartbeats = append(out.Heartbeats, told)
	}
	return out, nil
}

// history returns the outcomes of due times. Answers of runs in other workspaces are left out,
// because they belong to other projects.
func (t *beatTool) history(ctx context.Context, spec session.Spec, in HeartbeatIn) (any, error) {
	const most = 50
	if in.Limit < 0 || in.Limit > most {
		return nil, fault.New(fault.Invalid, "limit must be 1 to %d.", most)
	}
	me, err := t.own.Session(ctx, spec.SessionID)
	if err != nil {
		return nil, err
	}
	page, err := t.service.History(ctx, heartbeats.HeartbeatHistoryParams{Name: in.Name, Limit: max(in.Limit, 0)})
	if err != nil {
		return nil, err
	}
	type told struct {
		Name      string `json:"name"`
		State     string `json:"state"`
		Due       string `json:"due"`
		Reason    string `json:"reason,omitempty"`
		SessionID string `json:"session_id,omitempty"`
		Answer    string `json:"answer,omitempty"`
	}
	out := struct {
		Records []told `json:"records"`
		More    bool   `json:"more"`
	}{Records: []told{}, More: page.More}
	limit := in.Limit
	if limit == 0 {
		limit = 20
	}
	for i, r := range page.Records {
		if i == limit {
			out.More = true
			break
		}
		one := told{Name: r.Name, State: r.State, Due: time.UnixMilli(r.DueAt).Format(time.RFC3339), Reason: r.Reason, SessionID: r.SessionID}
		if ran, err := t.own.Session(ctx, r.SessionID); r.Answer != "" && err == nil && ran.WorkspaceID == me.WorkspaceID {
			one.Answer = tool.Cut(untrusted.Visible(r.Answer), toldPrompt)
		}
		out.Records = append(out.Records, one)
	}
	return out, nil
}

func (t *beatTool) create(ctx context.Context, spec session.Spec, call toolserver.Call, in HeartbeatIn) (any, error) {
	if in.NewName != nil {
		return nil, fault.New(fault.Invalid, "new_name can only be used with update.")
	}
	made := plan.Spec{Name: in.Name, Folder: spec.CWD, Enabled: true}
	in.Change(&made)
	if err := t.check(ctx, made); err != nil {
		return nil, err
	}
	if _, err := t.service.Get(ctx, heartbeats.HeartbeatRef{Name: in.Name}); err == nil {
		return nil, fault.New(fault.Conflict, "There is already a heartbeat %q. Use update, or choose another name.", in.Name)
	}
	if err := t.permit(ctx, spec, call, "Create a heartbeat?", "create the heartbeat “"+made.Name+"”", nil, &made); err != nil {
		return nil, err
	}
	saved, err := t.service.Save(ctx, heartbeats.HeartbeatSaveParams{Spec: made})
	return toldBeat(saved), err
}

func (t *beatTool) update(ctx context.Context, spec session.Spec, call toolserver.Call, in HeartbeatIn) (any, error) {
	before, err := t.service.Get(ctx, heartbeats.HeartbeatRef{Name: in.Name})
	if err != nil {
		return nil, err
	}
	after := before.Spec
	in.Change(&after)
	if err := t.check(ctx, after); err != nil {
		return nil, err
	}
	wider := plan.NewPermissions(before.Spec, after)
	if sooner, err := t.sooner(ctx, before.Spec, after); err != nil {
		return nil, err
	} else if sooner && len(wider) == 0 {
		wider = append(wider, "Its next run is sooner.") // repeated, that makes it run more often
	}
	again := before.State == "stopped" && in.Enabled != nil && *in.Enabled
	if again {
		wider = append(wider, "It was stopped and would run again. "+before.Why)
	}
	if len(wider) > 0 {
		if err := t.permit(ctx, spec, call, "Let a heartbeat do more?", "change the heartbeat “"+in.Name+"”", wider, &after); err != nil {
			return nil, err
		}
		// The answer was about a change to the version at that time.
		if now, err := t.service.Get(ctx, heartbeats.HeartbeatRef{Name: in.Name}); err != nil || len(plan.NewPermissions(before.Spec, now.Spec))+len(plan.NewPermissions(now.Spec, before.Spec)) > 0 {
			return nil, fault.New(fault.Conflict, "The heartbeat %q changed in the meantime. Read it again.", in.Name)
		}
	}
	if me, err := t.own.Session(ctx, spec.SessionID); err != nil || me.PermissionMode == "plan" {
		return nil, cmp.Or(err, tool.ErrPlanning())
	}
	saved, err := t.service.Save(ctx, heartbeats.HeartbeatSaveParams{Name: in.Name, Spec: after})
	if err == nil && again {
		saved, err = t.service.Enable(ctx, heartbeats.HeartbeatEnableParams{Name: after.Name, Enabled: true})
	}
	return toldBeat(saved), err
}

// sooner reports whether an enabled heartbeat would be due earlier than now.
func (t *beatTool) sooner(ctx context.Context, was, is plan.Spec) (bool, error) {
	if !is.Enabled || was.Schedule == is.Schedule {
		return false, nil
	}
	next := func(s plan.Spec) (int64, error) {
		found, err := t.service.Check(ctx, heartbeats.HeartbeatCheckParams{Spec: &s})
		if err != nil || len(found.Next) == 0 {
			return math.MaxInt64, err
		}
		return found.Next[0], nil
	}
	before, err := next(was)
	if err != nil {
		return false, err
	}
	after, err := next(is)
	return after < before, err
}

// check returns all errors in a heartbeat at once.
func (t *beatTool) check(ctx context.Context, s plan.Spec) error {
	found, err := t.service.Check(ctx, heartbeats.HeartbeatCheckParams{Spec: &s})
	if err != nil || len(found.Problems) == 0 {
		return err
	}
	var words []string
	for _, p := range found.Problems {
		words = append(words, strings.TrimPrefix(p.Field+": ", ": ")+p.Message)
	}
	return fault.New(fault.Invalid, "This heartbeat is not valid: %s", strings.Join(words, "; "))
}

// permit asks a user about a changed heartbeat. The user's own changes are validated.
func (t *beatTool) permit(ctx context.Context, spec session.Spec, call toolserver.Call, title, what string, wider []string, s *plan.Spec) error {
	me, err := t.own.Session(ctx, spec.SessionID)
	if err != nil {
		return err
	}
	words, err := t.words(ctx, me, what, wider, *s)
	if err != nil {
		return err
	}
	// No rule may allow it: it spends unattended, in its own mode.
	if err := t.own.Ask(ctx, spec, call, tool.Question{Title: title, Description: words, Input: s, Person: true}); err != nil {
		return err
	}
	return t.check(ctx, *s)
}

// words describes what a heartbeat will do.
func (t *beatTool) words(ctx context.Context, me event.Session, what string, wider []string, s plan.Spec) (string, error) {
	found, err := t.service.Check(ctx, heartbeats.HeartbeatCheckParams{Spec: &s})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The model of “%s” wants to %s.", tool.SessionName(me), what)
	for _, w := range wider {
		b.WriteString("\n" + w)
	}
	zone, err := time.LoadLocation(found.Zone)
	if err != nil {
		zone = time.Local
	}
	fmt.Fprintf(&b, "\nWhen: %s", found.Words)
	if !s.Enabled {
		b.WriteString(" (turned off)")
	}
	var next []string
	for _, at := range found.Next[:min(3, len(found.Next))] {
		next = append(next, time.UnixMilli(at).In(zone).Format("Mon 2 Jan 2006 15:04"))
	}
	if len(next) > 0 {
		fmt.Fprintf(&b, "\nNext: %s", strings.Join(next, "; "))
	}
	fmt.Fprintf(&b, "\nFolder: %s", s.Folder)
	for _, fact := range [][2]string{
		{"Model", s.Model}, {"Permission mode", s.PermissionMode}, {"Guard", s.Guard},
		{"Runs in the session", s.Destination.Session}, {"Posts in the channel", s.Destination.Channel},
	} {
		if fact[1] != "" {
			fmt.Fprintf(&b, "\n%s: %s", fact[0], fact[1])
		}
	}
	fmt.Fprintf(&b, "\nPrompt: %s", s.Prompt)
	return b.String(), nil
}

func (t *beatTool) remove(ctx context.Context, spec session.Spec, call toolserver.Call, name string) (any, error) {
	return t.simple(ctx, spec, call, name, tool.Question{Title: "Delete a heartbeat?", Destructive: true}, "delete the heartbeat “%s”. Its history is kept", func() (any, error) {
		_, err := t.service.Delete(ctx, heartbeats.HeartbeatRef{Name: name})
		return map[string]string{"deleted": name}, err
	})
}

func (t *beatTool) start(ctx context.Context, spec session.Spec, call toolserver.Call, name string) (any, error) {
	return t.simple(ctx, spec, call, name, tool.Question{Title: "Run a heartbeat now?"}, "run the heartbeat “%s” now. A run costs as much as a prompt", func() (any, error) {
		run, err := t.run(ctx, name)
		return map[string]string{"run": run.RecordID}, err
	})
}

// simple asks about an action on an existing heartbeat, and does it.
func (t *beatTool) simple(ctx context.Context, spec session.Spec, call toolserver.Call, name string, a tool.Question, what string, do func() (any, error)) (any, error) {
	h, err := t.service.Get(ctx, heartbeats.HeartbeatRef{Name: name})
	if err != nil {
		return nil, err
	}
	me, err := t.own.Session(ctx, spec.SessionID)
	if err != nil {
		return nil, err
	}
	a.Description = fmt.Sprintf("The model of “%s” wants to "+what+".\nWhen: %s\nFolder: %s\nPrompt: %s", tool.SessionName(me), name, h.Words, h.Folder, h.Prompt)
	// A run that could start runs might never stop.
	a.Person = t.running(spec.SessionID) != "" || me.Heartbeat != ""
	if err := t.own.Ask(ctx, spec, call, a); err != nil {
		return nil, err
	}
	return do()
}

func (t *beatTool) pause(ctx context.Context, spec session.Spec, call toolserver.Call, paused bool) (any, error) {
	me, err := t.own.Session(ctx, spec.SessionID)
	if err != nil {
		return nil, err
	}
	a := tool.Question{Title: "Resume all heartbeats?", Person: true, Description: "The model of “" + tool.SessionName(me) + "” wants to resume all heartbeats."}
	if paused {
		a = tool.Question{Title: "Pause all heartbeats?", Description: "The model of “" + tool.SessionName(me) + "” wants to pause all heartbeats."}
	}
	if err := t.own.Ask(ctx, spec, call, a); err != nil {
		return nil, err
	}
	_, err = t.service.Pause(ctx, heartbeats.HeartbeatPauseParams{Paused: paused})
	return map[string]bool{"paused": paused}, err
}
