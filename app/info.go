package app

import (
	"context"
	"log/slog"
	"runtime"

	"parley/backend/claude"
	"parley/backend/settings"
)

// info is the service behind app.info.
type info struct {
	cfg   Config
	cli   *cli
	prefs *preferences
}

func (i *info) Get(ctx context.Context, _ Empty) (Info, error) {
	status, err := i.cli.Status(ctx, Empty{})
	if err != nil {
		return Info{}, err
	}
	credential := claude.Account(i.cfg.Env, i.cfg.Dirs.Home)
	return Info{
		Version: i.cfg.Version, Desktop: i.cfg.Desktop, Rehearsal: i.cfg.Rehearsal,
		OS: runtime.GOOS, Home: i.cfg.Dirs.Home, DataDir: i.cfg.Dirs.Data, CLI: status,
		Account:  AccountStatus{Found: credential.Found, Source: credential.Source, Hint: credential.Hint},
		Settings: i.prefs.get(), RecentFolders: i.prefs.store.RecentFolders(),
		Warning: i.prefs.store.Warning(),
	}, nil
}

// preferences is the service behind settings.*.
type preferences struct {
	store *settings.Store
	log   *slog.Logger
}

func (p *preferences) Get(context.Context, Empty) (Settings, error) { return p.get(), nil }

func (p *preferences) Set(_ context.Context, patch SettingsPatch) (Settings, error) {
	values, err := p.store.Set(func(v *settings.Values) {
		assign(&v.Theme, patch.Theme)
		assign(&v.CLIPath, patch.CLIPath)
		assign(&v.PermissionMode, patch.PermissionMode)
		assign(&v.Model, patch.Model)
		assign(&v.Engine, patch.Engine)
		assign(&v.QuestionTimeoutHours, patch.QuestionTimeoutHours)
	})
	return Settings(values), err
}

func (p *preferences) get() Settings { return Settings(p.store.Get()) }

// use remembers the folder of a session. Failing to is no reason to fail the
// session.
func (p *preferences) use(folder string) {
	if err := p.store.UseFolder(folder); err != nil {
		p.log.Warn("Remembering a folder failed", "err", err)
	}
}

func assign[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}
