package diagnostics

import (
	"context"
	"runtime"

	"parley/app/feature"
	"parley/app/install"
	"parley/app/method"
	"parley/app/restart"
	appsettings "parley/app/settings"
	"parley/backend/claude"
	"parley/backend/event"
)

// problems is a small part of Info, without looking for a CLI.
func (s *Service) problems(context.Context, feature.Empty) (Problems, error) {
	return Problems{Problems: s.cfg.Problems.Now()}, nil
}

// Info is app.info.
func (s *Service) Info(ctx context.Context, _ feature.Empty) (Info, error) {
	status, err := s.cfg.CLI.Status(ctx, feature.Empty{})
	if err != nil {
		return Info{}, err
	}
	credential := claude.Account(s.cfg.Env, s.cfg.Home)
	return Info{
		Version: s.cfg.Version, Desktop: s.cfg.Desktop, Scripted: s.cfg.Scripted,
		SafeMode: s.cfg.Notices.SafeMode() && method.Surface(ctx) == "window",
		OS:       runtime.GOOS, Home: s.cfg.Home, DataDir: s.cfg.Data, CLI: status,
		Account:  AccountStatus{Found: credential.Found, Source: credential.Source, Hint: credential.Hint},
		Settings: s.cfg.Prefs.Values(), RecentFolders: s.cfg.Prefs.Store.RecentFolders(),
		Problems: s.cfg.Problems.Now(), Restart: s.cfg.Restarts.Status(),
	}, nil
}

// Info is what a front end needs to know before anything else.
type Info struct {
	Version string `json:"version"`
	// Desktop is true in the native window, false on the gateway.
	Desktop bool `json:"desktop"`
	// SafeMode is true for the window's page after earlier ones crashed repeatedly: it renders as
	// plainly as it can, and opens no session automatically.
	SafeMode bool `json:"safeMode"`
	// Scripted is true when every session of this Parley talks to the scripted
	// model.
	Scripted bool   `json:"rehearsal"`
	OS       string `json:"os"`
	Home     string `json:"home"`
	DataDir  string `json:"dataDir"`
	// CLI and Account say whether a session could be started now.
	CLI      install.CLIStatus    `json:"cli"`
	Account  AccountStatus        `json:"account"`
	Settings appsettings.Settings `json:"settings"`
	// RecentFolders lists the folders of earlier sessions, newest first.
	RecentFolders []string `json:"recentFolders"`
	// Problems are Parley's current problems, the worst first. Event problems.changed reports
	// changes.
	Problems []event.AppProblem `json:"problems"`
	// Restart says how it is with restarts.
	Restart restart.RestartStatus `json:"restart"`
}

// Problems are Parley's current problems, the worst first.
type Problems struct {
	Problems []event.AppProblem `json:"problems"`
}

// AccountStatus reports whether the CLI seems to have a credential. It never contains the
// credential.
type AccountStatus struct {
	Found bool `json:"found"`
	// Source names where it was seen: "ANTHROPIC_API_KEY", "login"…
	Source string `json:"source"`
	// Hint says how to get one.
	Hint string `json:"hint,omitempty"`
}
