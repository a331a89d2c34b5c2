package settings

import (
	"context"
	"log/slog"
	"path/filepath"

	"parley/app/feature"
	"parley/app/method"
	"parley/backend/choice"
	"parley/backend/outside"
	"parley/backend/paths"
	"parley/backend/problem"
	"parley/backend/session"
	"parley/backend/settings"
)

// Service implements settings.*.
type Service struct {
	Store *settings.Store

	cfg   Config
	login *login // nil if starting at login is not available
}

// Config has the dependencies of the settings. All fields are required.
type Config struct {
	// Keep has the accepted versions of the file.
	Keep outside.Keeper
	// Store notes the budgets a user sets.
	Store interface {
		Doubted() bool
		NoteBudgets(by string, b settings.Budgets)
	}
	Log *slog.Logger
	// The rest is for starting at login.
	Desktop    bool
	Env        []string
	Executable string
	Dirs       paths.Dirs
}

// New opens the settings.
func New(cfg Config) (*Service, error) {
	store, err := settings.Open(filepath.Join(cfg.Dirs.Data, paths.SettingsFile), cfg.Keep, cfg.Log)
	if err != nil {
		return nil, err
	}
	if !cfg.Store.Doubted() {
		cfg.Store.NoteBudgets(session.ByParley, store.Get().Budgets)
	}
	return &Service{Store: store, cfg: cfg, login: newLogin(cfg)}, nil
}

func (p *Service) Get(context.Context, feature.Empty) (Settings, error) { return p.Values(), nil }

func (p *Service) Set(ctx context.Context, patch SettingsPatch) (Settings, error) {
	values, err := p.set(patch)
	if err == nil {
		p.cfg.Store.NoteBudgets(method.Surface(ctx), values.Budgets)
	}
	return values, err
}

func (p *Service) set(patch SettingsPatch) (Settings, error) {
	if patch.StartAtLogin == nil {
		return p.Change(patch)
	}
	if p.login != nil {
		p.login.mu.Lock()
		defer p.login.mu.Unlock()
	}
	was := p.Values().StartAtLogin
	if *patch.StartAtLogin == was {
		return p.Change(patch)
	}
	if err := p.login.set(*patch.StartAtLogin); err != nil {
		return p.Values(), err
	}
	changed, err := p.Change(patch)
	if err != nil {
		if err := p.login.set(was); err != nil {
			p.cfg.Log.Warn("Couldn't restore start at login", "err", err)
		}
	}
	return changed, err
}

func (p *Service) Change(patch SettingsPatch) (Settings, error) {
	values, err := p.Store.Set(func(v *settings.Values) {
		feature.Assign(&v.Theme, patch.Theme)
		feature.Assign(&v.CLIPath, patch.CLIPath)
		feature.Assign(&v.PermissionMode, patch.PermissionMode)
		feature.Assign(&v.Model, patch.Model)
		feature.Assign(&v.Engine, patch.Engine)
		feature.Assign(&v.QuestionTimeoutHours, patch.QuestionTimeoutHours)
		feature.Assign(&v.SuspendMinutes, patch.SuspendMinutes)
		feature.Assign(&v.BrowserPort, patch.BrowserPort)
		feature.Assign(&v.Suggestions, patch.Suggestions)
		feature.Assign(&v.WhileBusy, patch.WhileBusy)
		feature.Assign(&v.Guard, patch.Guard)
		feature.Assign(&v.ReviewerModel, patch.ReviewerModel)
		feature.Assign(&v.AllowUnrecorded, patch.AllowUnrecorded)
		feature.Assign(&v.Editor, patch.Editor)
		feature.Assign(&v.Language, patch.Language)
		feature.Assign(&v.Scheme, patch.Scheme)
		feature.Assign(&v.Accent, patch.Accent)
		feature.Assign(&v.Font, patch.Font)
		feature.Assign(&v.CodeFont, patch.CodeFont)
		feature.Assign(&v.FontSize, patch.FontSize)
		feature.Assign(&v.CodeFontSize, patch.CodeFontSize)
		feature.Assign(&v.Density, patch.Density)
		feature.Assign(&v.Zoom, patch.Zoom)
		feature.Assign(&v.MenuBar, patch.MenuBar)
		feature.Assign(&v.NotifyDone, patch.NotifyDone)
		feature.Assign(&v.NotifyAfterSeconds, patch.NotifyAfterSeconds)
		feature.Assign(&v.NotifyQuestion, patch.NotifyQuestion)
		feature.Assign(&v.NotifyFailure, patch.NotifyFailure)
		feature.Assign(&v.Shortcuts, patch.Shortcuts)
		feature.Assign(&v.BudgetDayUSD, patch.BudgetDayUSD)
		feature.Assign(&v.BudgetMonthUSD, patch.BudgetMonthUSD)
		feature.Assign(&v.BudgetDayTokens, patch.BudgetDayTokens)
		feature.Assign(&v.BudgetMonthTokens, patch.BudgetMonthTokens)
		feature.Assign(&v.StartAtLogin, patch.StartAtLogin)
		feature.Assign(&v.ShowTray, patch.ShowTray)
		feature.Assign(&v.CloseToTray, patch.CloseToTray)
		feature.Assign(&v.CloseWhileWorking, patch.CloseWhileWorking)
		feature.Assign(&v.DoNotDisturbUntil, patch.DoNotDisturbUntil)
		feature.Assign(&v.ToolsOff, patch.ToolsOff)
		feature.Assign(&v.MemoryInject, patch.MemoryInject)
		feature.Assign(&v.MemoryBudgetTokens, patch.MemoryBudgetTokens)
		feature.Assign(&v.RoomNick, patch.RoomNick)
		feature.Assign(&v.RoomHours, patch.RoomHours)
		feature.Assign(&v.RoomWake, patch.RoomWake)
		feature.Assign(&v.RoomTurnsPerHour, patch.RoomTurnsPerHour)
		feature.Assign(&v.RoomMaxHops, patch.RoomMaxHops)
		feature.Assign(&v.NATSURL, patch.NATSURL)
		feature.Assign(&v.NATSCredentials, patch.NATSCredentials)
	})
	return Settings(values), err
}

func (p *Service) Values() Settings { return Settings(p.Store.Get()) }

// Use records a session's folder. A failure here must not fail the session.
func (p *Service) Use(folder string) {
	if err := p.Store.UseFolder(folder); err != nil {
		p.cfg.Log.Warn("Couldn't remember a folder", "err", err)
	}
}

// Methods are the service's API methods.
func (p *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("settings.get", "The settings.",
			p.Get),
		method.New("settings.set", "Changes the given settings.",
			p.Set).Enum("theme", "system", "light", "dark").Enum("engine", choice.Engines()...).Enum("whileBusy", "steer", "queue").Enum("guard", choice.Guards()...).
			Enum("language", settings.Languages()...).Enum("scheme", settings.Schemes()...).Enum("accent", settings.Accents()...).
			Enum("density", "comfortable", "compact").Enum("closeWhileWorking", settings.Closings()...).InOrder(),
	}
}

// Problems are the possible problems of the settings.
func (p *Service) Problems() problem.Looks {
	looks := problem.Looks{}
	for _, id := range []string{problem.SettingsUnread, problem.SettingsReset, problem.SettingsRewritten, problem.SettingsIgnored} {
		looks[id] = p.problem(id)
	}
	return looks
}

// problem checks for one of the file's possible problems.
func (p *Service) problem(id string) problem.Look {
	return func() (problem.Problem, bool) {
		found, wrong := p.Store.Problem()
		return found, wrong && found.ID == id
	}
}
