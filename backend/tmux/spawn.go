package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Spawn starts the CLI in its own terminal session.
func (s *Supervisor) Spawn(ctx context.Context, p Spawn) (Pane, error) {
	if p.Name == "" {
		p.Name = "parley-" + time.Now().Format("20060102150405")
	}
	if !nameForm.MatchString(p.Name) || strings.HasPrefix(p.Name, "-") {
		return Pane{}, fmt.Errorf("%w: a name has 1 to 64 letters, digits, “_” and “-”", ErrInvalid)
	}
	if info, err := os.Stat(p.Folder); !filepath.IsAbs(p.Folder) || err != nil || !info.IsDir() {
		return Pane{}, fmt.Errorf("%w: %.200q is not a folder", ErrInvalid, p.Folder)
	}
	if strings.Contains(p.Folder, "#[") { // tmux has no escape for this
		return Pane{}, fmt.Errorf("%w: tmux can begin in no folder whose path has “#[”", ErrInvalid)
	}
	cli, err := s.cfg.CLI(ctx)
	if err != nil {
		return Pane{}, err
	}
	// By default it would choose a mode that asks nobody.
	argv := []string{cli, "--permission-mode", "default"}
	if p.Prompt != "" {
		text, err := typeable(p.Prompt)
		if err != nil {
			return Pane{}, err
		}
		argv = append(argv, "--", text)
	}
	taken, err := s.tmux.has(ctx, p.Name)
	if err != nil {
		return Pane{}, err
	}
	if taken {
		return Pane{}, fmt.Errorf("%w: there is a session %q already", ErrInvalid, p.Name)
	}
	id, err := s.tmux.spawn(ctx, p.Name, p.Folder, argv)
	if err != nil {
		return Pane{}, err
	}
	return s.started(ctx, id)
}

// started waits until the CLI is running in a pane.
func (s *Supervisor) started(ctx context.Context, id string) (Pane, error) {
	tick := time.NewTicker(glance)
	defer tick.Stop()
	end := time.NewTimer(callTimeout)
	defer end.Stop()
	for {
		f, err := s.find(ctx, id)
		if err == nil {
			return s.pane(&f), nil
		}
		if !errors.Is(err, ErrNoPane) {
			return Pane{}, err
		}
		select {
		case <-ctx.Done():
			return Pane{}, ctx.Err()
		case <-end.C:
			return Pane{}, fmt.Errorf("the CLI did not start: %w", err)
		case <-tick.C:
		}
	}
}

// Kill ends a pane and its program; a session without another pane ends too.
func (s *Supervisor) Kill(ctx context.Context, target string) (Pane, error) {
	f, err := s.find(ctx, target)
	if err != nil {
		return Pane{}, err
	}
	pane := s.pane(&f)
	return pane, errors.Join(s.tmux.kill(ctx, f.id), s.unwatch(ctx, f.id))
}
