package app

import (
	"context"
	"time"

	"parley/backend/fault"
	"parley/backend/notify"
)

// maxHeld bounds what is told when a person may be disturbed again.
const maxHeld = 64

// quiet says whether nobody is to be disturbed now.
func (n *notices) quiet() bool { return !n.prefs.get().Disturb(time.Now().UnixMilli()) }

// hold keeps a question for when a person may be disturbed again. What only ended or
// failed is not told later: the list of sessions says it.
func (n *notices) hold(sessionID string, kind notify.Kind) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if kind != notify.Question && kind != notify.Plan {
		return
	}
	if n.held == nil {
		n.held = map[string]notify.Kind{}
	}
	if len(n.held) < maxHeld {
		n.held[sessionID] = kind
	}
}

// release tells what was held and still waits, once a person may be disturbed.
func (n *notices) release(ctx context.Context) {
	n.mu.Lock()
	held := n.held
	n.mu.Unlock()
	if len(held) == 0 || n.quiet() {
		return
	}
	n.mu.Lock()
	held, n.held = n.held, nil
	n.mu.Unlock()
	for id, kind := range held {
		n.tell(ctx, notify.Decision{SessionID: id, Show: kind})
	}
}

// dropHeld forgets a question that was answered.
func (n *notices) dropHeld(sessionID string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.held, sessionID)
}

// The keys of the notes that say that the window is only hidden, and that Parley ended.
const (
	hiddenKey   = "hidden"
	finishedKey = "finished"
)

// Why there is no window to be seen.
const (
	hiddenTray       = "tray"
	hiddenBackground = leaveBackground
	hiddenStuck      = leaveStuck
)

// sayHidden says how the person gets the window back. It answers what they just did, so
// it is shown although they do not want to be disturbed, but for what they know already.
func (n *notices) sayHidden(ctx context.Context, how string) error {
	if !n.window {
		return fault.New(fault.Unavailable, "This Parley has no window.")
	}
	// A page that hangs does not say that nobody looks at it any more.
	n.mu.Lock()
	n.focused = false
	n.mu.Unlock()
	words := noticeWords(n.prefs.get().Language)
	note := notify.Note{Key: hiddenKey}
	switch how {
	case hiddenBackground:
		note.Title, note.Body = words.backgroundTitle, words.background
	case hiddenStuck:
		note.Title, note.Body, note.Urgent = words.backgroundTitle, words.stuck, true
	default:
		note.Title, note.Body = words.hiddenTitle, words.hidden
		if n.quiet() {
			return nil
		}
	}
	return n.put(ctx, note)
}

// sayFinished says that a Parley without a window has done everything and ends.
func (n *notices) sayFinished(ctx context.Context) {
	if n.quiet() {
		return
	}
	words := noticeWords(n.prefs.get().Language)
	if err := n.put(ctx, notify.Note{Key: finishedKey, Title: words.finishedTitle, Body: words.finished, Lasting: true}); err != nil {
		n.log.Warn("The person could not be told that everything is done", "err", err)
	}
}

// put shows a note of Parley itself, where the desktop shows any.
func (n *notices) put(ctx context.Context, note notify.Note) error {
	desktop := n.open(ctx)
	if desktop == nil {
		return nil // there is no other way to tell it
	}
	if err := desktop.Show(ctx, note); err != nil {
		n.failed(desktop)
		return fault.Wrap(err, fault.Unavailable, "The desktop did not take the notification.")
	}
	return nil
}
