package app

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"parley/backend/autostart"
	"parley/backend/fault"
	"parley/backend/paths"
)

// login has the desktop start Parley when the person logs in. Nil is a Parley for which
// there is no way to: one without a window, or on a system where nobody made it.
type login struct {
	entry autostart.Entry
	// mu is held while the entry and the setting are made to agree.
	mu sync.Mutex
	// agreed is the setting that the entry was made to agree with last. What the desktop
	// does to the entry from then on is not undone by hearing of that again.
	agreed bool
}

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
	return &login{entry: autostart.Entry{Path: autostart.PathIn(cfg.Dirs.Home, getenv("XDG_CONFIG_HOME")), Command: command}}
}

func (l *login) set(on bool) error {
	if l == nil {
		return fault.New(fault.Unavailable, "Only Parley's own window on Linux can be started at login.")
	}
	if err := l.entry.Set(on); err != nil {
		return err
	}
	l.agreed = on
	return nil
}

// followLogin does what a change of the settings' file asks for. It goes by what the
// setting is now: the change may be old.
func (p *preferences) followLogin() {
	if p.login == nil {
		return
	}
	p.login.mu.Lock()
	defer p.login.mu.Unlock()
	on := p.get().StartAtLogin
	if on == p.login.agreed {
		return
	}
	p.login.agreed = on
	if is, _ := p.login.entry.On(); is == on {
		return
	}
	if err := p.login.set(on); err != nil {
		p.log.Warn("Starting at login could not be changed", "err", err)
	}
}

// checkLogin compares the setting with what the desktop would do: that may have been
// switched off there, which counts, and may be meant for a program that was moved.
func (p *preferences) checkLogin() {
	if p.login == nil {
		return
	}
	p.login.mu.Lock()
	defer p.login.mu.Unlock()
	p.login.agreed = p.get().StartAtLogin
	if !p.login.agreed {
		return
	}
	on, same := p.login.entry.On()
	var err error
	switch {
	case !on:
		p.log.Info("The desktop does not start Parley at login any more")
		off := false
		p.login.agreed = off
		_, err = p.change(SettingsPatch{StartAtLogin: &off})
	case !same:
		err = p.login.set(true)
	}
	if err != nil {
		p.log.Warn("Starting at login could not be put right", "err", err)
	}
}
