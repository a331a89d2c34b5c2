package tray

import (
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app"
	"parley/backend/chat"
	"parley/backend/event"
	"parley/backend/heartbeat/plan"
	"parley/backend/settings"
)

// What is read is what the border has: its own types, not what this package thinks.
func TestWhatTheBorderSays(t *testing.T) {
	b := newBackend()
	for method, answer := range map[string]any{
		"settings.get": app.Settings{
			Look: settings.Look{Language: "de"}, Tray: settings.Tray{ShowTray: true, CloseToTray: true, DoNotDisturbUntil: 7},
		},
		"permission.list": app.PermissionList{Requests: []app.OpenQuestion{
			{SessionID: "a", SessionTitle: "A"}, {SessionID: "b", SessionTitle: "B"}, {SessionID: "a", SessionTitle: "A"},
		}},
		"session.list": app.SessionList{Sessions: []event.Session{
			{ID: "r", Title: "R", State: "running", Shelf: event.Shelf{Mirror: &event.Mirror{On: true}}}, {ID: "s", State: "starting", Shelf: event.Shelf{Mirror: &event.Mirror{}}}, {State: "compacting"}, {State: "interrupting"}, {State: "idle"}, {ID: "c", State: "closed"},
			{State: "waiting"}, {State: "running", Error: &event.SessionError{}, Shelf: event.Shelf{Unread: true}},
			{State: "failed", Error: &event.SessionError{}, Shelf: event.Shelf{Unread: true}},
			{State: "failed", Error: &event.SessionError{}}, {State: "idle", Shelf: event.Shelf{Unread: true}},
		}},
		"app.warnings": app.Warnings{Warnings: []string{"The rooms were damaged."}},
		"chat.get":     app.ChatState{Connection: chat.Connection{State: "connected"}},
		"heartbeat.list": app.HeartbeatList{Paused: true, PausedUntil: 9, Heartbeats: []app.Heartbeat{
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
		Waiting: []Session{{"a", "A"}, {"b", "B"}}, Running: 5, Failed: 1, Heartbeats: []Heartbeat{{"h", "idle", 8}},
		Warnings: []string{"The rooms were damaged."},
		Chat:     "connected", Recent: []Mirrored{{"r", "R", true}, {"s", "", false}},
	}
	if diff := cmp.Diff(want, r.read(t.Context(), noon())); diff != "" {
		t.Error(diff)
	}
}

// The methods that clicks call are in the table, and take what they are given.
func TestWhatClicksCall(t *testing.T) {
	table := app.NewTable(slog.New(slog.DiscardHandler), app.Services{Closing: func() bool { return true }})
	for _, do := range []Do{DoShow, DoRun, DoResume, DoPause, DoResumeAll, DoPauseAll, DoQuiet, DoMirror, DoUnmirror} {
		name, params := Action{Do: do, Arg: "on"}.call(noon())
		body, err := json.Marshal(params)
		if err != nil {
			t.Fatal(err)
		}
		// The service is what refuses: it comes after the parameters.
		if _, err := table.Call(t.Context(), name, body); err == nil || problemOf(err) != "Parley is shutting down. Start it again, then try once more." {
			t.Errorf("%s with %s: %v", name, body, err)
		}
	}
}
