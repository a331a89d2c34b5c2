package notify_test

import (
	"bufio"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/backend/need"
	"parley/backend/platform/notify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// startBus runs a private message bus and returns its address.
func startBus(t *testing.T) string {
	t.Helper()
	program := need.Program(t, "dbus-daemon", "dbus-daemon")
	cmd := exec.CommandContext(t.Context(), program, "--session", "--nofork", "--print-address", "--address=unix:dir="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// desktop is a fake notification service.
type desktop struct {
	conn *dbus.Conn

	mu    sync.Mutex
	next  uint32
	shown map[uint32]string
	did   []string
}

func startDesktop(t *testing.T, address string) *desktop {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	d := &desktop{conn: conn, shown: map[uint32]string{}}
	if err := conn.Export(d, "/org/freedesktop/Notifications", "org.freedesktop.Notifications"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName("org.freedesktop.Notifications", 0); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *desktop) GetCapabilities() ([]string, *dbus.Error) {
	return []string{"body", "body-markup", "actions"}, nil
}

func (d *desktop) Notify(_ string, replaces uint32, _, title, body string, actions []string, hints map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if replaces == 0 {
		d.next++
		replaces = d.next
	}
	d.shown[replaces] = title
	d.did = append(d.did, fmt.Sprintf("show %d %q %q %v urgency %v", replaces, title, body, actions, hints["urgency"].Value()))
	return replaces, nil
}

func (d *desktop) CloseNotification(id uint32) *dbus.Error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.shown, id)
	d.did = append(d.did, fmt.Sprintf("close %d", id))
	return nil
}

// emit reports a notification event.
func (d *desktop) emit(t *testing.T, name string, args ...any) {
	t.Helper()
	if err := d.conn.Emit("/org/freedesktop/Notifications", "org.freedesktop.Notifications."+name, args...); err != nil {
		t.Fatal(err)
	}
}

func (d *desktop) history() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string{}, d.did...)
}

func openBus(t *testing.T, address string) (*notify.Bus, <-chan string) {
	t.Helper()
	opened := make(chan string, 8)
	b, err := notify.OpenBus(t.Context(), notify.BusConfig{
		Address: address, Opened: func(key string) { opened <- key }, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return b, opened
}

func TestBus(t *testing.T) {
	address := startBus(t)
	d := startDesktop(t, address)
	b, opened := openBus(t, address)
	show := func(n notify.Notification) {
		t.Helper()
		if err := b.Show(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	show(notify.Notification{Key: "a", Title: "Upload", Body: "<b>Waits</b> & waits", Urgent: true})
	show(notify.Notification{Key: "a", Title: "Upload", Body: "Finished."})
	show(notify.Notification{Key: "b", Title: "Notes", Body: "Finished."})
	b.Withdraw(t.Context(), "b")
	b.Withdraw(t.Context(), "b")
	show(notify.Notification{Key: "c", Title: "Third", Body: "Finished."})

	// Dismissing opens nothing; neither does another button, nor a foreign note.
	d.emit(t, "NotificationClosed", uint32(3), uint32(2))
	d.emit(t, "ActionInvoked", uint32(3), "default")
	d.emit(t, "ActionInvoked", uint32(99), "default")
	d.emit(t, "ActionInvoked", "no number", "default")
	d.emit(t, "ActionInvoked", uint32(1), "default")
	if key := <-opened; key != "a" {
		t.Errorf("opened %q", key)
	}
	show(notify.Notification{Key: "c", Title: "Third", Body: "Stopped.", Button: "Open again"})
	d.emit(t, "ActionInvoked", uint32(4), "open")
	if key := <-opened; key != "c" {
		t.Errorf("opened %q", key)
	}
	show(notify.Notification{Key: "d", Title: "Last", Body: "Failed."})
	show(notify.Notification{Key: "e", Title: "Lasting", Body: "Everything has finished.", Lasting: true})
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	select {
	case key := <-opened:
		t.Errorf("opened %q too", key)
	default:
	}
	want := []string{
		`show 1 "Upload" "&lt;b&gt;Waits&lt;/b&gt; &amp; waits" [default Open] urgency 2`,
		`show 1 "Upload" "Finished." [default Open] urgency 1`,
		`show 2 "Notes" "Finished." [default Open] urgency 1`,
		`close 2`,
		`show 3 "Third" "Finished." [default Open] urgency 1`,
		`show 4 "Third" "Stopped." [default Open open Open again] urgency 1`,
		`show 5 "Last" "Failed." [default Open] urgency 1`,
		`show 6 "Lasting" "Everything has finished." [] urgency 1`,
		`close 5`,
	}
	if diff := cmp.Diff(want, d.history()); diff != "" {
		t.Error(diff)
	}
}

func TestNotMoreThanSixteen(t *testing.T) {
	address := startBus(t)
	d := startDesktop(t, address)
	b, _ := openBus(t, address)
	for i := range 40 {
		if err := b.Show(t.Context(), notify.Notification{Key: fmt.Sprint(i), Title: "T", Body: "B"}); err != nil {
			t.Fatal(err)
		}
		d.mu.Lock()
		n := len(d.shown)
		d.mu.Unlock()
		if n > 16 {
			t.Fatalf("%d are shown", n)
		}
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.shown) != 0 {
		t.Errorf("%d are left", len(d.shown))
	}
}

// Without a bus, none is started: it would outlive us.
func TestNothingIsStarted(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	if err := os.WriteFile(filepath.Join(dir, "dbus-launch"), []byte("#!/bin/sh\n: > '"+started+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	if _, err := notify.OpenBus(t.Context(), notify.BusConfig{Opened: func(string) {}, Log: slog.New(slog.DiscardHandler)}); err == nil {
		t.Error("there is a bus")
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("a bus was started")
	}
}

func TestNoDesktop(t *testing.T) {
	for _, address := range []string{"unix:path=" + t.TempDir() + "/none", startBus(t)} {
		if _, err := notify.OpenBus(t.Context(), notify.BusConfig{Address: address, Opened: func(string) {}, Log: slog.New(slog.DiscardHandler)}); err == nil {
			t.Errorf("%s has a desktop", address)
		}
	}
}
