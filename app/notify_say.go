package app

import (
	"context"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/notify"
)

// noticeOfModel is the kind of what a model has to tell.
const noticeOfModel = "message"

// say tells a person who is not looking what a session's model wants them to know. Both
// texts are the model's, plain and short.
func (n *notices) say(ctx context.Context, s event.Session, title, text string) error {
	if !n.prefs.get().Disturb(time.Now().UnixMilli()) {
		return fault.New(fault.Unavailable, "The user does not want to be disturbed now. Say it in the conversation.")
	}
	title = notify.Title(n.book.Clean(title))
	text = n.book.Clean(text)
	n.bus.Publish(&event.NoticeShown{SessionID: s.ID, Kind: noticeOfModel, Title: title, Text: text})
	if !n.window || n.looking() {
		return nil
	}
	if n.attention != nil {
		n.attention.Urgent(true)
	}
	desktop := n.open(ctx)
	if desktop == nil {
		return nil // the page has it
	}
	if err := desktop.Show(ctx, notify.Note{Key: s.ID, Title: title, Body: text}); err != nil {
		n.log.Warn("A notification could not be shown", "err", err)
		n.failed(desktop)
		return nil
	}
	n.mu.Lock()
	n.shown[s.ID] = true
	n.mu.Unlock()
	return nil
}
