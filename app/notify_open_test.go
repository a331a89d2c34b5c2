package app

import (
	"bufio"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"

	"parley/backend/event"
	"parley/backend/heartbeat"
	"parley/backend/room"
)

// clicker is a desktop on which the newest notification can be clicked.
type clicker struct {
	conn *dbus.Conn
	next atomic.Uint32
}

func (*clicker) GetCapabilities() ([]string, *dbus.Error) { return []string{"actions"}, nil }

func (*clicker) CloseNotification(uint32) *dbus.Error { return nil }

func (c *clicker) Notify(string, uint32, string, string, string, []string, map[string]dbus.Variant, int32) (uint32, *dbus.Error) {
	return c.next.Add(1), nil
}

func (c *clicker) click(t *testing.T) {
	t.Helper()
	if err := c.conn.Emit("/org/freedesktop/Notifications", "org.freedesktop.Notifications.ActionInvoked", c.next.Load(), "default"); err != nil {
		t.Fatal(err)
	}
}

func newClicker(t *testing.T) *clicker {
	t.Helper()
	program, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("there is no dbus-daemon here")
	}
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
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(address)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	c := &clicker{conn: conn}
	if err := conn.Export(c, "/org/freedesktop/Notifications", "org.freedesktop.Notifications"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName("org.freedesktop.Notifications", 0); err != nil {
		t.Fatal(err)
	}
	return c
}

// A clicked notification opens its subject: a room, a session, or a heartbeat that failed before it
// had one.
func TestNotesLeadWhereTheyAreAbout(t *testing.T) {
	desk := newClicker(t)
	a, _ := newPlace(t, true, make(marks, 64))
	events := listen(t, a, "notice.opened")
	said := room.Message{Room: "r1", From: room.Speaker{Nick: "reviewer"}, Text: "@ada look"}
	for _, one := range []struct {
		show func()
		want event.NoticeOpened
	}{
		{func() { a.notices.Mention(t.Context(), "build", said) }, event.NoticeOpened{RoomID: "r1"}},
		{func() {
			a.notices.Beat(t.Context(), heartbeat.Notice{Name: "nightly", Title: "Nightly", Kind: "failed"})
		}, event.NoticeOpened{Heartbeat: "nightly"}},
		{func() {
			a.notices.Beat(t.Context(), heartbeat.Notice{SessionID: "s", Name: "nightly", Title: "Nightly", Kind: "found"})
		}, event.NoticeOpened{SessionID: "s"}},
	} {
		one.show()
		desk.click(t)
		if diff := cmp.Diff(event.Event(&one.want), next(t, events)); diff != "" {
			t.Error(diff)
		}
	}
}
