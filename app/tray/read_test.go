package tray

import (
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app"
	appchat "parley/app/chat"
	"parley/app/diagnostics"
	"parley/app/heartbeats"
	"parley/app/permissions"
	"parley/app/sessions"
	appsettings "parley/app/settings"
	"parley/backend/chat"
	"parley/backend/event"
	"parley/backend/heartbeat/plan"
	"parley/backend/settings"
)

// The state is read from the API's own types, not from this package's copies.
func TestWhatTheBorderSays(t *testing.T) {
	b := newBackend()
	for method, answer := range map[string]any{
		"settings.get": appsettings.Settings{
			Appearance: settings.Appearance{Language: "de"}, Tray: settings.Tray{ShowTray: true, CloseToTray: true, DoNotDisturbUntil: 7},
		},
		"permission.list": permissions.PermissionList{Requests: []permissions.OpenQuestion{
			{SessionID: "a", SessionTitle: "A"}, {SessionID: "b", SessionTitle: "B"}, {SessionID: "a", SessionTitle: "A"},
		}},
		"session.list": sessions.SessionList{Sessions: []event.Session{
			{ID: "r", Title: "R", State: "running", ListState: event.ListState{Mirror: &event.Mirror{On: true}}}, {ID: "s", State: "starting", ListState: event.ListState{Mirror: &event.Mirror{}}}, {State: "compacting"}, {State: "interrupting"}, {State: "idle"}, {ID: "c", State: "closed"},
			{State: "waiting"}, {State: "running", Error: &event.SessionError{}, ListState: event.ListState{Unread: true}},
			{ID: "f", Title: "F", State: "closed", Error: &event.SessionError{}, ListState: event.ListState{Unread: true}},
			{ID: "l", Title: "L", State: "closed", Error: &event.SessionError{Code: event.FailRateLimit}, ListState: event.ListState{Unread: true}},
			{ID: "x", Title: "X", State: "closed", Retry: &event.Retry{Attempt: 9}},
			{ID: "t", Title: "T", State: "running", Retry: &event.Retry{Attempt: 2, MaxRetries: 10, HTTPStatus: 529}, ListState: event.ListState{Mirror: &event.Mirror{}}},
			{State: "failed", Error: &event.SessionError{}}, {State: "idle", ListState: event.ListState{Unread: true}},
		}},
		"app.problems":   diagnostics.Problems{Problems: []event.AppProblem{{ID: "rooms_rebuilt", Title: "The rooms were damaged.", Facts: map[string]string{"kept": "3"}}, {ID: "later", Title: "Something new."}}},
		"mattermost.get": appchat.ChatState{Connection: chat.Connection{State: "connected"}},
		"heartbeat.list": heartbeats.HeartbeatList{Paused: true, PausedUntil: 9, Heartbeats: []heartbeats.Heartbeat{
			{Spec: plan.Spec{Name: "h"}, State: "idle", Next: 8},
		}},
	} {
		body, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		b.answers[method] = string(body)
	}
	r := reader{call: b.call, getenv: func(string) string { return "" }, log: slog.New(slog.DiscardHandler)}
	want := State{
		Now: noon(), Language: "de", Shown: true, DoNotDisturbUntil: 7, Paused: true, PausedUntil: 9,
		Waiting: []Session{{"a", "A"}, {"b", "B"}}, Running: 5, Retrying: 1, Failed: 2, Limited: 1, Heartbeats: []Heartbeat{{"h", "idle", 8}},
		Warnings: []string{"Die Räume waren beschädigt. 3 Einträge blieben erhalten; manches, was gesagt wurde, fehlt vielleicht.", "Something new."},
		Chat:     "connected", Recent: []Mirrored{{"r", "R", true}, {"s", "", false}, {"t", "T", false}},
		Trouble: []Trouble{
			{Session: Session{"f", "F"}, Code: event.FailTurn}, {Session: Session{"l", "L"}, Code: event.FailRateLimit},
			{Session: Session{"t", "T"}, Attempt: 2, Most: 10, Status: 529},
		},
	}
	if diff := cmp.Diff(want, r.read(t.Context(), noon())); diff != "" {
		t.Error(diff)
	}
}

// The methods of clicks exist, and accept their parameters.
func TestWhatClicksCall(t *testing.T) {
	table := app.Methods(slog.New(slog.DiscardHandler))
	for _, do := range []Command{DoShow, DoRun, DoResume, DoPause, DoResumeAll, DoPauseAll, DoQuiet, DoMirror, DoUnmirror} {
		name, params := Action{Do: do, Arg: "on"}.call(noon())
		body, err := json.Marshal(params)
		if err != nil {
			t.Fatal(err)
		}
		// It is the service that refuses: the parameters were accepted.
		if _, err := table.Call(t.Context(), name, body); err == nil || problemOf(err) != "Parley is shutting down. Start it again, then try once more." {
			t.Errorf("%s with %s: %v", name, body, err)
		}
	}
}
