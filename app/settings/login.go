package settings

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/platform/autostart"
)

// login makes the desktop start Parley when the user logs in. It is nil if that is not possible:
// without a window, or on a system without support.
type login struct {
	Entry autostart.Entry
	// mu is held while the entry and the setting are synchronized.
	mu sync.Mutex
	// agreed is the setting with which the entry was last synchronized. Later changes by the
	// desktop are not reverted when the same setting is reported again.
	agreed bool
}

// newLogin returns what starts Parley at login; nil if not available.
func newLogin(cfg Config) *login {
	if !cfg.Desktop || runtime.GOOS != "linux" {
		return nil
	}
	getenv := func(name string) string {
		for _, v := range cfg.Env {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
	command := []string{cfg.Executable, "--hidden"}
	usual, err := paths.Find(paths.Environment{OS: runtime.GOOS, Home: cfg.Dirs.Home, Temp: os.TempDir(), Getenv: getenv})
	if err != nil || filepath.Clean(usual.Data) != filepath.Clean(cfg.Dirs.Data) {
		command = append(command, "--data", cfg.Dirs.Data)
	}
	return &login{Entry: autostart.Entry{Path: autostart.PathIn(cfg.Dirs.Home, getenv("XDG_CONFIG_HOME")), Command: command}}
}

func (l *login) set(on bool) error {
	if l == nil {
		return fault.New(fault.Unavailable, "Only Parley's own window on Linux can be started at login.")
	}
	if err := l.Entry.Set(on); err != nil {
		return err
	}
	l.agreed = on
	return nil
}

// FollowLogin applies a change of the settings file. It uses the current setting, because the
// change may be outdated.
func (p *Service) FollowLogin() {
	if p.login == nil {
		return
	}
	p.login.mu.Lock()
	defer p.login.mu.Unlock()
	on := p.Values().StartAtLogin
	if on == p.login.agreed {
		return
	}
	p.login.agreed = on
	if is, _ := p.login.Entry.On(); is == on {
		return
	}
	if err := p.login.set(on); err != nil {
		p.cfg.Log.Warn("Couldn't change start at login", "err", err)
	}
}

// CheckLogin compares the setting with the desktop's entry: the user may have turned it off there,
// which takes precedence, and it may refer to a program that was moved.
func (p *Service) CheckLogin() {
	if p.login == nil {
		return
	}
	p.login.mu.Lock()
	defer p.login.mu.Unlock()
	p.login.agreed = p.Values().StartAtLogin
	if !p.login.agreed {
		return
	}
	on, same := p.login.Entry.On()
	var err error
	switch {
	case !on:
		p.cfg.Log.Info("Start at login was turned off in the desktop")
		off := false
		p.login.agreed = off
		_, err = p.Change(SettingsPatch{StartAtLogin: &off})
	case !same:
		err = p.login.set(true)
	}
	if err != nil {
		p.cfg.Log.Warn("Couldn't correct start at login", "err", err)
	}
}
