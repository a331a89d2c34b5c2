package app

import (
	"context"
	"log/slog"
	"runtime"
	"slices"
	"strings"

	"parley/backend/claude"
	"parley/backend/settings"
)

// info is the service behind app.info.
type info struct {
	cfg   Config
	cli   *cli
	prefs *preferences
	// warnings are what is known to be wrong now.
	warnings func() []string
}

// Warnings is a small part of Get: it looks for no CLI.
func (i *info) Warnings(context.Context, Empty) (Warnings, error) {
	return Warnings{Warnings: i.warnings()}, nil
}

func (i *info) Get(ctx context.Context, _ Empty) (Info, error) {
	status, err := i.cli.Status(ctx, Empty{})
	if err != nil {
		return Info{}, err
	}
	warnings := i.warnings()
	credential := claude.Account(i.cfg.Env, i.cfg.Dirs.Home)
	return Info{
		Version: i.cfg.Version, Desktop: i.cfg.Desktop, Rehearsal: i.cfg.Rehearsal,
		OS: runtime.GOOS, Home: i.cfg.Dirs.Home, DataDir: i.cfg.Dirs.Data, CLI: status,
		Account:  AccountStatus{Found: credential.Found, Source: credential.Source, Hint: credential.Hint},
		Settings: i.prefs.get(), RecentFolders: i.prefs.store.RecentFolders(),
		Warnings: warnings, Warning: strings.Join(warnings, " "),
	}, nil
}

// warnings are what a person should know of what was found at the start, or cannot be
// kept now.
func (a *App) warnings(choices *settings.Store) []string {
	return slices.DeleteFunc([]string{a.keeping.warning(), a.rooms.warning(), a.library.Warning(), a.audits.log.Warning(), choices.Warning()},
		func(s string) bool { return s == "" })
}

// preferences is the service behind settings.*.
type preferences struct {
	store *settings.Store
	log   *slog.Logger
	// login may be nil.
	login *login
}

func (p *preferences) Get(context.Context, Empty) (Settings, error) { return p.get(), nil }

func (p *preferences) Set(_ context.Context, patch SettingsPatch) (Settings, error) {
	if patch.StartAtLogin == nil {
		return p.change(patch)
	}
	if p.login != nil {
		p.login.mu.Lock()
		defer p.login.mu.Unlock()
	}
	was := p.get().StartAtLogin
	if *patch.StartAtLogin == was {
		return p.change(patch)
	}
	if err := p.login.set(*patch.StartAtLogin); err != nil {
		return p.get(), err
	}
	changed, err := p.change(patch)
	if err != nil {
		if err := p.login.set(was); err != nil {
			p.log.Warn("Starting at login could not be put back", "err", err)
		}
	}
	return changed, err
}

func (p *preferences) change(patch SettingsPatch) (Settings, error) {
	values, err := p.store.Set(func(v *settings.Values) {
		assign(&v.Theme, patch.Theme)
		assign(&v.CLIPath, patch.CLIPath)
		assign(&v.PermissionMode, patch.PermissionMode)
		assign(&v.Model, patch.Model)
		assign(&v.Engine, patch.Engine)
		assign(&v.QuestionTimeoutHours, patch.QuestionTimeoutHours)
		assign(&v.SuspendMinutes, patch.SuspendMinutes)
		assign(&v.Suggestions, patch.Suggestions)
		assign(&v.WhileBusy, patch.WhileBusy)
		assign(&v.Guard, patch.Guard)
		assign(&v.ReviewerModel, patch.ReviewerModel)
		assign(&v.Editor, patch.Editor)
		assign(&v.Language, patch.Language)
		assign(&v.Scheme, patch.Scheme)
		assign(&v.Accent, patch.Accent)
		assign(&v.Font, patch.Font)
		assign(&v.CodeFont, patch.CodeFont)
		assign(&v.FontSize, patch.FontSize)
		assign(&v.CodeFontSize, patch.CodeFontSize)
		assign(&v.Density, patch.Density)
		assign(&v.Zoom, patch.Zoom)
		assign(&v.NotifyDone, patch.NotifyDone)
		assign(&v.NotifyAfterSeconds, patch.NotifyAfterSeconds)
		assign(&v.NotifyQuestion, patch.NotifyQuestion)
		assign(&v.NotifyFailure, patch.NotifyFailure)
		assign(&v.Shortcuts, patch.Shortcuts)
		assign(&v.BudgetDayUSD, patch.BudgetDayUSD)
		assign(&v.BudgetMonthUSD, patch.BudgetMonthUSD)
		assign(&v.BudgetDayTokens, patch.BudgetDayTokens)
		assign(&v.BudgetMonthTokens, patch.BudgetMonthTokens)
		assign(&v.StartAtLogin, patch.StartAtLogin)
		assign(&v.ShowTray, patch.ShowTray)
		assign(&v.CloseToTray, patch.CloseToTray)
		assign(&v.DoNotDisturbUntil, patch.DoNotDisturbUntil)
		assign(&v.ToolsOff, patch.ToolsOff)
		assign(&v.MemoryInject, patch.MemoryInject)
		assign(&v.MemoryBudgetTokens, patch.MemoryBudgetTokens)
		assign(&v.RoomNick, patch.RoomNick)
		assign(&v.RoomHours, patch.RoomHours)
		assign(&v.RoomWake, patch.RoomWake)
		assign(&v.RoomTurnsPerHour, patch.RoomTurnsPerHour)
		assign(&v.RoomMaxHops, patch.RoomMaxHops)
		assign(&v.NATSURL, patch.NATSURL)
		assign(&v.NATSCredentials, patch.NATSCredentials)
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
