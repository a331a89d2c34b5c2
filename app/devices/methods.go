package devices

import (
	"slices"

	"parley/app/method"
)

// Methods is what a front end may ask of it.
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

// Looks are the methods that only show something. What is not named here takes more.
var Looks = []string{
	"app.info", "app.problems", "change.diff", "change.list", "change.outside", "change.outsideDiff", "cli.status", "device.list",
	"heartbeat.get", "heartbeat.history", "heartbeat.list", "layout.get", "library.status", "memory.list", "method.list", "model.list",
	"notice.presence", "permission.list", "room.get", "room.list", "room.messages", "search.query", "session.agent", "session.attachment", "session.context",
	"session.find", "session.get", "session.history", "session.list", "settings.defaults", "settings.get", "subscribe", "task.list", "task.output",
	"todo.list", "toolset.list", "unsubscribe", "usage.context", "usage.query", "workspace.list",
}

// Answers are those that answer questions.
var Answers = []string{"permission.respond"}

// Owners are those that no device may call: one that was stolen lets no other in.
var Owners = []string{"device.pair", "device.remove"}

// may says whether a device in that role may call a method.
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
