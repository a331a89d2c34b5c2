package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/logbook"
	"parley/backend/regular"
	"parley/backend/settings"
)

// surroundings is the service behind settings.defaults, style.*, log.*,
// app.diagnostics and notice.*.
type surroundings struct {
	cfg     Config
	info    *info
	book    *logbook.Book
	notices *notices
	// sessions are those in memory; listed counts all that are listed.
	sessions func() []event.Session
	listed   func() int
	started  time.Time
}

// Defaults implements [DeskService].
func (*surroundings) Defaults(context.Context, Empty) (Settings, error) {
	return Settings(settings.Defaults()), nil
}

// maxStyles bounds the person's own style sheet.
const maxStyles = 64 << 10

// styleFile is the name of the person's own style sheet, in the data folder.
const styleFile = "theme.css"

// Styles implements [DeskService].
func (s *surroundings) Styles(context.Context, Empty) (StyleSheet, error) {
	sheet := StyleSheet{Path: filepath.Join(s.cfg.Dirs.Data, styleFile)}
	data, err := regular.Read(sheet.Path, maxStyles)
	switch {
	case os.IsNotExist(err):
		return sheet, nil
	case errors.Is(err, regular.ErrTooLarge):
		sheet.TooLarge = true
	case err != nil:
		return sheet, fault.Wrap(err, fault.Unavailable, "The style sheet %s cannot be read. Check that it is a file and its permissions.", sheet.Path)
	}
	sheet.Found = true
	sheet.CSS = strings.ToValidUTF8(string(data), "\uFFFD")
	return sheet, nil
}

// levelOf is the least level that is wanted.
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

// Log implements [DeskService].
func (s *surroundings) Log(_ context.Context, p LogListParams) (LogPage, error) {
	const most, usual = 2000, 500
	if p.Limit < 0 || p.Limit > most {
		return LogPage{}, fault.New(fault.Invalid, "limit must be 1 to %d", most)
	}
	if p.Limit == 0 {
		p.Limit = usual
	}
	found, dropped := s.book.Find(logbook.Query{After: p.After, Level: levelOf(p.Level), Text: p.Text, Limit: p.Limit})
	page := LogPage{Records: []LogRecord{}, Last: s.book.Last(), Dropped: dropped}
	for _, r := range found {
		page.Records = append(page.Records, LogRecord{
			Seq: r.Seq, At: r.At.UnixMilli(), Level: levelName(r.Level), Message: r.Message, Rest: r.Attrs,
		})
	}
	return page, nil
}

// Diagnostics implements [DeskService].
func (s *surroundings) Diagnostics(ctx context.Context, _ Empty) (Diagnostics, error) {
	about, err := s.info.Get(ctx, Empty{})
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
	line("Runs for %s, rehearsal: %v", time.Since(s.started).Round(time.Second), about.Rehearsal)
	line("Claude Code: found %v, version %q, %s, at %s", about.CLI.Found, about.CLI.Version, about.CLI.Source, about.CLI.Path)
	if about.CLI.Code != "" {
		line("  %s: %s", about.CLI.Code, about.CLI.Message)
	}
	line("Account: found %v, %s", about.Account.Found, about.Account.Source)
	states := map[string]int{}
	for _, session := range s.sessions() {
		states[session.State]++
	}
	names := make([]string, 0, len(states))
	for state, n := range states {
		names = append(names, fmt.Sprintf("%d %s", n, state))
	}
	slices.Sort(names)
	line("Sessions: %d listed; in memory: %s", s.listed(), strings.Join(names, ", "))
	choices := about.Settings
	line("Settings: engine %s, theme %s, scheme %s, language %s, zoom %d %%, own CLI %v, own shortcuts %d",
		choices.Engine, choices.Theme, choices.Scheme, choices.Language, choices.Zoom, choices.CLIPath != "", len(choices.Shortcuts))
	if about.Warning != "" {
		line("Warning: %s", about.Warning)
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	line("Memory: %d MB, goroutines: %d", mem.Sys>>20, runtime.NumGoroutine())
	const last = 20
	problems, _ := s.book.Find(logbook.Query{Level: slog.LevelWarn, Limit: last})
	line("\nThe last %d warnings and errors:", len(problems))
	for _, r := range problems {
		line("%s %s %s %s", r.At.UTC().Format(time.RFC3339), levelName(r.Level), r.Message, r.Attrs)
	}
	return Diagnostics{Text: s.shorten(b.String())}, nil
}

// shorten writes the home folder as "~" and takes out what looks like a secret.
func (s *surroundings) shorten(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if home := s.cfg.Dirs.Home; len(home) > 1 {
			l = strings.ReplaceAll(l, home, "~")
		}
		lines[i] = s.book.Clean(l)
	}
	return strings.Join(lines, "\n")
}

// Presence implements [DeskService].
func (s *surroundings) Presence(ctx context.Context, p PresenceParams) (Empty, error) {
	const most = 8
	if len(p.Sessions) > most {
		return Empty{}, fault.New(fault.Invalid, "sessions must be at most %d", most)
	}
	s.notices.present(ctx, p)
	return Empty{}, nil
}

// TryNotice implements [DeskService].
func (s *surroundings) TryNotice(ctx context.Context, _ Empty) (Empty, error) {
	return Empty{}, s.notices.try(ctx)
}
