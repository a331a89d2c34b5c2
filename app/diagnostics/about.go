package diagnostics

import (
	"context"
	"runtime"

	"parley/app/feature"
	"parley/app/install"
	"parley/app/method"
	"parley/app/notices"
	"parley/app/restart"
	appsettings "parley/app/settings"
	"parley/app/storage"
	"parley/backend/claude"
	"parley/backend/event"
)

// Program is what a Parley was started as.
type Program struct {
	Version            string
	Desktop, Rehearsal bool
	Env                []string
	Home, Data, Cache  string
}

// About is the service behind app.info.
type About struct {
	Program
	CLI   *install.Service
	Prefs *appsettings.Service
	Wrong *storage.Problems
	Safe  *notices.SafeMode
	// Restarts knows when it was restarted.
	Restarts *restart.Service
}

// Problems is a small part of Get: it looks for no CLI.
func (i *About) Problems(context.Context, feature.Empty) (Problems, error) {
	return Problems{Problems: i.Wrong.Now()}, nil
}

func (i *About) Get(ctx context.Context, _ feature.Empty) (Info, error) {
	status, err := i.CLI.Status(ctx, feature.Empty{})
	if err != nil {
		return Info{}, err
	}
	credential := claude.Account(i.Env, i.Home)
	return Info{
		Version: i.Version, Desktop: i.Desktop, Rehearsal: i.Rehearsal,
		SafeMode: i.Safe.IsOn() && method.Surface(ctx) == "window",
		OS:       runtime.GOOS, Home: i.Home, DataDir: i.Data, CLI: status,
		Account:  AccountStatus{Found: credential.Found, Source: credential.Source, Hint: credential.Hint},
		Settings: i.Prefs.Values(), RecentFolders: i.Prefs.Store.RecentFolders(),
		Problems: i.Wrong.Now(), Restart: i.Restarts.Status(),
	}, nil
}

// Methods is what a front end may ask of it.
func (i *About) Methods() []*method.Method {
	return []*method.Method{
		method.New("app.info", "Parley's version and state, whether a session can start, and the settings.",
			i.Get),
		method.New("app.problems", "Current problems of Parley itself, most serious first.",
			i.Problems),
	}
}

// Info is what a front end needs to know before anything else.
type Info struct {
	Version string `json:"version"`
	// Desktop is true in the native window, false on the gateway.
	Desktop bool `json:"desktop"`
	// SafeMode is true for the window's page when those before it died again and again: it
	// draws everything as plainly as it can, and opens no session by itself.
	SafeMode bool `json:"safeMode"`
	// Rehearsal is true when every session of this Parley talks to the scripted
	// model.
	Rehearsal bool   `json:"rehearsal"`
	OS        string `json:"os"`
	Home      string `json:"home"`
	DataDir   string `json:"dataDir"`
	// CLI and Account say whether a session could be started now.
	CLI      install.CLIStatus    `json:"cli"`
	Account  AccountStatus        `json:"account"`
	Settings appsettings.Settings `json:"settings"`
	// RecentFolders lists the folders of earlier sessions, newest first.
	RecentFolders []string `json:"recentFolders"`
	// Problems are what is wrong with Parley now, the worst first. Event problems.changed
	// tells when they change.
	Problems []event.AppProblem `json:"problems"`
	// Restart says how it is with restarts.
	Restart restart.RestartStatus `json:"restart"`
}

// Problems are what is wrong with Parley now, the worst first.
type Problems struct {
	Problems []event.AppProblem `json:"problems"`
}

// AccountStatus says whether the CLI seems to have a credential. It never holds
// the credential.
type AccountStatus struct {
	Found bool `json:"found"`
	// Source names where it was seen: "ANTHROPIC_API_KEY", "login"…
	Source string `json:"source"`
	// Hint says how to get one.
	Hint string `json:"hint,omitempty"`
}
