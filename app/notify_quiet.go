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

// hiddenKey is the key of the note that says that the window is only hidden.
const hiddenKey = "hidden"

// sayHidden shows that note.
func (n *notices) sayHidden(ctx context.Context) error {
	if !n.window {
		return fault.New(fault.Unavailable, "This Parley has no window.")
	}
	if n.quiet() {
		return nil
	}
	desktop := n.open(ctx)
	if desktop == nil {
		return nil // there is no other way to tell it
	}
	words := noticeWords(n.prefs.get().Language)
	if err := desktop.Show(ctx, notify.Note{Key: hiddenKey, Title: words.hiddenTitle, Body: words.hidden}); err != nil {
		n.failed(desktop)
		return fault.Wrap(err, fault.Unavailable, "The desktop did not take the notification.")
	}
	return nil
}
