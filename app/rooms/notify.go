package rooms

import (
	"context"
	"maps"
	"time"

	"parley/backend/room"
)

// maxMentions is how many mentions may be pending; more are dropped.
const maxMentions = 16

// mentionEvery is how often a user is notified about one room.
const mentionEvery = 10 * time.Second

// mentioned queues a notification about a message.
func (r *Service) mentioned(m room.Message) {
	select {
	case r.mentions <- m:
	default:
	}
}

// telling notifies about mentions until ctx ends.
func (r *Service) telling(ctx context.Context) {
	told := map[string]time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-r.mentions:
			now := time.Now()
			maps.DeleteFunc(told, func(_ string, at time.Time) bool { return now.Sub(at) >= mentionEvery })
			if _, lately := told[m.Room]; lately {
				continue // the page shows how much is unread
			}
			told[m.Room] = now
			if v, err := r.Hub.View(m.Room); err == nil {
				where := ""
				if v.Kind == room.KindRoom {
					where = room.Line(v.Label())
				}
				r.cfg.Notices.Mention(ctx, where, m)
			}
		}
	}
}
