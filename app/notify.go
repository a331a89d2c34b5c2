package app

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley/app/method"
	"parley/backend/bus"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/heartbeat"
	"parley/backend/logbook"
	"parley/backend/notify"
	"parley/backend/settings"
)

// Attention is how a window asks for a person's: it is marked on the desktop, or comes
// to the front.
type Attention interface {
	// Urgent marks the window, or takes the mark away.
	Urgent(on bool)
	Raise()
}

// notices tells a person who is not looking of what the sessions do, and watches what
// people change by hand: the settings and their style sheet.
//
// Goroutines: one that hears the sessions' events, one that looks at the files; close
// waits for them.
type notices struct {
	noticesConfig

	policy *notify.Policy
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	// beats are what became of heartbeats and is not told yet.
	beats chan heartbeat.Notice

	mu sync.Mutex
	// desktop is nil until there is something to show; refused is true after a failure
	// that was logged.
	desktop *notify.Bus
	refused bool
	closed  bool
	focused bool
	shown   map[string]bool
	// held are questions that were not told, because nobody was to be disturbed.
	held map[string]notify.Kind
}

// noticesConfig is what notices need. All fields but Attention are required.
type noticesConfig struct {
	data  string
	prefs *preferences
	book  *logbook.Book
	bus   *bus.Bus
	title func(ctx context.Context, sessionID string) string
	// ours says whether a turn was a heartbeat's, which tells of it by itself.
	ours func(turnID string) bool
	// warnings are what is known to be wrong now.
	warnings func() []string
	// desktop says that there is a window, and attention asks for it.
	window    bool
	attention Attention
	log       *slog.Logger
}

func newNotices(cfg noticesConfig) *notices {
	n := &notices{noticesConfig: cfg, shown: map[string]bool{}, beats: make(chan heartbeat.Notice, 64)}
	n.policy = notify.NewPolicy(func() notify.Choices {
		s := cfg.prefs.get()
		return notify.Choices{
			Done: s.NotifyDone, Question: s.NotifyQuestion, Failure: s.NotifyFailure,
			After: time.Duration(s.NotifyAfterSeconds) * time.Second,
		}
	}, time.Now)
	return n
}

func (n *notices) start() error {
	ctx, cancel := context.WithCancel(context.Background())
	events, err := n.bus.Subscribe([]string{
		"session.processing", "session.permission_request", "session.permission_resolved", "session.done", "session.closed",
	}, bus.Limits{})
	if err != nil {
		cancel()
		return err
	}
	n.cancel = cancel
	n.tasks.Go(func() {
		defer events.Close()
		for {
			batch, err := events.Next(ctx)
			if err != nil {
				return
			}
			for _, r := range batch.Records {
				d := n.policy.Observe(r.Event)
				if done, ok := r.Event.(*event.Done); ok && n.ours(done.TurnID) {
					d.Show = ""
				}
				n.tell(ctx, d)
			}
		}
	})
	// What changes from here on is told.
	n.prefs.checkLogin()
	changes, stop := n.prefs.store.Subscribe()
	was := watched{n.prefs.get().StartAtLogin, n.styleStamp(), n.book.Last(), n.warnings()}
	n.tasks.Go(func() {
		defer stop()
		n.watch(ctx, changes, was)
	})
	return nil
}

func (n *notices) close() {
	if n.cancel != nil {
		n.cancel()
	}
	n.tasks.Wait()
	n.mu.Lock()
	desktop := n.desktop
	n.desktop, n.closed = nil, true
	n.mu.Unlock()
	n.leave(desktop)
}

// leave closes the desktop's notifications, if there are any.
func (n *notices) leave(desktop *notify.Bus) {
	if desktop == nil {
		return
	}
	if err := desktop.Close(); err != nil {
		n.log.Debug("Closing the desktop's notifications failed", "err", err)
	}
}

// failed hangs up on a desktop that took no notification, so that the next one asks
// again: it may have been started anew.
func (n *notices) failed(desktop *notify.Bus) {
	n.mu.Lock()
	ours := n.desktop == desktop
	if ours {
		n.desktop = nil
	}
	n.mu.Unlock()
	if ours {
		n.leave(desktop)
	}
}

// tell passes a decision on to whoever shows notifications.
func (n *notices) tell(ctx context.Context, d notify.Decision) {
	if d.Show != "" {
		if n.quiet() {
			n.hold(d.SessionID, d.Show)
			return
		}
		title := notify.Title(n.book.Clean(n.title(ctx, d.SessionID)))
		n.bus.Publish(&event.NoticeShown{SessionID: d.SessionID, Kind: string(d.Show), Title: title})
		if n.window && !n.looking() {
			n.show(ctx, d.SessionID, title, d.Show)
		}
		return
	}
	if d.Withdraw {
		n.dropHeld(d.SessionID)
		n.withdraw(ctx, d.SessionID)
		n.bus.Publish(&event.NoticeWithdrawn{SessionID: d.SessionID})
	}
}

// heard takes what became of a heartbeat, to be told. It waits for nothing: of very many
// at once not all are told.
func (n *notices) heard(b heartbeat.Notice) {
	select {
	case n.beats <- b:
	default:
		n.log.Warn("A notification of a heartbeat was left out", "heartbeat", b.Title)
	}
}

// beat tells what became of a heartbeat.
func (n *notices) beat(ctx context.Context, b heartbeat.Notice) {
	choices, kind := n.prefs.get(), notify.Kind(b.Kind)
	if kind == notify.Found && !choices.NotifyDone || kind != notify.Found && !choices.NotifyFailure || n.quiet() {
		return
	}
	title := notify.Title(n.book.Clean(b.Title))
	n.bus.Publish(&event.NoticeShown{SessionID: b.SessionID, Heartbeat: b.Name, Kind: b.Kind, Title: title})
	if n.window && !n.looking() {
		n.show(ctx, cmp.Or(b.SessionID, heartbeatKey+b.Name), title, kind)
	}
}

func (n *notices) looking() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.focused
}

// show puts a note on the desktop. What its key leads to, [notices.opened] says.
func (n *notices) show(ctx context.Context, key, title string, kind notify.Kind) {
	if n.attention != nil {
		n.attention.Urgent(true)
	}
	desktop := n.open(ctx)
	if desktop == nil {
		return
	}
	words := noticeWords(n.prefs.get().Language)
	if title == "" {
		title = words.untitled
	}
	if err := desktop.Show(ctx, notify.Note{Key: key, Title: title, Body: words.bodies[kind], Urgent: kind != notify.Done && kind != notify.Found}); err != nil {
		n.log.Warn("A notification could not be shown", "err", err)
		n.failed(desktop)
		return
	}
	n.mu.Lock()
	n.shown[key] = true
	n.mu.Unlock()
}

func (n *notices) withdraw(ctx context.Context, sessionID string) {
	n.mu.Lock()
	desktop, was := n.desktop, n.shown[sessionID]
	delete(n.shown, sessionID)
	n.mu.Unlock()
	if desktop != nil && was {
		desktop.Withdraw(ctx, sessionID)
	}
}

// open returns the desktop's notifications, nil where there are none.
func (n *notices) open(ctx context.Context) *notify.Bus {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.desktop != nil || n.closed {
		return n.desktop
	}
	desktop, err := notify.OpenBus(ctx, notify.BusConfig{Opened: n.opened, Log: n.log})
	if err != nil {
		if !n.refused {
			n.log.Info("The desktop shows no notifications", "err", err)
		}
		n.refused = true
		return nil
	}
	n.desktop, n.refused = desktop, false
	return desktop
}

// present is told what a page has in front of a person.
func (n *notices) present(ctx context.Context, p PresenceParams) {
	if method.Surface(ctx) != "window" {
		return // a page in a browser decides for itself
	}
	n.mu.Lock()
	n.focused = p.Focused
	n.mu.Unlock()
	if !p.Focused {
		return
	}
	if n.attention != nil {
		n.attention.Urgent(false)
	}
	for _, id := range p.Sessions {
		n.withdraw(ctx, id)
	}
}

// tryKey is the key of the note that is shown to see whether it works.
const tryKey = "try"

func (n *notices) try(ctx context.Context) error {
	if !n.window {
		return fault.New(fault.Unavailable, "This Parley has no window, so the browser shows its notifications.")
	}
	desktop := n.open(ctx)
	if desktop == nil {
		return fault.New(fault.Unavailable, "This desktop shows no notifications: nothing answers as org.freedesktop.Notifications on the session's bus.")
	}
	words := noticeWords(n.prefs.get().Language)
	if err := desktop.Show(ctx, notify.Note{Key: tryKey, Title: "Parley", Body: words.try}); err != nil {
		n.failed(desktop)
		return fault.Wrap(err, fault.Unavailable, "The desktop did not take the notification.")
	}
	return nil
}

// lookEvery is how often files that people change by hand are looked at.
const lookEvery = time.Second

// watched is what was told last.
type watched struct {
	login    bool
	style    fileStamp
	logged   uint64
	warnings []string
}

// watch tells pages of what changed: the settings, the style sheet, the log, and what is
// wrong.
func (n *notices) watch(ctx context.Context, changes <-chan settings.Values, was watched) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case b := <-n.beats:
			n.beat(ctx, b)
			continue
		case v := <-changes:
			if v.StartAtLogin != was.login {
				was.login = v.StartAtLogin
				n.prefs.followLogin()
			}
			n.bus.Publish(&event.SettingsChanged{})
			continue
		case <-tick.C:
		}
		n.release(ctx)
		n.prefs.store.Reload()
		if now := n.warnings(); !slices.Equal(now, was.warnings) {
			was.warnings = now
			n.bus.Publish(&event.SettingsChanged{})
		}
		if now := n.styleStamp(); now != was.style {
			was.style = now
			n.bus.Publish(&event.StylesChanged{})
		}
		if last := n.book.Last(); last != was.logged {
			was.logged = last
			n.bus.Publish(&event.LogGrew{Last: last})
		}
	}
}

// fileStamp tells whether a file is the one that was looked at.
type fileStamp struct {
	modified time.Time
	size     int64
}

func (n *notices) styleStamp() fileStamp {
	info, err := os.Stat(filepath.Join(n.data, styleFile))
	if err != nil {
		return fileStamp{}
	}
	return fileStamp{info.ModTime(), info.Size()}
}
