package notices

import (
	"strings"

	"parley/backend/event"
)

// Key prefixes of notifications that do not belong to a session, whose key is its id.
const (
	roomKey      = "room:"
	heartbeatKey = "heartbeat:"
	problemKey   = "problem:"
)

// Opened shows the subject of a clicked notification in the window.
func (n *Service) Opened(key string) {
	if n.cfg.Attention != nil {
		n.cfg.Attention.Raise()
	}
	if key == tryKey || key == hiddenKey || key == finishedKey || key == "" || strings.HasPrefix(key, problemKey) {
		return
	}
	var e event.NoticeOpened
	if id, of := strings.CutPrefix(key, roomKey); of {
		e.RoomID = id
	} else if name, of := strings.CutPrefix(key, heartbeatKey); of {
		e.Heartbeat = name
	} else {
		e.SessionID = key
	}
	n.cfg.Bus.Publish(&e)
}
