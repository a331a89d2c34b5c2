//go:build linux

package tray

import (
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"parley/backend/fault"
)

const twoWait = `{"requests":[{"sessionId":"s1","sessionTitle":"Fix_the_upload"},{"sessionId":"s1","sessionTitle":"Fix_the_upload"},{"sessionId":"s2","sessionTitle":""}]}`

func TestTheMenuOverTheBus(t *testing.T) {
	address, _ := startBus(t)
	d, b := startDesktop(t, address), newBackend()
	_, quit, _ := openTray(t, b)
	d.item()
	first := "Nothing is running; No heartbeats; Pause all heartbeats; Mattermost mirror (not connected); " +
		"Do not disturb {For an hour; Until tomorrow at 8:00; Until turned off; Turn off}; Open Parley; Quit Parley"
	// The library's first response has no submenus.
	d.until("the whole menu", func() bool { return labels(d.menu()) == first })
	idle := d.picture()
	if id, title := d.property("Id"), d.property("Title"); id != "Parley" || title != "Parley" {
		t.Errorf("it is called %v, %v", id, title)
	}

	b.says("permission.list", twoWait)
	// An underscore would be a mnemonic.
	d.until("those that wait", func() bool {
		return strings.HasPrefix(labels(d.menu()), "2 sessions are waiting for you; Fix__the__upload; New session; No heartbeats; ")
	})
	d.until("the tooltip", func() bool { return d.tip() == "Parley: 2 sessions are waiting for you" })
	if d.picture() == idle {
		t.Error("the icon is the same")
	}
	d.click("Fix__the")
	if got, want := b.called(t), `window.show {"sessionId":"s1"}`; got != want {
		t.Errorf("called %s, want %s", got, want)
	}

	b.says("permission.list", `{"requests":[]}`)
	b.says("heartbeat.list", `{"heartbeats":[{"name":"Report","state":"running","next":0},{"name":"Old","state":"off","next":0}],"paused":false,"pausedUntil":0}`)
	d.until("the heartbeats", func() bool {
		return strings.HasPrefix(labels(d.menu()), "Nothing is running; Report – is running {Run now; Pause}; Old – paused {Run now; Resume}; Pause all")
	})
	if find(d.menu(), "Run now").enabled {
		t.Error("what runs can be run")
	}
	for _, tt := range []struct {
		path []string
		want string
	}{
		{[]string{"Report", "Pause"}, `heartbeat.enable {"name":"Report","enabled":false}`},
		{[]string{"Old", "Resume"}, `heartbeat.enable {"name":"Old","enabled":true}`},
		{[]string{"Old", "Run now"}, `heartbeat.run {"name":"Old"}`},
		{[]string{"Pause all"}, `heartbeat.pause {"paused":true}`},
		{[]string{"Do not disturb", "Until turned off"}, `settings.set {"doNotDisturbUntil":-1}`},
		{[]string{"Open Parley"}, `window.show {}`},
	} {
		d.click(tt.path...)
		if got := b.called(t); got != tt.want {
			t.Errorf("%v called %s, want %s", tt.path, got, tt.want)
		}
	}
	// A disabled line does nothing, even if a click is reported.
	d.click("Report", "Run now")
	d.event(9999)
	d.click("Mattermost")
	if err := d.conn.Object(d.sender, "/StatusNotifierItem").Call("org.kde.StatusNotifierItem.Activate", 0, int32(0), int32(0)).Err; err != nil {
		t.Fatal(err)
	}
	if got, want := b.called(t), "window.show {}"; got != want {
		t.Errorf("a click on the icon called %s, want %s", got, want)
	}

	b.says("settings.get", `{"language":"de","showTray":true,"closeToTray":true,"doNotDisturbUntil":-1}`)
	d.until("the other language", func() bool { l := find(d.menu(), "Bis es ausgeschaltet"); return l != nil && l.checked })
	d.click("Parley beenden")
	<-quit
}

func TestFailedClickIsReported(t *testing.T) {
	address, _ := startBus(t)
	d, b := startDesktop(t, address), newBackend()
	b.fail("window.show", fault.New(fault.Unavailable, "There is no window."))
	openTray(t, b)
	d.item()
	d.click("Open Parley")
	d.until("the reason", func() bool { return strings.HasPrefix(labels(d.menu()), "Nothing is running; There is no window.; ") })
	b.fail("window.show", nil)
	d.click("Open Parley")
	b.called(t)
	d.until("the reason to go", func() bool { return find(d.menu(), "There is no window") == nil })
}

// An unreadable part does not affect the rest.
func TestAPartThatCannotBeRead(t *testing.T) {
	address, _ := startBus(t)
	d, b := startDesktop(t, address), newBackend()
	b.fail("heartbeat.list", fault.New(fault.Unavailable, "Not now."))
	_, _, log := openTray(t, b)
	d.item()
	for i := range 3 {
		b.says("session.list", fmt.Sprintf(`{"sessions":[%s{"state":"running"},{"state":"idle","unread":true,"error":{"code":"x"}}]}`, strings.Repeat(`{"state":"running"},`, i)))
		d.until("the sessions", func() bool {
			return strings.HasPrefix(d.tip(), "Parley: 1 session failed · ") && strings.Contains(d.tip(), fmt.Sprint(i+1, " session"))
		})
	}
	if n := strings.Count(strings.Join(log.lines(), "\n"), "Couldn't show everything"); n != 1 {
		t.Errorf("it was said %d times: %s", n, log.lines())
	}
}

// A thousand menus leave as many goroutines and places as one.
func TestAThousandMenus(t *testing.T) {
	address, _ := startBus(t)
	d := startDesktop(t, address)
	p, err := openPanel(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	defer p.raise("")
	show := func(i int) {
		s := State{Now: noon(), Running: i % 3, Waiting: make([]Session, i%11), Heartbeats: make([]Heartbeat, i%14), DoNotDisturbUntil: int64(i%2) - 1}
		for j := range s.Waiting {
			s.Waiting[j] = Session{ID: fmt.Sprint(j), Title: fmt.Sprintf("Session %d of %d", j, i)}
		}
		for j := range s.Heartbeats {
			s.Heartbeats[j] = Heartbeat{Name: fmt.Sprintf("Beat %d of %d", j, i), State: []string{"idle", "off", "running"}[(i+j)%3]}
		}
		p.show(picture{mood: IconStateOf(s), tip: Tooltip(s), items: Menu(s)})
	}
	p.raise(<-p.owners())
	d.item()
	count := func() (places, goroutines int, heap uint64) {
		var root layout
		var revision uint32
		if err := d.conn.Object(d.sender, "/StatusNotifierItem/menu").Call("com.canonical.dbusmenu.GetLayout", 0, int32(0), int32(-1), []string{}).Store(&revision, &root); err != nil {
			t.Fatal(err)
		}
		var walk func(layout)
		walk = func(l layout) {
			for _, child := range l.Children {
				places++
				var sub layout
				if err := dbus.Store([]any{child.Value()}, &sub); err != nil {
					t.Fatal(err)
				}
				walk(sub)
			}
		}
		walk(root)
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return places, runtime.NumGoroutine(), m.HeapAlloc
	}
	for i := range 20 {
		show(i)
	}
	count() // the library's first response has no submenus, and its own goroutine
	d.until("the whole menu", func() bool { n, _, _ := count(); return n > 40 })
	places, goroutines, heap := count()
	began := time.Now()
	for i := range 1000 {
		show(i)
	}
	took := time.Since(began)
	p.show(picture{mood: Idle, tip: "Parley", items: Menu(State{Now: noon()})})
	afterPlaces, afterGoroutines, afterHeap := count()
	t.Logf("%v for each menu; %d places, %d goroutines, heap %d kB before and %d kB after", took/1000, afterPlaces, afterGoroutines, heap>>10, afterHeap>>10)
	if afterPlaces != places {
		t.Errorf("%d places became %d", places, afterPlaces)
	}
	d.until(fmt.Sprintf("%d goroutines to be %d", afterGoroutines, goroutines), func() bool { return runtime.NumGoroutine() <= goroutines })
	// This test's desktop first has to process the signals of a thousand menus.
	d.until(fmt.Sprintf("a heap of %d to be about %d", afterHeap, heap), func() bool { _, _, now := count(); return now <= heap+(4<<20) })
	if got := labels(d.menu()); !strings.HasPrefix(got, "Nothing is running; No heartbeats; Pause all") {
		t.Errorf("in the end it says %s", got)
	}
}
