package terminals

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"parley/app/feature"
	"parley/app/sessiontools"
	"parley/app/tool"
	"parley/backend/chat/relay/command"
	"parley/backend/claude"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/platform/atomicfile"
	"parley/backend/platform/safeopen"
	"parley/backend/tmux"
	"parley/backend/untrusted"
)

// threadWait bounds posting in a terminal's thread, noticeWait showing a notification.
const threadWait, noticeWait = 20 * time.Second, 5 * time.Second

// maxTerminalsFile bounds that file, in bytes.
const maxTerminalsFile = 1 << 20

// Service handles Claude Code sessions in tmux, for Mattermost commands and for the tool
// manage_tmux_sessions. Events of watched ones are posted in the thread that requested it, or else
// shown on this computer.
type Service struct {
	*tmux.Supervisor

	cfg Config
}

// Config has the dependencies of terminals. All fields are required.
type Config struct {
	// Data is the data folder, Home the user's, Env the base of a CLI's environment.
	Data, Home string
	Env        []string
	// CLI is the path of the CLI.
	CLI interface {
		Path(ctx context.Context) (string, error)
	}
	// Scripted is true if every session uses the scripted model: no terminal may be started.
	Scripted bool
	Own      *tool.Asker
	// Chat posts in the terminal's Mattermost thread. It is made later.
	Chat func() interface {
		Alert(ctx context.Context, a tmux.Alert) error
	}
	// Notices show notifications on this computer.
	Notices interface {
		Say(ctx context.Context, s event.Session, title, text string) error
	}
	Log *slog.Logger
}

// New returns the service. Nothing is watched before Start.
func New(cfg Config) *Service {
	env := claude.Environ(claude.EnvironConfig{Base: cfg.Env, Home: cfg.Home})
	program, err := claude.LookPath("tmux", env)
	if err != nil {
		program = "" // it may be installed later
	}
	t := &Service{cfg: cfg}
	t.Supervisor = tmux.New(tmux.Config{
		Program: program, Env: func() []string { return env },
		CLI: func(ctx context.Context) (string, error) {
			if cfg.Scripted {
				return "", fault.New(fault.Unavailable, "This Parley only runs the tour and cannot start terminals.")
			}
			return cfg.CLI.Path(ctx)
		},
		Store: terminalStore{filepath.Join(cfg.Data, paths.TerminalsFile)}, Alert: t.alert, Logger: cfg.Log,
	})
	return t
}

var _ command.Terminals = (*Service)(nil)

// alert reports what happened to a terminal.
func (t *Service) alert(ctx context.Context, a tmux.Alert) {
	ctx, cancel := context.WithTimeout(ctx, threadWait)
	defer cancel()
	if a.Watch.ThreadID != "" {
		err := t.cfg.Chat().Alert(ctx, a)
		if err == nil || ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return
		}
		t.cfg.Log.Info("Couldn't post a terminal's status in its thread", "err", err)
	}
	title, text := terminalWords(a)
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), noticeWait)
	defer cancel()
	if err := t.cfg.Notices.Say(short, event.Session{}, title, text); err != nil {
		t.cfg.Log.Info("Couldn't show a terminal's status", "err", err)
	}
}

// terminalWords is the text of a notification about a terminal.
func terminalWords(a tmux.Alert) (title, text string) {
	title = "Terminal " + tool.Cut(untrusted.Visible(a.Watch.Target), sessiontools.MaxNoticeTitle/2)
	switch a.What {
	case string(tmux.Permission):
		text = "Waiting for your approval."
	case string(tmux.Question):
		text = "Has a question for you."
	case string(tmux.Idle):
		text = "Done and waiting for you."
	case string(tmux.Errored):
		text = "It failed."
	case string(tmux.Ended):
		text = "It has ended."
	default:
		text = "It has not moved for a while."
	}
	return title, text
}

// terminalStore is [tmux.Store]: a file with what users asked to watch.
type terminalStore struct{ path string }

// terminalList is the file's content.
type terminalList struct {
	Watched []tmux.Watch `json:"watched"`
}

// Load implements [tmux.Store]. An unreadable file is set aside.
func (s terminalStore) Load(context.Context) ([]tmux.Watch, error) {
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list terminalList
	var raw []byte
	switch {
	case err != nil:
	case info.Size() > maxTerminalsFile:
		err = errors.New("it is too large")
	default:
		raw, err = safeopen.Read(s.path, maxTerminalsFile)
	}
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		err = decoder.Decode(&list)
	}
	if err != nil {
		aside := s.path + ".corrupt." + time.Now().Format("20060102150405")
		return nil, errors.Join(fmt.Errorf("read which terminals are watched: %w", err), os.Rename(s.path, aside))
	}
	return list.Watched, nil
}

// Save implements [tmux.Store].
func (s terminalStore) Save(_ context.Context, all []tmux.Watch) error {
	raw, err := json.MarshalIndent(terminalList{Watched: feature.List(all)}, "", "  ")
	if err == nil {
		err = atomicfile.Private(s.path, append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keep which terminals are watched: %w", err)
	}
	return nil
}

// Start continues watching. An unreadable list must not prevent the start.
func (t *Service) Start(ctx context.Context) {
	if err := t.Supervisor.Start(ctx); err != nil {
		t.cfg.Log.Warn("Couldn't read the list of watched terminals", "err", err)
	}
}
