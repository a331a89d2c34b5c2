package app

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
	"strings"
	"time"

	"parley/backend/chat"
	"parley/backend/claude"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/relay/command"
	"parley/backend/replace"
	"parley/backend/tmux"
)

// terminalsFile is where it is kept which terminals are watched, in the data folder.
const terminalsFile = "terminals.json"

// maxTerminalsFile bounds that file, in bytes.
const maxTerminalsFile = 1 << 20

// terminals look after sessions of the CLI in tmux, for the chat's commands and for the
// tool manage_tmux_sessions. What becomes of those that are watched goes to the thread
// that asked for it, or else is shown on this computer.
type terminals struct {
	*tmux.Supervisor
	log *slog.Logger
	// thread posts in a thread of the chat.
	thread func(ctx context.Context, a tmux.Alert) error
	// notice shows something on this computer.
	notice func(ctx context.Context, title, text string) error
}

var _ command.Terminals = (*tmux.Supervisor)(nil)

// openTerminals builds what looks after terminals, and gives sessions the tool for it.
func (a *App) openTerminals() {
	env := claude.Environ(claude.EnvironConfig{Base: a.cfg.Env, Home: a.cfg.Dirs.Home})
	program, err := lookPath("tmux", env)
	if err != nil {
		program = "" // it may be installed later
	}
	t := &terminals{
		log: a.cfg.Logger,
		thread: func(ctx context.Context, alert tmux.Alert) error {
			link, err := a.chats.live()
			if err != nil {
				return err
			}
			return toThread(ctx, link.table, link.client, alert)
		},
		notice: func(ctx context.Context, title, text string) error {
			return a.notices.say(ctx, event.Session{}, title, text)
		},
	}
	t.Supervisor = tmux.New(tmux.Config{
		Program: program, Env: func() []string { return env },
		CLI: func(ctx context.Context) (string, error) {
			if a.cfg.Rehearsal {
				return "", fault.New(fault.Unavailable, "This Parley is for practice only, and starts nothing in terminals.")
			}
			return a.engine.cli.path(ctx)
		},
		Store: terminalStore{filepath.Join(a.cfg.Dirs.Data, terminalsFile)}, Alert: t.alert, Logger: a.cfg.Logger,
	})
	a.terminals = t
	a.toolhost.add((&tmuxTool{own: a.own, panes: t.Supervisor}).set())
}

// alert tells what became of a terminal.
func (t *terminals) alert(ctx context.Context, a tmux.Alert) {
	ctx, cancel := context.WithTimeout(ctx, chatCall)
	defer cancel()
	if a.Watch.ThreadID != "" {
		err := t.thread(ctx, a)
		if err == nil || ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return
		}
		t.log.Info("What became of a terminal could not be told in its thread", "err", err)
	}
	title, text := terminalWords(a)
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), noticeWait)
	defer cancel()
	if err := t.notice(short, title, text); err != nil {
		t.log.Info("What became of a terminal was not shown", "err", err)
	}
}

// poster is what an alert needs of the chat.
type poster interface {
	Send(ctx context.Context, p chat.NewPost) (chat.Post, error)
}

// toThread posts an alert, and has reactions to it answer what is asked.
func toThread(ctx context.Context, table *command.Table, to poster, a tmux.Alert) error {
	reply := table.Alert(a)
	post, err := to.Send(ctx, chat.NewPost{
		Key:       fmt.Sprintf("term-%s-%d-%d", strings.TrimPrefix(a.Watch.PaneID, "%"), a.Watch.PID, a.At),
		ChannelID: a.Watch.ChannelID, RootID: a.Watch.ThreadID, Text: reply.Text,
	})
	if err == nil && reply.Screen != nil {
		table.Shown(post.ID, *reply.Screen)
	}
	return err
}

// terminalWords are what a notification says of a terminal.
func terminalWords(a tmux.Alert) (title, text string) {
	title = "Terminal " + cutText(shownText(a.Watch.Target), maxNoticeTitle/2)
	switch a.What {
	case string(tmux.Permission):
		text = "It waits for your permission."
	case string(tmux.Question):
		text = "It asks you something."
	case string(tmux.Idle):
		text = "It is done, and waits."
	case string(tmux.Errored):
		text = "It failed."
	case string(tmux.Ended):
		text = "It has ended."
	default:
		text = "It is at the same place for a while."
	}
	return title, text
}

// terminalStore is [tmux.Store]: a file, which is a cache of what people asked for.
type terminalStore struct{ path string }

// terminalList is what the file holds.
type terminalList struct {
	Watched []tmux.Watch `json:"watched"`
}

// Load implements [tmux.Store]. A file that cannot be read is put aside.
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
		raw, err = os.ReadFile(s.path)
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
	raw, err := json.MarshalIndent(terminalList{Watched: notNil(all)}, "", "  ")
	if err == nil {
		err = replace.Private(s.path, append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keep which terminals are watched: %w", err)
	}
	return nil
}

// start goes on with what was watched. That a list cannot be read is no reason not to
// start.
func (t *terminals) start(ctx context.Context) {
	if err := t.Start(ctx); err != nil {
		t.log.Warn("Which terminals were watched is not known any more", "err", err)
	}
}
