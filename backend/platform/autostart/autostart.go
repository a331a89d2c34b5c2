// Package autostart makes the desktop start Parley at login: it owns one entry in the
// folder defined by freedesktop.org, which is written atomically. Users may remove or
// disable the entry in their desktop's own settings; [Entry.On] reports that.
//
// It starts no goroutine and doesn't know what the program does when started.
package autostart

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley/backend/fault"
	"parley/backend/platform/atomicfile"
)

// Entry starts Parley at login.
type Entry struct {
	// Path is the entry's file.
	Path string
	// Command is the program's absolute path and its arguments.
	Command []string
}

// PathIn returns the entry's file for a home folder and the environment's
// XDG_CONFIG_HOME, which is ignored if relative.
func PathIn(home, configHome string) string {
	if !filepath.IsAbs(configHome) {
		configHome = filepath.Join(home, ".config")
	}
	return filepath.Join(configHome, "autostart", "parley.desktop")
}

// maxEntry bounds what is read.
const maxEntry = 64 << 10

// On reports whether the desktop would start Parley, and whether it would use the
// entry's command.
func (e Entry) On() (on, same bool) {
	info, err := os.Stat(e.Path)
	if err != nil || info.Size() > maxEntry {
		return false, false
	}
	text, err := os.ReadFile(e.Path)
	if err != nil {
		return false, false
	}
	exec := "Exec=" + commandLine(e.Command)
	on = true
	for line := range strings.Lines(string(text)) {
		switch line = strings.TrimSpace(line); line {
		case "Hidden=true", "X-GNOME-Autostart-enabled=false":
			on = false
		case exec:
			same = true
		}
	}
	return on, same
}

// Set creates or removes the entry. Its error is a fault (unavailable).
func (e Entry) Set(on bool) error {
	if !on {
		if err := os.Remove(e.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.Wrap(err, fault.Unavailable, "%s cannot be removed. Check the folder's permissions.", e.Path)
		}
		return nil
	}
	for _, arg := range e.Command {
		if strings.ContainsAny(arg, "\n\r\x00") {
			return fault.New(fault.Unavailable, "The path of Parley's program contains characters that an autostart entry cannot have. Move Parley to another folder.")
		}
	}
	if err := e.write(); err != nil {
		return fault.Wrap(err, fault.Unavailable, "%s cannot be written. Check the folder's permissions.", e.Path)
	}
	return nil
}

func (e Entry) write() error {
	if err := os.MkdirAll(filepath.Dir(e.Path), 0o700); err != nil {
		return err
	}
	return atomicfile.Private(e.Path, fmt.Appendf(nil, `[Desktop Entry]
Type=Application
Name=Parley
Comment=Runs the Claude Code CLI for you
Exec=%s
Icon=parley
Terminal=false
X-GNOME-Autostart-enabled=true
`, commandLine(e.Command)))
}

// commandLine formats a command for an entry's Exec: each argument in quotes,
// escaped for the quotes, for field codes, and for the value.
func commandLine(command []string) string {
	quoted := strings.NewReplacer(`\`, `\\\\`, `"`, `\\"`, "`", "\\\\`", `$`, `\\$`, `%`, `%%`)
	args := make([]string, 0, len(command))
	for _, arg := range command {
		args = append(args, `"`+quoted.Replace(arg)+`"`)
	}
	return strings.Join(args, " ")
}
