package app

import (
	"context"
	"maps"
	"time"

	"parley/backend/notify"
	"parley/backend/room"
)

// maxMentions is how many mentions may wait to be told; more are left out.
const maxMentions = 16

// mentionEvery is how often a person is told of one room.
const mentionEvery = 10 * time.Second

// mention tells a person who is not looking that somebody in a room speaks to them. A
// page in a browser does that itself.
func (n *notices) mention(ctx context.Context, where string, m room.Message) {
	if !n.window || n.looking() || !n.prefs.get().Disturb(time.Now().UnixMilli()) {
		return
	}
	if n.attention != nil {
		n.attention.Urgent(true)
	}
	desktop := n.open(ctx)
	if desktop == nil {
		return
	}
	note := notify.Note{Key: roomKey + m.Room, Title: notify.Title(n.book.Clean(m.From.Nick + " · " + where)), Body: n.book.Clean(room.Line(m.Text))}
	if err := desktop.Show(ctx, note); err != nil {
		n.log.Warn("A notification could not be shown", "err", err)
		n.failed(desktop)
	}
}

// mentioned has a person told of a message.
func (r *rooms) mentioned(m room.Message) {
	select {
	case r.mentions <- m:
	default:
	}
}

// telling tells of mentions until ctx ends.
func (r *rooms) telling(ctx context.Context) {
	told := map[string]time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-r.mentions:
			now := time.Now()
			maps.DeleteFunc(told, func(_ string, at time.Time) bool { return now.Sub(at) >= mentionEvery })
			if _, lately := told[m.Room]; lately {
				continue // the page says how much is unread
			}
			told[m.Room] = now
			if v, err := r.hub.View(m.Room); err == nil {
				where := ""
				if v.Kind == room.KindRoom {
					where = room.Line(v.Label())
				}
				r.notices.mention(ctx, where, m)
			}
		}
	}
}
