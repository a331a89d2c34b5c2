package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app/diagnostics"
	"parley/app/feature"
	"parley/app/method"
	"parley/app/notices"
	"parley/app/sessions"
	appsettings "parley/app/settings"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/platform/autostart"
	"parley/backend/platform/logbuffer"
	"parley/backend/settings"
)

// noBus disables desktop notifications.
func noBus(t *testing.T) {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
}

func TestWindowIsShown(t *testing.T) {
	noBus(t)
	attention := make(marks, 16)
	a, data := newPlace(t, true, attention)
	events := listen(t, a, "notice.*")
	ask[feature.Empty](t.Context(), t, a, "window.show", notices.WindowShowParams{})
	if got := <-attention; got != "raise" {
		t.Error(got)
	}
	s := ask[event.Session](t.Context(), t, a, "session.create", sessions.SessionCreateParams{CWD: data})
	ask[feature.Empty](t.Context(), t, a, "window.show", notices.WindowShowParams{SessionID: s.ID})
	if got := <-attention; got != "raise" {
		t.Error(got)
	}
	// The first one led nowhere.
	if diff := cmp.Diff(event.Event(&event.NoticeOpened{SessionID: s.ID}), next(t, events)); diff != "" {
		t.Error(diff)
	}
	ask[feature.Empty](t.Context(), t, a, "window.show", notices.WindowShowParams{Folder: data, Linked: true})
	if diff := cmp.Diff(event.Event(&event.NoticeOpened{Folder: data}), next(t, events)); diff != "" {
		t.Error(diff)
	}
	for _, params := range []string{`{"sessionId":"none"}`, `{"folder":"none"}`, `{"folder":"/none at all"}`, `{"sessionId":"none","linked":true}`} {
		if _, err := a.Methods().Call(t.Context(), "window.show", json.RawMessage(params)); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%s: %v", params, err)
		}
	}
	// Only a link's failure is shown in the window.
	if failed, ok := next(t, events).(*event.NoticeOpened); !ok || failed.Failure == "" {
		t.Errorf("%+v", failed)
	}
	ask[feature.Empty](t.Context(), t, a, "window.hidden", feature.Empty{})

	without, _ := newPlace(t, false, nil)
	for _, name := range []string{"window.show", "window.hidden"} {
		if _, err := without.Methods().Call(t.Context(), name, nil); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWindowWhosePageDiesAgainAndAgain(t *testing.T) {
	noBus(t)
	a, data := newPlace(t, true, make(marks, 16))
	window := method.WithSurface(t.Context(), "window")
	s := ask[event.Session](window, t, a, "session.create", sessions.SessionCreateParams{CWD: data, Title: "secret plans"})
	presence := notices.PresenceParams{Sessions: []string{s.ID, "none"}}
	ask[feature.Empty](window, t, a, "notification.setPresence", presence)
	safe := func(ctx context.Context) (bool, []event.AppProblem) {
		t.Helper()
		info := ask[diagnostics.Info](ctx, t, a, "app.info", feature.Empty{})
		return info.SafeMode, info.Problems
	}
	want := func(on bool, problems int) {
		t.Helper()
		if now, said := safe(window); now != on || len(said) != problems {
			t.Errorf("safe mode %t, problems %+v", now, said)
		}
		if now, _ := safe(method.WithSurface(t.Context(), "gateway")); now {
			t.Error("a page in a browser did not die")
		}
	}
	want(false, 0)
	events := listen(t, a, "settings.changed")
	ask[feature.Empty](t.Context(), t, a, "window.hidden", notices.WindowHiddenParams{How: "broken"})
	next(t, events) // the tray shows it
	want(true, 1)
	records, _ := a.book.Find(logbuffer.Query{Level: slog.LevelError, Limit: 10})
	if len(records) != 1 || !strings.HasPrefix(records[0].Attrs, "session="+s.ID+" messages=") || strings.Contains(records[0].Attrs, "secret") {
		t.Errorf("the log says %+v", records)
	}
	// The next page is there.
	ask[feature.Empty](window, t, a, "notification.setPresence", presence)
	next(t, events)
	want(true, 0)
	ask[feature.Empty](window, t, a, "window.leaveSafeMode", feature.Empty{})
	next(t, events)
	want(false, 0)
}

func TestDoNotDisturb(t *testing.T) {
	noBus(t)
	a, _ := newPlace(t, true, make(marks, 64))
	events := listen(t, a, "notice.*")
	until := func(at int64) {
		t.Helper()
		ask[appsettings.Settings](t.Context(), t, a, "settings.set", appsettings.SettingsPatch{DoNotDisturbUntil: &at})
	}
	question := func(session, request string) {
		a.Bus().Publish(&event.PermissionRequest{Head: event.Head{SessionID: session}, Question: event.Question{RequestID: request, Kind: "plan"}})
	}
	until(-1)
	question("answered", "1")
	a.Bus().Publish(&event.Done{Head: event.Head{SessionID: "failed"}, Reason: "error"})
	a.Bus().Publish(&event.PermissionResolved{Head: event.Head{SessionID: "answered"}, RequestID: "1"})
	question("waits", "2")
	// The one answered in the meantime is withdrawn.
	if diff := cmp.Diff(event.Event(&event.NotificationClosed{SessionID: "answered"}), next(t, events)); diff != "" {
		t.Error(diff)
	}
	// Decisions are handled in order.
	question("next", "3")
	a.Bus().Publish(&event.PermissionResolved{Head: event.Head{SessionID: "next"}, RequestID: "3"})
	next(t, events)
	// It is shown once "do not disturb" is off, and nothing else is.
	until(time.Now().Add(-time.Minute).UnixMilli())
	if diff := cmp.Diff(event.Event(&event.NotificationShown{SessionID: "waits", Kind: "plan"}), next(t, events)); diff != "" {
		t.Error(diff)
	}
	question("later", "4")
	if diff := cmp.Diff(event.Event(&event.NotificationShown{SessionID: "later", Kind: "plan"}), next(t, events)); diff != "" {
		t.Error(diff)
	}
}

func TestDisturb(t *testing.T) {
	for _, tt := range []struct {
		until, now int64
		want       bool
	}{{0, 5, true}, {-1, 5, false}, {6, 5, false}, {5, 5, true}} {
		if got := (settings.Tray{DoNotDisturbUntil: tt.until}).Disturb(tt.now); got != tt.want {
			t.Errorf("until %d, at %d: %v", tt.until, tt.now, got)
		}
	}
}

func TestStartAtLogin(t *testing.T) {
	noBus(t)
	a, data := newPlace(t, true, make(marks, 16))
	home := filepath.Dir(data)
	entry := autostart.Entry{
		Path:    filepath.Join(home, ".config", "autostart", "parley.desktop"),
		Command: []string{filepath.Join(home, "parley"), "--hidden", "--data", data},
	}
	set := func(on bool) {
		ask[appsettings.Settings](t.Context(), t, a, "settings.set", appsettings.SettingsPatch{StartAtLogin: &on})
	}
	is := func(want bool) {
		t.Helper()
		if on, same := entry.On(); on != want || same != want {
			t.Errorf("the entry is on: %v, the same: %v", on, same)
		}
		if got := ask[appsettings.Settings](t.Context(), t, a, "settings.get", feature.Empty{}).StartAtLogin; got != want {
			t.Errorf("the setting is %v", got)
		}
	}
	is(false)
	set(true)
	is(true)
	set(false)
	is(false)

	// If writing fails, the setting does not change.
	if err := os.RemoveAll(filepath.Join(home, ".config")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".config"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Methods().Call(t.Context(), "settings.set", json.RawMessage(`{"startAtLogin":true}`)); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
	is(false)
	if err := os.Remove(filepath.Join(home, ".config")); err != nil {
		t.Fatal(err)
	}

	// The setting follows an entry that was turned off elsewhere, and the entry follows a program
	// that was moved.
	set(true)
	moved, err := appsettings.New(appsettings.Config{
		Keep: a.store.Kept, Store: a.store, Log: a.cfg.Logger, Desktop: true, Env: a.cfg.Env, Executable: "/opt/parley", Dirs: a.cfg.Dirs,
	})
	if err != nil {
		t.Fatal(err)
	}
	moved.CheckLogin()
	elsewhere := autostart.Entry{Path: entry.Path, Command: []string{"/opt/parley", "--hidden", "--data", data}}
	if on, same := elsewhere.On(); !on || !same {
		t.Errorf("after a move it is on: %v, the same: %v", on, same)
	}
	a.prefs.CheckLogin()
	is(true)
	if err := os.Remove(entry.Path); err != nil {
		t.Fatal(err)
	}
	a.prefs.CheckLogin()
	is(false)

	// A manual change of the file counts, too.
	on := true
	if _, err := a.prefs.Change(appsettings.SettingsPatch{StartAtLogin: &on}); err != nil {
		t.Fatal(err)
	}
	a.prefs.FollowLogin()
	if on, _ := entry.On(); !on {
		t.Error("a change by hand does nothing")
	}

	without, _ := newPlace(t, false, nil)
	if _, err := without.Methods().Call(t.Context(), "settings.set", json.RawMessage(`{"startAtLogin":true}`)); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
	ask[appsettings.Settings](t.Context(), t, without, "settings.set", appsettings.SettingsPatch{StartAtLogin: new(bool)})
}
