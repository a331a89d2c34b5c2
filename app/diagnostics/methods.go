package diagnostics

import "parley/app/method"

// Methods are the service's API methods.
func (s *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("app.info", "Parley's version and state, whether a session can start, and the settings.",
			s.Info),
		method.New("app.problems", "Current problems of Parley itself, most serious first.",
			s.problems),
		method.New("settings.defaults", "The default settings.",
			s.Defaults),
		method.New("style.get", "The user's own style sheet, as stored in its file.",
			s.Styles),
		method.New("log.list", "The latest entries of Parley's log, without secrets.",
			s.Log).Enum("level", "debug", "info", "warn", "error"),
		method.New("app.diagnostics", "Diagnostics for a bug report, as text.",
			s.Diagnostics),
		method.New("app.checkup", "Checks everything that Parley needs and keeps, and fixes what is requested and safe. Takes a few seconds.",
			s.Checkup),
	}
}
