//go:build linux

package tray

import (
	"strings"
	"testing"
)

func TestTheIconComesAndGoes(t *testing.T) {
	address, stop := startBus(t)
	b := newBackend()
	tray, _, log := openTray(t, b)
	if tray.KeepsRunning(t.Context()) {
		t.Error("it keeps a program that nobody could open again")
	}
	noPlace := func() int { return strings.Count(strings.Join(log.lines(), "\n"), "No system tray available") }
	until[string](t, nil, "it to find no place", func() bool { return noPlace() > 0 })
	d := startDesktop(t, address)
	d.item()
	d.until("it to keep the program", func() bool { return tray.KeepsRunning(t.Context()) })

	// The user turns it off, and on again.
	b.says("settings.get", `{"language":"en","showTray":false,"closeToTray":true,"doNotDisturbUntil":0}`)
	d.noItem()
	if tray.KeepsRunning(t.Context()) {
		t.Error("it keeps the program without an icon")
	}
	b.says("settings.get", `{"language":"en","showTray":true,"closeToTray":false,"doNotDisturbUntil":0}`)
	d.item()
	if tray.KeepsRunning(t.Context()) {
		t.Error("it keeps the program against the person's will")
	}

	// The panel restarts.
	d.leave()
	d.noItem()
	b.says("permission.list", twoWait)
	d.appear()
	d.item()
	d.until("the menu", func() bool { return find(d.menu(), "Fix__the") != nil })
	d.click("Fix__the")
	if got, want := b.called(t), `window.show {"sessionId":"s1"}`; got != want {
		t.Errorf("called %s, want %s", got, want)
	}
	if len(d.registered) > 0 {
		t.Error("it came more often than it went")
	}

	// The bus dies, and nothing else does.
	stop()
	b.says("permission.list", `{"requests":[]}`)
	b.says("session.list", `{"sessions":[{"state":"running"}]}`)
	if tray.KeepsRunning(t.Context()) {
		t.Error("it keeps the program without a bus")
	}
	tray.Close()
	if n := noPlace(); n != 1 {
		t.Errorf("it was said %d times: %s", n, log.lines())
	}
}

func TestNoBus(t *testing.T) {
	for name, address := range map[string]string{"none": "", "a dead one": "unix:path=" + t.TempDir() + "/none"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", t.TempDir()) // dbus-launch would start one
			t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
			t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
			tray, _, log := openTray(t, newBackend())
			if tray.KeepsRunning(t.Context()) {
				t.Error("it keeps the program")
			}
			tray.Close()
			tray.Close()
			if lines := log.lines(); len(lines) != 1 || !strings.Contains(lines[0], "No tray icon") {
				t.Errorf("it said %q", lines)
			}
		})
	}
}
