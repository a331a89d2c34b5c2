package app

import (
	"context"

	"parley/app/method"
)

// DeskService is what the window needs around the sessions: how it looks, what the
// program has logged, who is looking.
type DeskService interface {
	Defaults(context.Context, Empty) (Settings, error)
	Styles(context.Context, Empty) (StyleSheet, error)
	Log(context.Context, LogListParams) (LogPage, error)
	Diagnostics(context.Context, Empty) (Diagnostics, error)
	Presence(context.Context, PresenceParams) (Empty, error)
	TryNotice(context.Context, Empty) (Empty, error)
}

// deskMethods are those of the window's surroundings.
func deskMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("settings.defaults", "The settings of a Parley that nobody has changed.",
			bind(s, s.Desk, DeskService.Defaults)),
		method.New("style.get", "The person's own style sheet as it stands in its file.",
			bind(s, s.Desk, DeskService.Styles)),
		method.New("log.list", "The newest records of Parley's log, without secrets.",
			bind(s, s.Desk, DeskService.Log)).Enum("level", "debug", "info", "warn", "error"),
		method.New("app.diagnostics", "What a report about Parley should say, as text.",
			bind(s, s.Desk, DeskService.Diagnostics)),
		method.New("notice.presence", "Says what a page has in front of a person, who is then not told of it.",
			bind(s, s.Desk, DeskService.Presence)),
		method.New("notice.try", "Shows a notification on the desktop, to see whether that works (in the window only).",
			bind(s, s.Desk, DeskService.TryNotice)),
	}
}
