package notices

import (
	"context"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/platform/notify"
)

// noticeOfModel is the kind of a model's notification.
const noticeOfModel = "message"

// Say notifies a user who is not looking on behalf of a session's model. Both texts are the
// model's, plain and short.
func (n *Service) Say(ctx context.Context, s event.Session, title, text string) error {
	if !n.cfg.Prefs.Values().Disturb(time.Now().UnixMilli()) {
		return fault.New(fault.Unavailable, "The user has turned on Do not disturb. Say it in the conversation instead.")
	}
	title = notify.Title(n.cfg.Book.Clean(title))
	text = n.cfg.Book.Clean(text)
	n.cfg.Bus.Publish(&event.NotificationShown{SessionID: s.ID, Kind: noticeOfModel, Title: title, Text: text})
	if !n.cfg.Window || n.Looking() {
		return nil
	}
	if n.cfg.Attention != nil {
		n.cfg.Attention.Urgent(true)
	}
	desktop := n.open(ctx)
	if desktop == nil {
		return nil // the page shows it
	}
	if err := desktop.Show(ctx, notify.Notification{Key: s.ID, Title: title, Body: text}); err != nil {
		n.cfg.Log.Warn("Couldn't show a notification", "err", err)
		n.failed(desktop)
		return nil
	}
	n.mu.Lock()
	n.shown[s.ID] = true
	n.mu.Unlock()
	return nil
}
