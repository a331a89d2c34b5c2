// Package tray is Parley's tray icon: it shows what the program does, lists pending requests, and
// opens the window or ends the program while no window is visible. It is a surface like the gateway
// and the window: it calls the API's methods, receives events from the bus, and only knows the
// features' JSON.
//
// [Menu], [IconStateOf] and [Tooltip] are pure: the display is a function of a [State]. On Linux, a
// panel shows it over D-Bus (StatusNotifierItem); other systems have none. The tray library uses
// the process's one connection and a menu that can't shrink, so the menu is a fixed sequence of
// places that are filled, shown and hidden, and the icon exists exactly while the desktop can show
// it: when the panel ends it is removed, and added again with the next one.
//
// Goroutines, from Open to Close: one owns the displayed state; one reads the event bus;
// one executes clicks, one at a time; one waits for clicks and one watches the system
// tray. The library has another while the icon is shown.
package tray

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"parley/app/method"
	"parley/backend/bus"
)

// Config has a tray's dependencies. All fields are required.
type Config struct {
	// Call calls an API method.
	Call func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Subscribe returns the back end's events, like [bus.Bus.Subscribe].
	Subscribe func(patterns []string, limits bus.Limits) (*bus.Subscription, error)
	// Quit ends the program, or asks the user first. It must return immediately.
	Quit func()
	// Getenv reads the environment, for the language.
	Getenv func(string) string
	Log    *slog.Logger
}

const (
	// quietTime is how long changes are gathered before they are shown.
	quietTime = 200 * time.Millisecond
	// readLimit and clickLimit bound API calls.
	readLimit  = 5 * time.Second
	clickLimit = 30 * time.Second
	// maxClicks is how many clicks may be pending; more are dropped.
	maxClicks = 16
)

// Tray is an icon with its menu.
type Tray struct {
	cfg    Config
	panel  panel
	reader reader
	cancel context.CancelFunc
	tasks  sync.WaitGroup
	dirty  chan struct{}
	clicks chan Action

	mu      sync.Mutex
	problem string
}

// panel is where the desktop shows an icon.
type panel interface {
	// raise shows the icon at an owner of the desktop's tray, or removes it (""); show updates it.
	// Both are called from one goroutine only.
	raise(owner string)
	show(p picture)
	// owners delivers the latest owner of the tray, "" for none.
	owners() <-chan string
	// clicked waits for a click and returns the place in the menu, "" for the icon itself, false at
	// the end of the context.
	clicked(ctx context.Context) (string, bool)
	// holds asks the desktop whether the icon is really shown now.
	holds(ctx context.Context) bool
	close()
}

// picture is everything that is shown.
type picture struct {
	mood  IconState
	tip   string
	items []Item
}

// Open shows a tray. If the desktop has no bus there is none, which is logged and not an error: the
// result then does nothing.
func Open(cfg Config) *Tray {
	t := &Tray{cfg: cfg, dirty: make(chan struct{}, 1), clicks: make(chan Action, maxClicks)}
	p, err := openPanel(cfg.Log)
	if err != nil {
		cfg.Log.Info("No tray icon", "reason", err)
		return t
	}
	t.start(p)
	return t
}

func (t *Tray) start(p panel) {
	t.panel = p
	t.reader = reader{call: t.cfg.Call, getenv: t.cfg.Getenv, log: t.cfg.Log}
	ctx, cancel := context.WithCancel(method.WithSurface(context.Background(), "tray"))
	t.cancel = cancel
	events, err := t.cfg.Subscribe([]string{
		"session.state", "session.done", "session.closed", "sessions.changed", "permissions.changed", "heartbeats.changed", "settings.changed", "problems.changed", "chat.changed",
	}, bus.Limits{})
	if err != nil {
		// The patterns are constants.
		t.cfg.Log.Error("Couldn't subscribe the tray to events", "err", err)
	} else {
		t.tasks.Go(func() { t.hear(ctx, events) })
	}
	shown := make(chan map[string]Action, 1)
	t.tasks.Go(func() { t.listen(ctx, shown) })
	t.tasks.Go(func() { t.work(ctx) })
	t.tasks.Go(func() { t.run(ctx, shown) })
}

// Close removes the icon and waits for all running work.
func (t *Tray) Close() {
	if t.panel == nil {
		return
	}
	t.cancel()
	t.tasks.Wait()
	t.panel.close()
}

// KeepsRunning reports whether the program continues when its window is closed: the user wants that, and
// the icon can be clicked.
func (t *Tray) KeepsRunning(ctx context.Context) bool {
	if !t.IsShown(ctx) {
		return false
	}
	// The shown state lags slightly behind the settings.
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	body, err := t.cfg.Call(ctx, "settings.get", json.RawMessage("{}"))
	var now settingsAnswer
	if err == nil {
		err = json.Unmarshal(body, &now)
	}
	if err != nil {
		t.cfg.Log.Warn("Couldn't read whether the tray keeps Parley running", "err", err)
	}
	return now.ShowTray && now.CloseToTray
}

// IsShown reports whether a user can click the icon.
func (t *Tray) IsShown(ctx context.Context) bool { return t.panel != nil && t.panel.holds(ctx) }

// hear notices that something changed. The new state is read from the API.
func (t *Tray) hear(ctx context.Context, events *bus.Subscription) {
	defer events.Close()
	for {
		if _, err := events.Next(ctx); err != nil {
			return
		}
		t.changed()
	}
}

func (t *Tray) changed() {
	select {
	case t.dirty <- struct{}{}:
	default:
	}
}

// run owns what is shown.
func (t *Tray) run(ctx context.Context, shown chan map[string]Action) {
	var owner string
	var wanted bool
	raise := func() {
		if wanted {
			t.panel.raise(owner)
		} else {
			t.panel.raise("")
		}
	}
	// due is the next update: soon after a change, and when a displayed time has passed.
	due := time.NewTimer(0)
	defer due.Stop()
	gathering := true
	for {
		select {
		case <-ctx.Done():
			t.panel.raise("")
			return
		case owner = <-t.panel.owners():
			raise()
		case <-t.dirty:
			if !gathering {
				gathering = true
				due.Reset(quietTime)
			}
		case <-due.C:
			gathering = false
			state := t.read(ctx)
			if ctx.Err() != nil {
				continue
			}
			wanted = state.Shown
			items := Menu(state)
			replace(shown, actionsOf(items))
			t.panel.show(picture{mood: IconStateOf(state), tip: Tooltip(state), items: items})
			raise()
			due.Reset(state.until())
		}
	}
}

func (t *Tray) read(ctx context.Context) State {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	state := t.reader.read(ctx, time.Now())
	t.mu.Lock()
	state.Problem = t.problem
	t.mu.Unlock()
	return state
}

// listen receives clicks and passes them on to work.
func (t *Tray) listen(ctx context.Context, shown <-chan map[string]Action) {
	var actions map[string]Action
	for {
		place, ok := t.panel.clicked(ctx)
		if !ok {
			return
		}
		select {
		case actions = <-shown:
		default:
		}
		action := Action{Do: DoShow}
		if place != "" {
			if action, ok = actions[place]; !ok {
				continue // it was hidden in the meantime
			}
		}
		select {
		case t.clicks <- action:
		default:
			t.cfg.Log.Warn("Dropped a click; too many are pending", "action", action.Do)
		}
	}
}

// work runs the actions of clicks.
func (t *Tray) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case action := <-t.clicks:
			if action.Do == DoQuit {
				t.cfg.Quit()
				continue
			}
			err := t.carryOut(ctx, action)
			if ctx.Err() != nil {
				return
			}
			t.mu.Lock()
			t.problem = problemOf(err)
			t.mu.Unlock()
			if err != nil {
				t.cfg.Log.Warn("Couldn't handle a click in the tray", "action", action.Do, "err", err)
			}
			t.changed()
		}
	}
}

func (t *Tray) carryOut(ctx context.Context, action Action) error {
	name, params := action.call(time.Now())
	body, err := json.Marshal(params)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, clickLimit)
	defer cancel()
	_, err = t.cfg.Call(ctx, name, body)
	return err
}

// replace puts the latest value into a channel of capacity one.
func replace[T any](c chan T, v T) {
	select {
	case <-c:
	default:
	}
	c <- v
}
