package beattool

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/app/feature"
	"parley/app/heartbeats"
	"parley/app/tool/tooltest"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/heartbeat/plan"
	"parley/backend/permission"
	"parley/backend/session"
	"parley/backend/toolserver"
)

// beatsKept are heartbeats in memory. Methods the tool doesn't use are left out.
type beatsKept struct {
	specs   map[string]plan.Spec
	states  map[string]string
	paused  bool
	enabled []string
}

func (k *beatsKept) List(context.Context, feature.Empty) (heartbeats.HeartbeatList, error) {
	list := heartbeats.HeartbeatList{Zone: "UTC", Paused: k.paused}
	for name := range k.specs {
		h, _ := k.Get(context.Background(), heartbeats.HeartbeatRef{Name: name})
		list.Heartbeats = append(list.Heartbeats, h)
	}
	return list, nil
}

func (k *beatsKept) Get(_ context.Context, p heartbeats.HeartbeatRef) (heartbeats.Heartbeat, error) {
	s, ok := k.specs[p.Name]
	if !ok {
		return heartbeats.Heartbeat{}, fault.New(fault.NotFound, "There is no heartbeat %q.", p.Name)
	}
	return heartbeats.Heartbeat{Spec: s, State: k.states[p.Name], Words: plan.Describe(s.Schedule)}, nil
}

func (k *beatsKept) Save(ctx context.Context, p heartbeats.HeartbeatSaveParams) (heartbeats.Heartbeat, error) {
	if p.Name != "" {
		delete(k.specs, p.Name)
	}
	k.specs[p.Spec.Name] = p.Spec
	return k.Get(ctx, heartbeats.HeartbeatRef{Name: p.Spec.Name})
}

func (k *beatsKept) Delete(_ context.Context, p heartbeats.HeartbeatRef) (feature.Empty, error) {
	delete(k.specs, p.Name)
	return feature.Empty{}, nil
}

func (k *beatsKept) Enable(ctx context.Context, p heartbeats.HeartbeatEnableParams) (heartbeats.Heartbeat, error) {
	k.enabled = append(k.enabled, p.Name)
	return k.Get(ctx, heartbeats.HeartbeatRef{Name: p.Name})
}

func (k *beatsKept) Pause(_ context.Context, p heartbeats.HeartbeatPauseParams) (feature.Empty, error) {
	k.paused = p.Paused
	return feature.Empty{}, nil
}

func (k *beatsKept) History(context.Context, heartbeats.HeartbeatHistoryParams) (heartbeats.HeartbeatHistory, error) {
	var page heartbeats.HeartbeatHistory
	for i := range 30 {
		page.Records = append(page.Records, heartbeats.HeartbeatRecord{
			Name: "mail", State: "finished", Answer: strings.Repeat("long ", 200), SessionID: []string{"s", "there"}[i%2],
		})
	}
	return page, nil
}

func (k *beatsKept) Check(_ context.Context, p heartbeats.HeartbeatCheckParams) (heartbeats.HeartbeatCheck, error) {
	job, problems := plan.Prepare(*p.Spec, time.UTC)
	check := heartbeats.HeartbeatCheck{Problems: problems, Zone: "UTC", Words: plan.Describe(p.Spec.Schedule)}
	if len(problems) == 0 {
		for _, at := range job.Upcoming(time.Date(2027, 1, 4, 0, 0, 0, 0, time.UTC), 10) {
			check.Next = append(check.Next, at.UnixMilli())
		}
	}
	return check, nil
}

// Answers of runs in other workspaces are hidden from this one.
func TestHistoryOfOtherProjects(t *testing.T) {
	owns := (&tooltest.Requests{}).Asker(event.Session{})
	owns.Session = func(_ context.Context, id string) (event.Session, error) {
		one := event.Session{ID: id}
		one.WorkspaceID = map[string]string{"s": "here", "there": "elsewhere"}[id]
		return one, nil
	}
	tool := &beatTool{own: owns, service: &beatsKept{}}
	out, err := tool.history(t.Context(), session.Spec{SessionID: "s"}, HeartbeatIn{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(out)
	if n := strings.Count(string(raw), `"answer"`); n != 1 || strings.Count(string(raw), `"name":"mail"`) != 2 {
		t.Errorf("told %s", raw)
	}
}

// In plan mode nothing is changed, including what would need no permission.
func TestNarrowInPlanMode(t *testing.T) {
	s := event.Session{ID: "s"}
	s.PermissionMode = "plan"
	k := &beatsKept{specs: map[string]plan.Spec{"mail": {Name: "mail", Prompt: "look", Schedule: plan.Schedule{Every: "1h"}, Folder: "/work", Enabled: true}}}
	tool := &beatTool{own: (&tooltest.Requests{}).Asker(s), service: k, running: func(string) string { return "" }}
	off := false
	_, err := tool.update(t.Context(), session.Spec{SessionID: "s"}, toolserver.Call{}, HeartbeatIn{Name: "mail", Enabled: &off})
	if fault.CodeOf(err) != fault.Conflict || !k.specs["mail"].Enabled {
		t.Errorf("%v, %+v", err, k.specs["mail"])
	}
}

func TestManageHeartbeat(t *testing.T) {
	mail := plan.Spec{Name: "mail", Prompt: "look", Schedule: plan.Schedule{Every: "1h"}, Folder: "/work", Enabled: true}
	stopped := mail
	stopped.Name = "stopped"
	daily := mail
	daily.Name, daily.Schedule = "daily", plan.Schedule{Cron: "0 10 * * *"}
	allow, deny := permission.Decision{Outcome: permission.OutcomeAllow}, permission.Decision{Outcome: permission.OutcomeDeny, Message: "No."}
	for _, tt := range []struct {
		name     string
		args     string
		decision permission.Decision
		// asks is part of the request, "" for none.
		asks, problem string
		running       string
		person        bool
		check         func(t *testing.T, k *beatsKept)
		says          string
	}{
		{name: "list", args: `{"action":"list"}`, says: `"name":"mail"`},
		{name: "get", args: `{"action":"get","name":"mail"}`, says: `"when":"Every hour"`},
		{name: "get what is not there", args: `{"action":"get","name":"post"}`, problem: "no heartbeat"},
		{name: "history", args: `{"action":"history","limit":3}`, says: `"more":true`},
		{name: "too much history", args: `{"action":"history","limit":51}`, problem: "limit must be"},
		{name: "no name", args: `{"action":"create"}`, problem: "Enter the heartbeat's name"},
		{name: "no action", args: `{"action":"destroy","name":"mail"}`, problem: "no action"},
		{name: "create", args: `{"action":"create","name":"new","prompt":"say hi","cron":"30 9 * * mon","model":"haiku"}`, decision: allow, person: true,
			asks: "wants to create the heartbeat “new”.\nWhen: At 09:30 on Monday\nNext: Mon 4 Jan 2027 09:30; Mon 11 Jan 2027 09:30; Mon 18 Jan 2027 09:30\nFolder: /here\nModel: haiku\nPrompt: say hi",
			check: func(t *testing.T, k *beatsKept) {
				if s := k.specs["new"]; s.Folder != "/here" || !s.Enabled || s.Prompt != "say hi" {
					t.Errorf("made %+v", s)
				}
			}},
		{name: "create, denied", args: `{"action":"create","name":"new","prompt":"x","every":"2h"}`, decision: deny, person: true, asks: "Prompt: x", problem: "No.",
			check: func(t *testing.T, k *beatsKept) {
				if len(k.specs) != 3 {
					t.Error("it was made")
				}
			}},
		{name: "create, edited", args: `{"action":"create","name":"new","prompt":"x","every":"2h"}`, person: true, asks: "Prompt: x",
			decision: permission.Decision{Outcome: permission.OutcomeAllow, UpdatedInput: json.RawMessage(`{"name":"new","prompt":"y","schedule":{"every":"3h"},"folder":"/here","enabled":true}`)},
			check: func(t *testing.T, k *beatsKept) {
				if s := k.specs["new"]; s.Prompt != "y" || s.Schedule.Every != "3h" {
					t.Errorf("made %+v", s)
				}
			}},
		{name: "create, edited badly", args: `{"action":"create","name":"new","prompt":"x","every":"2h"}`, person: true, asks: "Prompt: x", problem: "schedule",
			decision: permission.Decision{Outcome: permission.OutcomeAllow, UpdatedInput: json.RawMessage(`{"name":"new","prompt":"y","schedule":{},"folder":"/here","enabled":true}`)}},
		{name: "create with mistakes", args: `{"action":"create","name":"new","prompt":"x","cron":"61 * * * *"}`, problem: "schedule.cron: "},
		{name: "create what is there", args: `{"action":"create","name":"mail","prompt":"x","every":"2h"}`, problem: "already"},
		{name: "create from a run", args: `{"action":"create","name":"new","prompt":"x","every":"2h"}`, running: "mail", decision: allow, asks: "Prompt: x", person: true},
		{name: "narrow", args: `{"action":"update","name":"mail","every":"2h","run_usd":0.5}`, check: func(t *testing.T, k *beatsKept) {
			if s := k.specs["mail"]; s.Schedule.Every != "2h" || s.Budgets.Run == nil || s.Budgets.Run.USD != 0.5 || s.Prompt != "look" {
				t.Errorf("made %+v", s)
			}
		}},
		{name: "widen", args: `{"action":"update","name":"mail","every":"5m"}`, decision: allow, person: true, asks: "It runs more often", check: func(t *testing.T, k *beatsKept) {
			if s := k.specs["mail"]; s.Schedule.Every != "5m" {
				t.Errorf("made %+v", s)
			}
		}},
		{name: "another schedule", args: `{"action":"update","name":"mail","cron":"0 9 * * *","new_name":"post"}`, check: func(t *testing.T, k *beatsKept) {
			if s := k.specs["post"]; s.Schedule.Every != "" || s.Schedule.Cron != "0 9 * * *" {
				t.Errorf("made %+v", s)
			}
		}},
		{name: "go on after a stop", args: `{"action":"update","name":"stopped","enabled":true}`, decision: allow, person: true, asks: "It was stopped", check: func(t *testing.T, k *beatsKept) {
			if !slices.Equal(k.enabled, []string{"stopped"}) {
				t.Errorf("enabled %v", k.enabled)
			}
		}},
		{name: "delete", args: `{"action":"delete","name":"mail"}`, decision: allow, asks: "delete the heartbeat “mail”", check: func(t *testing.T, k *beatsKept) {
			if len(k.specs) != 2 {
				t.Error("it is still there")
			}
		}},
		{name: "run", args: `{"action":"run","name":"mail"}`, decision: allow, asks: "run the heartbeat “mail” now", says: `{"run":"run of mail"}`},
		{name: "run, denied", args: `{"action":"run","name":"mail"}`, decision: deny, asks: "run the heartbeat", problem: "No."},
		{name: "resume", args: `{"action":"resume"}`, decision: allow, asks: "to resume all heartbeats", person: true},
		{name: "as often, but sooner", args: `{"action":"update","name":"daily","cron":"1 0 * * *"}`, decision: deny, asks: "Its next run is sooner", person: true, problem: "No."},
		{name: "as often, but later", args: `{"action":"update","name":"daily","cron":"0 11 * * *"}`},
		{name: "run from a run", args: `{"action":"run","name":"mail"}`, running: "mail", decision: allow, asks: "run the heartbeat", person: true},
		{name: "pause", args: `{"action":"pause"}`, decision: allow, asks: "to pause all heartbeats", check: func(t *testing.T, k *beatsKept) {
			if !k.paused {
				t.Error("not paused")
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := &beatsKept{specs: map[string]plan.Spec{"mail": mail, "stopped": stopped, "daily": daily}, states: map[string]string{"mail": "idle", "stopped": "stopped"}}
			desk := &tooltest.Requests{Decision: tt.decision}
			tool := &beatTool{
				own: desk.Asker(event.Session{ID: "s", Title: "Planner"}), service: k, running: func(string) string { return tt.running },
				run: func(_ context.Context, name string) (heartbeats.HeartbeatRunResult, error) {
					return heartbeats.HeartbeatRunResult{RecordID: "run of " + name}, nil
				},
			}
			tools, err := tool.set().Tools(session.Spec{SessionID: "s", CWD: "/here"})
			if err != nil {
				t.Fatal(err)
			}
			out, err := tools[0].Handle(t.Context(), toolserver.Call{Tool: toolserver.Prefix + tools[0].Name, Arguments: json.RawMessage(tt.args)})
			if (err == nil) != (tt.problem == "") || err != nil && !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("error %v, want %q", err, tt.problem)
			}
			raw, _ := json.Marshal(out.Structured)
			if !strings.Contains(string(raw), tt.says) || len(raw) > toolserver.MaxResult {
				t.Errorf("says %s", raw)
			}
			switch {
			case tt.asks == "" && len(desk.Asked) > 0:
				t.Errorf("asked %+v", desk.Asked)
			case tt.asks != "" && (len(desk.Asked) != 1 || !strings.Contains(desk.Asked[0].Description, tt.asks) || desk.Asked[0].NoRemember != tt.person):
				t.Errorf("asked %+v", desk.Asked)
			}
			if tt.check != nil {
				tt.check(t, k)
			}
		})
	}
}
