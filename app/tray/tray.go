// Package tray is Parley's icon in the desktop's panel: it shows what the program
// does, lists what waits for a user, and opens the window or ends the program while
// no window is to be seen. It is a surface like the gateway and the window: it calls
// the methods of the table and hears the bus, and knows of the features what their
// JSON says.
//
// [Menu], [MoodOf] and [Tooltip] are pure: what is shown follows from a [State]. On
// Linux a panel shows it over D-Bus (StatusNotifierItem); other systems have none.
// The library below works on the process's one connection and on a menu that cannot
// shrink, so the menu is a fixed row of places that are filled, shown and hidden, and
// the icon is there exactly while the desktop has somewhere to put it: when the panel
// ends it is taken down, and put up again with the next.
//
// Goroutines, from Open to Close: one owns everything that is shown; one hears the bus
// of events; one carries out clicks, one at a time; one waits for clicks and one for
// the desktop's panel. The library has one of its own while the icon is up.
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

// Config is what a tray needs. All fields are required.
type Config struct {
	// Call carries out a method of the border.
	Call func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Subscribe gives the events of the back end; [bus.Bus.Subscribe] does.
	Subscribe func(patterns []string, limits bus.Limits) (*bus.Subscription, error)
	// Quit ends the program, or has the user asked first. It must return at once.
	Quit func()
	// Getenv reads the environment, for the language.
	Getenv func(string) string
	Log    *slog.Logger
}

const (
	// quietTime is how long changes are gathered before they are shown.
	quietTime = 200 * time.Millisecond
	// readLimit and clickLimit bound calls of the border.
	readLimit  = 5 * time.Second
	clickLimit = 30 * time.Second
	// maxClicks is how many clicks may wait; more are dropped.
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
	// raise puts the icon up at an owner of the desktop's place for icons, or takes it
	// down ("" for nowhere); show changes what it shows. Both are called from one
	// goroutine only.
	raise(owner string)
	show(p picture)
	// owners carries who has that place, "" for nobody, the newest only.
	owners() <-chan string
	// clicked waits for a click and returns the place in the menu, "" for the icon
	// itself, false at the end of the context.
	clicked(ctx context.Context) (string, bool)
	// holds asks the desktop whether somebody really shows the icon now.
	holds(ctx context.Context) bool
	close()
}

// picture is all that is shown.
type picture struct {
	mood  Mood
	tip   string
	items []Item
}

// Open begins to show a tray. Where the desktop has no bus there is none, which is
// logged and no error: the result does nothing then.
func Open(cfg Config) *Tray {
	t := &Tray{cfg: cfg, dirty: make(chan struct{}, 1), clicks: make(chan Action, maxClicks)}
	p, err := openPanel(cfg.Log)
	if err != nil {
		cfg.Log.Info("There is no icon in the panel", "reason", err)
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
		t.cfg.Log.Error("The tray cannot hear what happens", "err", err)
	} else {
		t.tasks.Go(func() { t.hear(ctx, events) })
	}
	shown := make(chan map[string]Action, 1)
	t.tasks.Go(func() { t.listen(ctx, shown) })
	t.tasks.Go(func() { t.work(ctx) })
	t.tasks.Go(func() { t.run(ctx, shown) })
}

// Close takes the icon down and waits for everything that was begun.
func (t *Tray) Close() {
	if t.panel == nil {
		return
	}
	t.cancel()
	t.tasks.Wait()
	t.panel.close()
}

// Keeps says whether the program continues when its window is closed: the user wants
// that, and the icon is where they can click it.
func (t *Tray) Keeps(ctx context.Context) bool {
	if !t.Holds(ctx) {
		return false
	}
	// What is shown lags behind the settings for a moment.
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	body, err := t.cfg.Call(ctx, "settings.get", json.RawMessage("{}"))
	var now settingsAnswer
	if err == nil {
		err = json.Unmarshal(body, &now)
	}
	if err != nil {
		t.cfg.Log.Warn("The tray does not know whether it keeps Parley running", "err", err)
	}
	return now.ShowTray && now.CloseToTray
}

// Holds says whether the icon is where a user can click it.
func (t *Tray) Holds(ctx context.Context) bool { return t.panel != nil && t.panel.holds(ctx) }

// hear notes that something changed. What it was is read from the border.
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
	// due is when to look again: soon after a change, and when a time that is shown is
	// over.
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
			t.panel.show(picture{mood: MoodOf(state), tip: Tooltip(state), items: items})
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

// listen takes clicks as they come and leaves them to whoever carries them out.
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
				continue // it was hidden meanwhile
			}
		}
		select {
		case t.clicks <- action:
		default:
			t.cfg.Log.Warn("A click was dropped, because others are not done yet", "action", action.Do)
		}
	}
}

// work carries out clicks.
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
				t.cfg.Log.Warn("A click in the tray could not be carried out", "action", action.Do, "err", err)
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

// replace puts the newest value into a channel that holds one.
func replace[T any](c chan T, v T) {
	select {
	case <-c:
	default:
	}
	c <- v
}
