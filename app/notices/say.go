package notices

import (
	"context"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/platform/notify"
)

// noticeOfModel is the kind of what a model has to tell.
const noticeOfModel = "message"

// Say tells a user who is not looking what a session's model wants them to know. Both
// texts are the model's, plain and short.
func (n *Service) Say(ctx context.Context, s event.Session, title, text string) error {
	if !n.Prefs.Values().Disturb(time.Now().UnixMilli()) {
		return fault.New(fault.Unavailable, "The user has turned on Do not disturb. Say it in the conversation instead.")
	}
	title = notify.Title(n.Book.Clean(title))
	text = n.Book.Clean(text)
	n.Bus.Publish(&event.NoticeShown{SessionID: s.ID, Kind: noticeOfModel, Title: title, Text: text})
	if !n.Window || n.Looking() {
		return nil
	}
	if n.Attention != nil {
		n.Attention.Urgent(true)
	}
	desktop := n.open(ctx)
	if desktop == nil {
		return nil // the page has it
	}
	if err := desktop.Show(ctx, notify.Note{Key: s.ID, Title: title, Body: text}); err != nil {
		n.Log.Warn("A notification could not be shown", "err", err)
		n.failed(desktop)
		return nil
	}
	n.mu.Lock()
	n.shown[s.ID] = true
	n.mu.Unlock()
	return nil
}
