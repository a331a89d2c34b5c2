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

// login has the desktop start Parley when the user logs in. Nil is a Parley for which
// there is no way to: one without a window, or on a system where nobody made it.
type login struct {
	Entry autostart.Entry
	// mu is held while the entry and the setting are made to agree.
	mu sync.Mutex
	// agreed is the setting that the entry was made to agree with last. What the desktop
	// does to the entry from then on is not undone by hearing of that again.
	agreed bool
}

// newLogin is what starts Parley at login; nil where that is not to be had.
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

// FollowLogin does what a change of the settings' file asks for. It goes by what the
// setting is now: the change may be old.
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
		p.cfg.Log.Warn("Starting at login could not be changed", "err", err)
	}
}

// CheckLogin compares the setting with what the desktop would do: that may have been
// switched off there, which counts, and may be meant for a program that was moved.
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
		p.cfg.Log.Info("The desktop does not start Parley at login any more")
		off := false
		p.login.agreed = off
		_, err = p.Change(SettingsPatch{StartAtLogin: &off})
	case !same:
		err = p.login.set(true)
	}
	if err != nil {
		p.cfg.Log.Warn("Starting at login could not be put right", "err", err)
	}
}
