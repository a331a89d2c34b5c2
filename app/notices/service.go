package notices

import (
	"cmp"
	"context"
	"sync"
	"time"

	"parley/app/feature"
	"parley/backend/bus"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/heartbeat"
	"parley/backend/platform/notify"
	"parley/backend/problem"
	"parley/backend/room"
	"parley/backend/settings"
	"parley/backend/style"
)

// Service notifies a user who is not looking about the sessions, and watches files that users edit:
// the settings and their style sheet.
//
// Goroutines: one that reads the sessions' events, one that watches the files; close
// waits for them.
type Service struct {
	cfg Config

	// Leaving asks what to do with running work when the window is closed.
	Leaving *Leaving
	work    *atWork
	safe    safeMode
	policy  *notify.Policy
	cancel  context.CancelFunc
	tasks   sync.WaitGroup

	// beats are heartbeat outcomes to notify about.
	beats chan heartbeat.Notice
	// ailing has an element when the problems changed; told are those already notified about, and
	// belong to the watching goroutine.
	ailing chan struct{}
	told   map[string]bool

	mu sync.Mutex
	// desktop is nil until there is something to show; refused is true after a logged failure.
	desktop *notify.Bus
	refused bool
	closed  bool
	focused bool
	// page are the last known sessions on the window's page.
	page  []string
	shown map[string]bool
	// held are notifications of requests held back by "do not disturb".
	held map[string]notify.Decision
	// browsers are the browser pages being looked at, and when they last said so.
	browsers map[string]time.Time
}

// New returns the service, which does nothing before Start.
func New(cfg Config) *Service {
	n := &Service{cfg: cfg, shown: map[string]bool{}, beats: make(chan heartbeat.Notice, 64), ailing: make(chan struct{}, 1), told: map[string]bool{}, browsers: map[string]time.Time{}}
	n.work = &atWork{sessions: cfg.Live, commands: cfg.Shells.Running, heartbeats: cfg.Heartbeats}
	n.Leaving = &Leaving{work: n.Work, publish: cfg.Bus.Publish, told: n.sayFinished}
	n.policy = notify.NewPolicy(func() notify.Choices {
		s := cfg.Prefs.Values()
		return notify.Choices{
			Done: s.NotifyDone, Question: s.NotifyQuestion, Failure: s.NotifyFailure,
			After: time.Duration(s.NotifyAfterSeconds) * time.Second,
		}
	}, time.Now)
	return n
}

// Work is the running work that ending Parley would interrupt: at most one entry per session, those
// with pending requests first.
func (n *Service) Work(ctx context.Context) []event.Work { return n.work.list(ctx) }

// SafeMode reports whether the window's page renders as plainly as it can.
func (n *Service) SafeMode() bool { return n.safe.isOn() }

// Problems are the service's possible problems.
func (n *Service) Problems() problem.Looks {
	return problem.Looks{problem.WindowHidden: n.safe.problem}
}

func (n *Service) Start() error {
	ctx, cancel := context.WithCancel(context.Background())
	events, err := n.cfg.Bus.Subscribe([]string{
		"session.processing", "session.permission_request", "session.permission_resolved", "session.error", "session.done", "session.closed", "problems.changed",
	}, bus.Limits{})
	if err != nil {
		cancel()
		return err
	}
	n.cancel = cancel
	n.lookAtProblems() // there may be earlier ones
	n.tasks.Go(func() {
		defer events.Close()
		for {
			batch, err := events.Next(ctx)
			if err != nil {
				return
			}
			if batch.Lagged {
				n.lookAtProblems()
			}
			for _, r := range batch.Records {
				if _, changed := r.Event.(*event.ProblemsChanged); changed {
					n.lookAtProblems()
					continue // disks are not checked because of what their own check found
				}
				n.cfg.Disks.Nudge() // a turn may end before the next check
				d := n.policy.Observe(r.Event)
				if done, ok := r.Event.(*event.Done); ok && n.cfg.Ours(done.TurnID) {
					d.Show, d.Happened = "", ""
				}
				n.tell(ctx, d)
			}
		}
	})
	// From here on, changes are reported.
	n.cfg.Prefs.CheckLogin()
	changes, stop := n.cfg.Prefs.Store.Subscribe()
	was := watched{n.cfg.Prefs.Values().StartAtLogin, n.cfg.Style.State(), n.cfg.Book.Last()}
	n.cfg.Problems.Look()
	n.tasks.Go(func() {
		defer stop()
		n.watch(ctx, changes, was)
	})
	return nil
}

func (n *Service) Close() {
	if n.cancel != nil {
		n.cancel()
	}
	n.tasks.Wait()
	n.cfg.Ways.Close()
	n.mu.Lock()
	desktop := n.desktop
	n.desktop, n.closed = nil, true
	n.mu.Unlock()
	n.leave(desktop)
}

// leave closes the connection to the desktop's notifications, if any.
func (n *Service) leave(desktop *notify.Bus) {
	if desktop == nil {
		return
	}
	if err := desktop.Close(); err != nil {
		n.cfg.Log.Debug("Couldn't close the desktop's notifications", "err", err)
	}
}

// failed closes the connection after a notification failed, so that the next one reconnects: the
// desktop may have restarted.
func (n *Service) failed(desktop *notify.Bus) {
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

// tell sends a notification, here and elsewhere.
func (n *Service) tell(ctx context.Context, d notify.Decision) {
	if d.Withdraw {
		n.cfg.Ways.Answered(d.SessionID)
		n.dropHeld(d.SessionID)
	}
	if d.Happened != "" {
		if n.quiet() {
			n.hold(d)
			return
		}
		about, _ := n.cfg.Session(ctx, d.SessionID) // the notification works without a title, too
		title := notify.Title(n.cfg.Book.Clean(about.Title))
		n.abroad(about, title, d.Happened)
		if d.Show != "" {
			n.cfg.Bus.Publish(&event.NotificationShown{SessionID: d.SessionID, Kind: string(d.Show), Title: title})
			if n.cfg.Window && !n.Looking() {
				n.show(ctx, d.SessionID, title, d.Show)
			}
		}
		return
	}
	if d.Withdraw {
		n.withdraw(ctx, d.SessionID)
		n.cfg.Bus.Publish(&event.NotificationClosed{SessionID: d.SessionID})
	}
}

// Heard queues a heartbeat's outcome. It never blocks: of very many at once, some are dropped.
func (n *Service) Heard(b heartbeat.Notice) {
	select {
	case n.beats <- b:
	default:
		n.cfg.Log.Warn("Skipped a heartbeat notification", "heartbeat", b.Title)
	}
}

// Beat notifies about a heartbeat's outcome.
func (n *Service) Beat(ctx context.Context, b heartbeat.Notice) {
	choices, kind := n.cfg.Prefs.Values(), notify.Kind(b.Kind)
	if n.quiet() {
		return
	}
	title := notify.Title(n.cfg.Book.Clean(b.Title))
	about, _ := n.cfg.Session(ctx, b.SessionID) // one that failed before it had a session has none
	about.ID = b.SessionID
	n.abroad(about, title, kind)
	if kind == notify.Found && !choices.NotifyDone || kind != notify.Found && !choices.NotifyFailure {
		return
	}
	n.cfg.Bus.Publish(&event.NotificationShown{SessionID: b.SessionID, Heartbeat: b.Name, Kind: b.Kind, Title: title})
	if n.cfg.Window && !n.Looking() {
		n.show(ctx, cmp.Or(b.SessionID, heartbeatKey+b.Name), title, kind)
	}
}

// show shows a desktop notification. [Service.Opened] handles a click by its key.
func (n *Service) show(ctx context.Context, key, title string, kind notify.Kind) {
	if n.cfg.Attention != nil {
		n.cfg.Attention.Urgent(true)
	}
	desktop := n.open(ctx)
	if desktop == nil {
		return
	}
	words := NoticeWords(n.cfg.Prefs.Values().Language)
	if title == "" {
		title = words.untitled
	}
	if err := desktop.Show(ctx, notify.Notification{Key: key, Title: title, Body: words.Bodies[kind], Urgent: kind != notify.Done && kind != notify.Found}); err != nil {
		n.cfg.Log.Warn("Couldn't show a notification", "err", err)
		n.failed(desktop)
		return
	}
	n.mu.Lock()
	n.shown[key] = true
	n.mu.Unlock()
}

func (n *Service) withdraw(ctx context.Context, sessionID string) {
	n.mu.Lock()
	desktop, was := n.desktop, n.shown[sessionID]
	delete(n.shown, sessionID)
	n.mu.Unlock()
	if desktop != nil && was {
		desktop.Withdraw(ctx, sessionID)
	}
}

// open returns the desktop's notifications, nil if there are none.
func (n *Service) open(ctx context.Context) *notify.Bus {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.desktop != nil || n.closed {
		return n.desktop
	}
	desktop, err := notify.OpenBus(ctx, notify.BusConfig{Opened: n.Opened, Log: n.cfg.Log})
	if err != nil {
		if !n.refused {
			n.cfg.Log.Info("Desktop notifications unavailable", "err", err)
		}
		n.refused = true
		return nil
	}
	n.desktop, n.refused = desktop, false
	return desktop
}

// tryKey is the key of the test notification.
const tryKey = "try"

// try is notification.test.
func (n *Service) try(ctx context.Context, _ feature.Empty) (feature.Empty, error) {
	if !n.cfg.Window {
		return feature.Empty{}, fault.New(fault.Unavailable, "This Parley has no window. Notifications are shown by the browser.")
	}
	desktop := n.open(ctx)
	if desktop == nil {
		return feature.Empty{}, fault.New(fault.Unavailable, "This desktop does not show notifications: org.freedesktop.Notifications is missing from the session bus.")
	}
	words := NoticeWords(n.cfg.Prefs.Values().Language)
	if err := desktop.Show(ctx, notify.Notification{Key: tryKey, Title: "Parley", Body: words.try}); err != nil {
		n.failed(desktop)
		return feature.Empty{}, fault.Wrap(err, fault.Unavailable, "The desktop did not accept the notification.")
	}
	return feature.Empty{}, nil
}

// lookEvery is how often user-edited files are checked.
const lookEvery = time.Second

// watched is the last reported state.
type watched struct {
	login  bool
	style  style.State
	logged uint64
}

// watch notifies pages of changes: the settings, the style sheet and the log. It also checks for
// problems and notifies about them.
func (n *Service) watch(ctx context.Context, changes <-chan settings.Values, was watched) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case b := <-n.beats:
			n.Beat(ctx, b)
			continue
		case <-n.ailing:
			n.tellProblems(ctx)
			continue
		case v := <-changes:
			if v.StartAtLogin != was.login {
				was.login = v.StartAtLogin
				n.cfg.Prefs.FollowLogin()
			}
			n.cfg.Bus.Publish(&event.SettingsChanged{})
			continue
		case <-tick.C:
		}
		n.release(ctx)
		n.cfg.Ways.Tick()
		n.cfg.Prefs.Store.Reload()
		n.cfg.Problems.Look()
		n.cfg.Disks.Tick()
		if now := n.cfg.Style.State(); now != was.style {
			was.style = now
			n.cfg.Bus.Publish(&event.StylesChanged{})
		}
		if last := n.cfg.Book.Last(); last != was.logged {
			was.logged = last
			n.cfg.Bus.Publish(&event.LogAppended{Last: last})
		}
	}
}

// Mention notifies a user who is not looking of a mention in a room. Browser pages do this
// themselves.
func (n *Service) Mention(ctx context.Context, where string, m room.Message) {
	if !n.cfg.Window || n.Looking() || !n.cfg.Prefs.Values().Disturb(time.Now().UnixMilli()) {
		return
	}
	if n.cfg.Attention != nil {
		n.cfg.Attention.Urgent(true)
	}
	desktop := n.open(ctx)
	if desktop == nil {
		return
	}
	note := notify.Notification{Key: roomKey + m.Room, Title: notify.Title(n.cfg.Book.Clean(m.From.Nick + " · " + where)), Body: n.cfg.Book.Clean(room.Line(m.Text))}
	if err := desktop.Show(ctx, note); err != nil {
		n.cfg.Log.Warn("Couldn't show a notification", "err", err)
		n.failed(desktop)
	}
}
