package notices

import (
	"context"
	"time"

	"parley/backend/fault"
	"parley/backend/platform/notify"
)

// maxHeld bounds the notifications held back during "do not disturb".
const maxHeld = 64

// quiet reports whether "do not disturb" is on.
func (n *Service) quiet() bool { return !n.cfg.Prefs.Values().Disturb(time.Now().UnixMilli()) }

// hold keeps a request's notification for after "do not disturb". Outcomes and failures are not
// repeated later: the list of sessions shows them.
func (n *Service) hold(d notify.Decision) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if d.Happened != notify.Question && d.Happened != notify.Plan {
		return
	}
	if n.held == nil {
		n.held = map[string]notify.Decision{}
	}
	if len(n.held) < maxHeld {
		d.Withdraw = false
		n.held[d.SessionID] = d
	}
}

// release shows held notifications that are still relevant, once "do not disturb" is off.
func (n *Service) release(ctx context.Context) {
	n.mu.Lock()
	held := n.held
	n.mu.Unlock()
	if len(held) == 0 || n.quiet() {
		return
	}
	n.mu.Lock()
	held, n.held = n.held, nil
	n.mu.Unlock()
	for _, d := range held {
		n.tell(ctx, d)
	}
}

// dropHeld drops a request that was answered.
func (n *Service) dropHeld(sessionID string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.held, sessionID)
}

// The keys of the notifications that the window is only hidden, and that Parley ended.
const (
	hiddenKey   = "hidden"
	finishedKey = "finished"
)

// Why there is no visible window.
const (
	hiddenTray       = "tray"
	hiddenBackground = LeaveBackground
	hiddenStuck      = LeaveStuck
	hiddenBroken     = "broken"
)

// sayHidden tells the user how to get the window back. It responds to their action, so it is shown
// despite "do not disturb", except for what they know already.
func (n *Service) sayHidden(ctx context.Context, how string) error {
	if !n.cfg.Window {
		return fault.New(fault.Unavailable, "This Parley has no window.")
	}
	// A hung page doesn't report that nobody is looking at it.
	n.mu.Lock()
	n.focused = false
	n.mu.Unlock()
	words := NoticeWords(n.cfg.Prefs.Values().Language)
	note := notify.Notification{Key: hiddenKey}
	switch how {
	case hiddenBackground:
		note.Title, note.Body = words.backgroundTitle, words.background
	case hiddenStuck:
		note.Title, note.Body, note.Urgent = words.backgroundTitle, words.stuck, true
	case hiddenBroken:
		note.Title, note.Body, note.Button, note.Urgent = words.brokenTitle, words.broken, words.openAgain, true
	default:
		note.Title, note.Body = words.hiddenTitle, words.hidden
		if n.quiet() {
			return nil
		}
	}
	if err := n.put(ctx, note); err != nil {
		return err
	}
	n.mu.Lock()
	n.shown[hiddenKey] = true
	n.mu.Unlock()
	return nil
}

// sayFinished notifies that a Parley without a window has finished and ends.
func (n *Service) sayFinished(ctx context.Context) {
	if n.quiet() {
		return
	}
	words := NoticeWords(n.cfg.Prefs.Values().Language)
	if err := n.put(ctx, notify.Notification{Key: finishedKey, Title: words.finishedTitle, Body: words.finished, Lasting: true}); err != nil {
		n.cfg.Log.Warn("Couldn't notify the user that everything is done", "err", err)
	}
}

// put shows a notification of Parley itself, if the desktop supports any.
func (n *Service) put(ctx context.Context, note notify.Notification) error {
	desktop := n.open(ctx)
	if desktop == nil {
		return nil // there is no other way to show it
	}
	if err := desktop.Show(ctx, note); err != nil {
		n.failed(desktop)
		return fault.Wrap(err, fault.Unavailable, "The desktop did not accept the notification.")
	}
	return nil
}
