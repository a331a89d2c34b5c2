//go:build linux

package tray

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
	"go.uber.org/goleak"

	"parley/backend/need"
)

func TestMain(m *testing.M) {
	// The tray library logs errors that these tests cause on purpose.
	log.SetOutput(io.Discard)
	// The library's goroutine remains if the connection is closed between two of its lines, one
	// that subscribes to signals and one that waits for them: that can't be prevented from outside.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("fyne.io/systray.stayRegistered"))
}

// startBus runs a separate message bus and makes it the session bus.
func startBus(t *testing.T) (address string, stop func()) {
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
	stop = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(stop)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(line)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	return address, stop
}

// desktop is a fake desktop with a tray.
type desktop struct {
	t    *testing.T
	conn *dbus.Conn
	// registered receives icons as they register, redrawn a signal for each change of one; sender
	// is the latest one.
	registered chan dbus.Sender
	redrawn    chan string
	sender     string
}

func connect(t *testing.T, address string) *dbus.Conn {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func startDesktop(t *testing.T, address string) *desktop {
	t.Helper()
	d := &desktop{t: t, conn: connect(t, address), registered: make(chan dbus.Sender, 64), redrawn: make(chan string, 4096)}
	_, err := prop.Export(d.conn, watcherPath, prop.Map{watcherName: {
		"IsStatusNotifierHostRegistered": {Value: true, Emit: prop.EmitTrue},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.conn.Export(d, watcherPath, watcherName); err != nil {
		t.Fatal(err)
	}
	signals := make(chan *dbus.Signal, 4096)
	d.conn.Signal(signals)
	for _, name := range []string{"org.kde.StatusNotifierItem", "com.canonical.dbusmenu"} {
		if err := d.conn.AddMatchSignal(dbus.WithMatchInterface(name)); err != nil {
			t.Fatal(err)
		}
	}
	go func() {
		for s := range signals {
			select {
			case d.redrawn <- s.Name[strings.LastIndex(s.Name, ".")+1:]:
			default:
			}
		}
	}()
	d.appear()
	return d
}

// appear takes the tray's name on the bus, leave releases it.
func (d *desktop) appear() {
	d.t.Helper()
	if r, err := d.conn.RequestName(watcherName, dbus.NameFlagDoNotQueue); err != nil || r != dbus.RequestNameReplyPrimaryOwner {
		d.t.Fatal(r, err)
	}
}

func (d *desktop) leave() {
	d.t.Helper()
	if _, err := d.conn.ReleaseName(watcherName); err != nil {
		d.t.Fatal(err)
	}
}

// RegisterStatusNotifierItem is called over the bus.
func (d *desktop) RegisterStatusNotifierItem(_ string, sender dbus.Sender) *dbus.Error {
	d.registered <- sender
	return nil
}

// item waits for an icon to appear.
func (d *desktop) item() {
	d.t.Helper()
	select {
	case sender := <-d.registered:
		d.sender = string(sender)
	case <-time.After(patience):
		d.t.Fatal("no icon came")
	}
}

// noItem waits for the icon to disappear.
func (d *desktop) noItem() {
	d.t.Helper()
	d.until("no icon", func() bool {
		return d.conn.Object(d.sender, "/").Call("org.freedesktop.DBus.Peer.Ping", 0).Err != nil
	})
}

func (d *desktop) property(name string) any {
	d.t.Helper()
	v, err := d.conn.Object(d.sender, "/StatusNotifierItem").GetProperty("org.kde.StatusNotifierItem." + name)
	if err != nil {
		d.t.Fatal(err)
	}
	return v.Value()
}

func (d *desktop) tip() string {
	d.t.Helper()
	tip, ok := d.property("ToolTip").([]any)
	if !ok || len(tip) != 4 {
		d.t.Fatalf("the tooltip is %v", tip)
	}
	return fmt.Sprint(tip[2])
}

// picture is the icon's pixels.
func (d *desktop) picture() string { return fmt.Sprint(d.property("IconPixmap")) }

// line is a line of the menu as a panel shows it.
type line struct {
	id      int32
	label   string
	enabled bool
	checked bool
	lines   []line
}

type layout struct {
	ID       int32
	Props    map[string]dbus.Variant
	Children []dbus.Variant
}

func (d *desktop) menu() []line {
	d.t.Helper()
	var revision uint32
	var root layout
	err := d.conn.Object(d.sender, "/StatusNotifierItem/menu").Call("com.canonical.dbusmenu.GetLayout", 0, int32(0), int32(-1), []string{}).Store(&revision, &root)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.lines(root)
}

func (d *desktop) lines(of layout) []line {
	var all []line
	for _, child := range of.Children {
		var l layout
		if err := dbus.Store([]any{child.Value()}, &l); err != nil {
			d.t.Fatal(err)
		}
		if v, ok := l.Props["visible"]; ok && v.Value() == false || l.Props["type"].Value() == "separator" {
			continue
		}
		label, ok := l.Props["label"].Value().(string)
		if !ok {
			d.t.Fatalf("an item without a label: %v", l.Props)
		}
		all = append(all, line{
			id: l.ID, label: label, enabled: l.Props["enabled"].Value() == true, checked: l.Props["toggle-state"].Value() == int32(1), lines: d.lines(l),
		})
	}
	return all
}

func labels(lines []line) string {
	var all []string
	for _, l := range lines {
		text := l.label
		if len(l.lines) > 0 {
			text += " {" + labels(l.lines) + "}"
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// find finds a line that starts with label, in the whole menu.
func find(lines []line, label string) *line {
	for i := range lines {
		if strings.HasPrefix(lines[i].label, label) {
			return &lines[i]
		}
		if found := find(lines[i].lines, label); found != nil {
			return found
		}
	}
	return nil
}

// click clicks the lines that start with these labels, once they exist.
func (d *desktop) click(path ...string) {
	d.t.Helper()
	var at *line
	d.until(fmt.Sprint(path), func() bool {
		lines := d.menu()
		for _, label := range path {
			if at = find(lines, label); at == nil {
				return false
			}
			lines = at.lines
		}
		return true
	})
	d.event(at.id)
}

func (d *desktop) event(id int32) {
	d.t.Helper()
	err := d.conn.Object(d.sender, "/StatusNotifierItem/menu").Call("com.canonical.dbusmenu.Event", 0, id, "clicked", dbus.MakeVariant(int32(0)), uint32(0)).Err
	if err != nil {
		d.t.Fatal(err)
	}
}

// until retries after every change, and occasionally.
func (d *desktop) until(what string, probe func() bool) {
	d.t.Helper()
	until(d.t, d.redrawn, what, probe)
}

// until retries whenever something changed, and occasionally.
func until[T any](t *testing.T, changed <-chan T, what string, probe func() bool) {
	t.Helper()
	late := time.After(patience)
	for !probe() {
		select {
		case <-changed:
		case <-time.After(20 * time.Millisecond):
		case <-late:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// openTray shows a tray for the backend; it is closed by the test or at its end.
func openTray(t *testing.T, b *backend) (tray *Tray, quit chan struct{}, log *said) {
	t.Helper()
	quit, log = make(chan struct{}, 1), &said{}
	tray = Open(Config{
		Call: b.call, Subscribe: b.bus.Subscribe, Quit: func() { quit <- struct{}{} },
		Getenv: func(string) string { return "" }, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	t.Cleanup(sync.OnceFunc(tray.Close))
	return tray, quit, log
}
