package service

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"parley/backend/fault"
	"parley/backend/platform/atomicfile"
	"parley/backend/platform/safeopen"
)

// Manager installs the unit. Its fields are required.
type Manager struct {
	// Path is the unit's path, see [PathIn].
	Path string
	// Run runs a system program, and returns its output.
	Run func(ctx context.Context, name string, args ...string) (string, error)
}

// PathIn returns where the user's systemd looks for the unit; config is
// $XDG_CONFIG_HOME.
func PathIn(home, config string) string {
	if !filepath.IsAbs(config) {
		config = filepath.Join(home, ".config")
	}
	return filepath.Join(config, "systemd", "user", Name+".service")
}

// made is the start of a unit file of ours.
const made = "# Made by \"parley service install\""

// Install writes the unit, starts it, and enables it at login. A foreign unit with that
// name is a fault.
func (m Manager) Install(ctx context.Context, command []string) error {
	switch ours, err := m.ours(); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fault.Wrap(err, fault.Unavailable, "%s cannot be read. Check its permissions.", m.Path)
	case !ours:
		return fault.New(fault.Conflict, "%s was not created by Parley. Delete it first, or leave the service as it is.", m.Path)
	}
	if err := os.MkdirAll(filepath.Dir(m.Path), 0o700); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The folder of %s cannot be created.", m.Path)
	}
	if err := atomicfile.Private(m.Path, []byte(Unit(command))); err != nil {
		return fault.Wrap(err, fault.Unavailable, "%s cannot be written.", m.Path)
	}
	for _, args := range [][]string{{"daemon-reload"}, {"enable", Name + ".service"}, {"restart", Name + ".service"}} {
		if err := m.systemctl(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// Uninstall stops the service and removes its unit. A missing unit is a fault.
func (m Manager) Uninstall(ctx context.Context) error {
	switch ours, err := m.ours(); {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.NotFound, "The service is not installed: %s does not exist.", m.Path)
	case err != nil:
		return fault.Wrap(err, fault.Unavailable, "%s cannot be read. Check its permissions.", m.Path)
	case !ours:
		return fault.New(fault.Conflict, "%s was not created by Parley, so it was not removed.", m.Path)
	}
	if err := m.systemctl(ctx, "disable", "--now", Name+".service"); err != nil {
		return err
	}
	if err := os.Remove(m.Path); err != nil {
		return fault.Wrap(err, fault.Unavailable, "%s cannot be removed.", m.Path)
	}
	return m.systemctl(ctx, "daemon-reload")
}

// Status is the state of the service.
type Status struct {
	Installed bool   `json:"installed"`
	Enabled   bool   `json:"enabled"`
	State     string `json:"state"` // systemd's ActiveState and SubState: "active (running)"
	Says      string `json:"says"`  // its own status text
	PID       int    `json:"pid"`
	Restarts  int    `json:"restarts"` // by systemd
	Result    string `json:"result"`   // how it last ended: "success", "watchdog", "exit-code"…
}

// Status asks systemd.
func (m Manager) Status(ctx context.Context) (Status, error) {
	var s Status
	switch ours, err := m.ours(); {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return s, fault.Wrap(err, fault.Unavailable, "%s cannot be read. Check its permissions.", m.Path)
	default:
		s.Installed = ours
	}
	text, err := m.Run(ctx, "systemctl", "--user", "show", Name+".service",
		"--property=ActiveState,SubState,StatusText,MainPID,NRestarts,Result,UnitFileState")
	if err != nil {
		return s, unreachable(err, text)
	}
	is := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			is[name] = value
		}
	}
	s.State, s.Says, s.Result = is["ActiveState"]+" ("+is["SubState"]+")", is["StatusText"], is["Result"]
	s.Enabled = is["UnitFileState"] == "enabled"
	s.PID, _ = strconv.Atoi(is["MainPID"])
	s.Restarts, _ = strconv.Atoi(is["NRestarts"])
	return s, nil
}

func (m Manager) ours() (bool, error) {
	text, err := safeopen.Read(m.Path, 64<<10)
	return strings.HasPrefix(string(text), made), err
}

func (m Manager) systemctl(ctx context.Context, args ...string) error {
	if text, err := m.Run(ctx, "systemctl", append([]string{"--user"}, args...)...); err != nil {
		return unreachable(err, text)
	}
	return nil
}

func unreachable(err error, said string) error {
	return fault.Wrap(err, fault.Unavailable, "systemd failed: %s. Check that systemd runs for your user (systemctl --user status).",
		strings.TrimSpace(said))
}
