package tray

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fyne.io/systray"
	"github.com/godbus/dbus/v5"
)

const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = "/StatusNotifierWatcher"
	// askLimit bounds requests to the desktop.
	askLimit = time.Second
)

// dbusPanel shows the icon over D-Bus. The tray library has one icon per process, so there is one
// such panel at a time.
//
// The library is never told to quit, which it can do only once and not at all without a bus:
// instead its connection is closed, which also removes the icon and lets it start again.
type dbusPanel struct {
	log *slog.Logger
	// watch is a separate connection, to track the owner of the tray.
	watch *dbus.Conn
	who   chan string
	tasks sync.WaitGroup

	tapped chan struct{}
	// places are all items of the menu, by name; cases wait for clicks on them, the first two for
	// the end and for the icon, and names are those of the others.
	places map[string]*place
	cases  []reflect.SelectCase
	names  []string

	// The following belong to the goroutine that calls raise and show. conn is the library's
	// connection while the icon is shown.
	conn  *dbus.Conn
	owner string
	now   picture
	drawn picture
	icons map[IconState][]byte
	up    atomic.Bool
}

// place is one menu item and its current look.
type place struct {
	item         *systray.MenuItem
	title        string
	off, checked bool
	shown        bool
}

// openPanel fails if there is no session bus. It starts none, which the library would do.
func openPanel(log *slog.Logger) (panel, error) {
	conn, err := dbus.SessionBusPrivateNoAutoStartup()
	if err != nil {
		return nil, fmt.Errorf("find the session's bus: %w", err)
	}
	p := &dbusPanel{log: log, watch: conn, who: make(chan string, 1), tapped: make(chan struct{}, 1), places: map[string]*place{}, icons: map[IconState][]byte{}}
	signals := make(chan *dbus.Signal, 16)
	if err := p.connect(signals); err != nil {
		return nil, errors.Join(fmt.Errorf("ask the session's bus: %w", err), conn.Close())
	}
	for _, m := range Moods() {
		p.icons[m] = Icon(m, iconSize)
	}
	p.build()
	p.tasks.Go(func() { p.follow(signals) })
	return p, nil
}

func (p *dbusPanel) connect(signals chan *dbus.Signal) error {
	if err := p.watch.Auth(nil); err != nil {
		return err
	}
	if err := p.watch.Hello(); err != nil {
		return err
	}
	p.watch.Signal(signals)
	return p.watch.AddMatchSignal(
		dbus.WithMatchSender("org.freedesktop.DBus"), dbus.WithMatchInterface("org.freedesktop.DBus"),
		dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, watcherName),
	)
}

// follow reports the owner of the tray, until the connection is closed.
func (p *dbusPanel) follow(signals <-chan *dbus.Signal) {
	owner, err := p.ownerOf(watcherName)
	if err != nil {
		p.log.Info("No system tray available", "reason", err)
	}
	replace(p.who, owner)
	for s := range signals {
		if s.Name != "org.freedesktop.DBus.NameOwnerChanged" || len(s.Body) < 3 || s.Body[0] != watcherName {
			continue
		}
		if owner, ok := s.Body[2].(string); ok {
			replace(p.who, owner)
		}
	}
	replace(p.who, "") // the bus is gone
}

func (p *dbusPanel) ownerOf(name string) (owner string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	err = p.watch.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetNameOwner", 0, name).Store(&owner)
	return owner, err
}

func (p *dbusPanel) owners() <-chan string { return p.who }

// build creates all places, hidden. Nothing is sent while there is no connection.
func (p *dbusPanel) build() {
	systray.ResetMenu()
	// The library gives each item an unbuffered channel, and drops a click that nobody is waiting
	// for.
	add := func(name string, item *systray.MenuItem) {
		item.ClickedCh = make(chan struct{}, 1)
		item.Hide()
		p.places[name] = &place{item: item}
		p.names = append(p.names, name)
	}
	for _, i := range places() {
		switch {
		case i.Title == "":
			systray.AddSeparator()
			continue
		case i.Check:
			add(i.Place, systray.AddMenuItemCheckbox("", "", false))
		default:
			add(i.Place, systray.AddMenuItem("", ""))
		}
		for _, sub := range i.Items {
			if sub.Check {
				add(sub.Place, p.places[i.Place].item.AddSubMenuItemCheckbox("", "", false))
			} else {
				add(sub.Place, p.places[i.Place].item.AddSubMenuItem("", ""))
			}
		}
	}
	p.cases = make([]reflect.SelectCase, 2, 2+len(p.names))
	p.cases[1] = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(p.tapped)}
	for _, name := range p.names {
		p.cases = append(p.cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(p.places[name].item.ClickedCh)})
	}
	systray.SetTitle("Parley")
	systray.SetOnTapped(func() {
		select {
		case p.tapped <- struct{}{}:
		default:
		}
	})
}

func (p *dbusPanel) clicked(ctx context.Context) (string, bool) {
	p.cases[0] = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ctx.Done())}
	switch i, _, _ := reflect.Select(p.cases); i {
	case 0:
		return "", false
	case 1:
		return "", true
	default:
		return p.names[i-2], true
	}
}

func (p *dbusPanel) raise(owner string) {
	if owner == p.owner {
		return
	}
	p.lower()
	if p.owner = owner; owner == "" {
		return
	}
	start, _ := systray.RunWithExternalLoop(nil, nil)
	start()
	// The library does not report success, and shares this connection.
	conn, err := dbus.SessionBus()
	if err == nil {
		var got string
		if got, err = p.ownerOf(fmt.Sprintf("org.kde.StatusNotifierItem-%d-1", os.Getpid())); err == nil && got != conn.Names()[0] {
			err = errors.New("another has its name")
		}
	}
	if err != nil {
		p.log.Warn("Couldn't show the tray icon", "err", err)
		return
	}
	p.conn = conn
	p.up.Store(true)
	p.drawn = picture{}
	p.draw()
	p.log.Info("Tray icon shown")
}

func (p *dbusPanel) lower() {
	if p.conn == nil {
		return
	}
	p.up.Store(false)
	if err := p.conn.Close(); err != nil && !errors.Is(err, dbus.ErrClosed) {
		p.log.Debug("Couldn't disconnect from the tray", "err", err)
	}
	p.conn = nil
}

func (p *dbusPanel) show(now picture) {
	p.now = now
	p.draw()
}

// draw sends the changes.
func (p *dbusPanel) draw() {
	if p.conn == nil || !p.conn.Connected() || p.now.items == nil {
		return
	}
	defer func() {
		// The library panics if the connection breaks at this moment.
		if r := recover(); r != nil {
			p.log.Warn("Tray went away while drawing the icon", "reason", fmt.Sprint(r))
		}
	}()
	if p.now.mood != p.drawn.mood {
		systray.SetIcon(p.icons[p.now.mood])
	}
	if p.now.tip != p.drawn.tip {
		systray.SetTooltip(p.now.tip)
	}
	wanted := map[string]bool{}
	var fill func([]Item)
	fill = func(items []Item) {
		for _, i := range items {
			if i.Title == "" {
				continue
			}
			wanted[i.Place] = true
			p.places[i.Place].fill(i)
			fill(i.Items)
		}
	}
	fill(p.now.items)
	for _, name := range p.names {
		if at := p.places[name]; at.shown && !wanted[name] {
			at.shown = false
			at.item.Hide()
		}
	}
	p.drawn = p.now
}

// fill updates a place. Every call of the library is a signal on the bus.
func (p *place) fill(i Item) {
	// An underscore would be a mnemonic.
	if title := strings.ReplaceAll(i.Title, "_", "__"); title != p.title {
		p.title = title
		p.item.SetTitle(title)
	}
	if i.Off != p.off {
		if p.off = i.Off; i.Off {
			p.item.Disable()
		} else {
			p.item.Enable()
		}
	}
	if i.Checked != p.checked {
		if p.checked = i.Checked; i.Checked {
			p.item.Check()
		} else {
			p.item.Uncheck()
		}
	}
	if !p.shown {
		p.shown = true
		p.item.Show()
	}
}

func (p *dbusPanel) holds(ctx context.Context) bool {
	if !p.up.Load() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	var shown dbus.Variant
	err := p.watch.Object(watcherName, watcherPath).CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", dbus.FlagNoAutoStart,
		watcherName, "IsStatusNotifierHostRegistered").Store(&shown)
	return err == nil && shown.Value() == true
}

func (p *dbusPanel) close() {
	if err := p.watch.Close(); err != nil && !errors.Is(err, dbus.ErrClosed) {
		p.log.Debug("Couldn't disconnect from the session bus", "err", err)
	}
	p.tasks.Wait()
}
