package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/backend/autostart"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/settings"
)

// noBus has nobody show notifications.
func noBus(t *testing.T) {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
}

func TestWindowIsShown(t *testing.T) {
	noBus(t)
	attention := make(marks, 16)
	a, data := newPlace(t, true, attention)
	events := listen(t, a, "notice.*")
	ask[Empty](t.Context(), t, a, "window.show", WindowShowParams{})
	if got := <-attention; got != "raise" {
		t.Error(got)
	}
	s := ask[event.Session](t.Context(), t, a, "session.create", SessionCreateParams{CWD: data})
	ask[Empty](t.Context(), t, a, "window.show", WindowShowParams{SessionID: s.ID})
	if got := <-attention; got != "raise" {
		t.Error(got)
	}
	// The first led nowhere.
	if diff := cmp.Diff(event.Event(&event.NoticeOpened{SessionID: s.ID}), next(t, events)); diff != "" {
		t.Error(diff)
	}
	if _, err := a.Methods().Call(t.Context(), "window.show", json.RawMessage(`{"sessionId":"none"}`)); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
	ask[Empty](t.Context(), t, a, "window.hidden", Empty{})

	without, _ := newPlace(t, false, nil)
	for _, name := range []string{"window.show", "window.hidden"} {
		if _, err := without.Methods().Call(t.Context(), name, nil); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDoNotDisturb(t *testing.T) {
	noBus(t)
	a, _ := newPlace(t, true, make(marks, 64))
	events := listen(t, a, "notice.*")
	until := func(at int64) {
		t.Helper()
		ask[Settings](t.Context(), t, a, "settings.set", SettingsPatch{DoNotDisturbUntil: &at})
	}
	question := func(session, request string) {
		a.Bus().Publish(&event.PermissionRequest{Head: event.Head{SessionID: session}, Question: event.Question{RequestID: request, Kind: "plan"}})
	}
	until(-1)
	question("answered", "1")
	a.Bus().Publish(&event.Done{Head: event.Head{SessionID: "failed"}, Reason: "error"})
	a.Bus().Publish(&event.PermissionResolved{Head: event.Head{SessionID: "answered"}, RequestID: "1"})
	question("waits", "2")
	// The one that was answered meanwhile has nothing to show any more.
	if diff := cmp.Diff(event.Event(&event.NoticeWithdrawn{SessionID: "answered"}), next(t, events)); diff != "" {
		t.Error(diff)
	}
	// One thing is done after the other.
	question("next", "3")
	a.Bus().Publish(&event.PermissionResolved{Head: event.Head{SessionID: "next"}, RequestID: "3"})
	next(t, events)
	// It is told when it may be, and only that.
	until(time.Now().Add(-time.Minute).UnixMilli())
	if diff := cmp.Diff(event.Event(&event.NoticeShown{SessionID: "waits", Kind: "plan"}), next(t, events)); diff != "" {
		t.Error(diff)
	}
	question("later", "4")
	if diff := cmp.Diff(event.Event(&event.NoticeShown{SessionID: "later", Kind: "plan"}), next(t, events)); diff != "" {
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
	set := func(on bool) { ask[Settings](t.Context(), t, a, "settings.set", SettingsPatch{StartAtLogin: &on}) }
	is := func(want bool) {
		t.Helper()
		if on, same := entry.On(); on != want || same != want {
			t.Errorf("the entry is on: %v, the same: %v", on, same)
		}
		if got := ask[Settings](t.Context(), t, a, "settings.get", Empty{}).StartAtLogin; got != want {
			t.Errorf("the setting is %v", got)
		}
	}
	is(false)
	set(true)
	is(true)
	set(false)
	is(false)

	// What cannot be written is not set.
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

	// The setting follows what was switched off elsewhere, the entry a program that moved.
	set(true)
	moved := *a.notices.prefs
	moved.login = &login{entry: autostart.Entry{Path: entry.Path, Command: []string{"/opt/parley", "--hidden"}}}
	moved.checkLogin()
	if on, same := moved.login.entry.On(); !on || !same {
		t.Errorf("after a move it is on: %v, the same: %v", on, same)
	}
	a.notices.prefs.checkLogin()
	is(true)
	if err := os.Remove(entry.Path); err != nil {
		t.Fatal(err)
	}
	a.notices.prefs.checkLogin()
	is(false)

	// A change of the file by hand counts, too.
	on := true
	if _, err := a.notices.prefs.change(SettingsPatch{StartAtLogin: &on}); err != nil {
		t.Fatal(err)
	}
	a.notices.prefs.followLogin()
	if on, _ := entry.On(); !on {
		t.Error("a change by hand does nothing")
	}

	without, _ := newPlace(t, false, nil)
	if _, err := without.Methods().Call(t.Context(), "settings.set", json.RawMessage(`{"startAtLogin":true}`)); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
	ask[Settings](t.Context(), t, without, "settings.set", SettingsPatch{StartAtLogin: new(bool)})
}
