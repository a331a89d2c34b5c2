package devices

import (
	"slices"

	"parley/app/method"
)

// Methods are the service's API methods.
func (s *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("device.pair", "Creates a pairing code for one device, valid for five minutes. Replaces an earlier code.",
			s.Pair).Enum("role", RoleAll, RoleAnswer, RoleLook),
		method.New("device.list", "Lists the paired devices.",
			s.List),
		method.New("device.remove", "Removes a device immediately.",
			s.Remove),
	}
}

// Looks are the read-only methods. All others need more rights.
var Looks = []string{
	"app.info", "app.problems", "change.diff", "change.list", "change.outside", "change.outsideDiff", "cli.status", "device.list",
	"heartbeat.get", "heartbeat.history", "heartbeat.list", "layout.get", "library.status", "memory.list", "method.list", "model.list",
	"notification.setPresence", "permission.list", "room.get", "room.list", "room.messages", "search.query", "session.agent", "session.attachment", "session.context",
	"session.find", "session.get", "session.history", "session.list", "settings.defaults", "settings.get", "subscribe", "task.list", "task.output",
	"todo.list", "toolset.list", "unsubscribe", "usage.context", "usage.query", "workspace.list",
}

// Answers are the methods that answer requests.
var Answers = []string{"permission.respond"}

// Owners are the methods no device may call: a stolen device must not admit others.
var Owners = []string{"device.pair", "device.remove"}

// may reports whether a device with a role may call a method.
func may(role, name string) bool {
	switch role {
	case RoleAll:
		return !slices.Contains(Owners, name)
	case RoleAnswer:
		return slices.Contains(Looks, name) || slices.Contains(Answers, name)
	case RoleLook:
		return slices.Contains(Looks, name)
	default:
		return false // a newer Parley may know it
	}
}
