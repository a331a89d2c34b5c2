package diagnostics

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/app/feature"
	"parley/app/install"
	"parley/app/notices"
	"parley/app/restart"
	appsettings "parley/app/settings"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/platform/logbuffer"
	"parley/backend/settings"
	"parley/backend/style"
)

// Config has the service's dependencies. All fields are required.
type Config struct {
	Version string
	// Desktop is set if there is a window, Scripted if every session uses the scripted model.
	Desktop, Scripted bool
	// Env is the environment, Home the user's folder; Data and Cache are Parley's folders.
	Env               []string
	Home, Data, Cache string

	CLI   *install.Service
	Prefs *appsettings.Service
	// Problems checks for problems, and lists them.
	Problems interface{ Now() []event.AppProblem }
	// Restarts knows when Parley was restarted.
	Restarts *restart.Service
	Notices  *notices.Service
	Style    *style.File
	Book     *logbuffer.Book
	// Sessions are those in memory; Listed counts all listed ones.
	Sessions func() []event.Session
	Listed   func() int
}

// Service implements app.info, app.problems, app.diagnostics, app.checkup, settings.defaults,
// style.* and log.*: what this Parley is, and its state.
type Service struct {
	cfg     Config
	started time.Time
	// checking serializes checkups.
	checking sync.Mutex
}

// New returns the service.
func New(cfg Config) *Service { return &Service{cfg: cfg, started: time.Now()} }

// Defaults is settings.defaults.
func (*Service) Defaults(context.Context, feature.Empty) (appsettings.Settings, error) {
	return appsettings.Settings(settings.Defaults()), nil
}

// Styles is style.get.
func (s *Service) Styles(context.Context, feature.Empty) (StyleSheet, error) {
	sheet, err := s.cfg.Style.Sheet()
	return StyleSheet(sheet), err
}

// levelOf is the lowest level to return.
func levelOf(name string) slog.Level {
	switch name {
	case "info":
		return slog.LevelInfo
	case "warn":
		return slog.LevelWarn
	case "error":
		return slog.LevelError
	}
	return slog.LevelDebug
}

func levelName(l slog.Level) string {
	switch {
	case l >= slog.LevelError:
		return "error"
	case l >= slog.LevelWarn:
		return "warn"
	case l >= slog.LevelInfo:
		return "info"
	}
	return "debug"
}

// Log is log.list.
func (s *Service) Log(_ context.Context, p LogListParams) (LogPage, error) {
	const most, usual = 2000, 500
	if p.Limit < 0 || p.Limit > most {
		return LogPage{}, fault.New(fault.Invalid, "limit must be 1 to %d", most)
	}
	if p.Limit == 0 {
		p.Limit = usual
	}
	found, dropped := s.cfg.Book.Find(logbuffer.Query{After: p.After, Level: levelOf(p.Level), Text: p.Text, Limit: p.Limit})
	page := LogPage{Records: []LogRecord{}, Last: s.cfg.Book.Last(), Dropped: dropped}
	for _, r := range found {
		page.Records = append(page.Records, LogRecord{
			Seq: r.Seq, At: r.At.UnixMilli(), Level: levelName(r.Level), Message: r.Message, Rest: r.Attrs,
		})
	}
	return page, nil
}

// Diagnostics is app.diagnostics.
func (s *Service) Diagnostics(ctx context.Context, _ feature.Empty) (Diagnostics, error) {
	about, err := s.Info(ctx, feature.Empty{})
	if err != nil {
		return Diagnostics{}, err
	}
	var b strings.Builder
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format+"\n", args...) }
	surface := "server"
	if s.cfg.Desktop {
		surface = "window"
	}
	line("Parley %s (%s), %s/%s, %s", about.Version, surface, runtime.GOOS, runtime.GOARCH, runtime.Version())
	line("Runs for %s, demo mode: %v", time.Since(s.started).Round(time.Second), about.Scripted)
	line("Claude Code: found %v, version %q, %s, at %s", about.CLI.Found, about.CLI.Version, about.CLI.Source, about.CLI.Path)
	if about.CLI.Code != "" {
		line("  %s: %s", about.CLI.Code, about.CLI.Message)
	}
	line("Account: found %v, %s", about.Account.Found, about.Account.Source)
	states := map[string]int{}
	for _, session := range s.cfg.Sessions() {
		states[session.State]++
	}
	names := make([]string, 0, len(states))
	for state, n := range states {
		names = append(names, fmt.Sprintf("%d %s", n, state))
	}
	slices.Sort(names)
	line("Sessions: %d listed; in memory: %s", s.cfg.Listed(), strings.Join(names, ", "))
	choices := about.Settings
	line("Settings: engine %s, theme %s, scheme %s, language %s, zoom %d %%, own CLI %v, own shortcuts %d",
		choices.Engine, choices.Theme, choices.Scheme, choices.Language, choices.Zoom, choices.CLIPath != "", len(choices.Shortcuts))
	for _, p := range about.Problems {
		line("Problem (%s): %s %s", p.Severity, p.Title, p.Todo)
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	line("Memory: %d MB, goroutines: %d", mem.Sys>>20, runtime.NumGoroutine())
	const last = 20
	problems, _ := s.cfg.Book.Find(logbuffer.Query{Level: slog.LevelWarn, Limit: last})
	line("\nThe last %d warnings and errors:", len(problems))
	for _, r := range problems {
		line("%s %s %s %s", r.At.UTC().Format(time.RFC3339), levelName(r.Level), r.Message, r.Attrs)
	}
	return Diagnostics{Text: s.shorten(b.String())}, nil
}

// shorten replaces the home folder by "~" and removes what looks like a secret.
func (s *Service) shorten(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if home := s.cfg.Home; len(home) > 1 {
			l = strings.ReplaceAll(l, home, "~")
		}
		lines[i] = s.cfg.Book.Clean(l)
	}
	return strings.Join(lines, "\n")
}
