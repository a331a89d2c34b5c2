// Package editor opens files in the user's own editor, at a line.
//
// It knows the supported editors, their line arguments, and the default choice.
// It starts no goroutine.
//
// Editors are the one exception from the rule that every process dies with Parley:
// an editor is the user's. It may hold unsaved work, is often an existing window
// that only gets a message, and must not be taken down by Parley. So it gets its
// own session, none of our streams, and is left alone; only its exit status is
// collected, at the next [Launcher.Open] and at [Launcher.Close], so that no
// zombies pile up.
//
// Programs are started by their arguments, never through a shell. A path is always
// absolute and of a regular file. The package knows nothing of conversations.
package editor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/backend/fault"
)

const (
	// Auto leaves the choice to this package; System is the system's own opener.
	Auto   = ""
	System = "system"
)

const (
	// patience is how long Open waits to see whether the started program fails at
	// once.
	patience = 700 * time.Millisecond
	glance   = 20 * time.Millisecond
	// maxRunning bounds the uncollected exits.
	maxRunning = 64
	// maxPath bounds a path, in bytes.
	maxPath = 4096
)

// Place is a position in a file. Line and Column count from 1; 0 means none.
type Place struct {
	Path         string
	Line, Column int
}

// Editor is an installed editor.
type Editor struct {
	// ID is its value in the setting: "code", "zed", [System].
	ID string
	// Name is for display; Path is the program.
	Name, Path string
}

// Config configures a launcher.
type Config struct {
	// Env is the environment used to find editors and passed to them.
	Env []string
}

// Launcher opens files. Its methods may be called from any goroutine.
type Launcher struct {
	env  []string
	goos string
	// patience is the constant, except in tests.
	patience time.Duration

	mu      sync.Mutex
	closed  bool
	running []*process
}

// New returns a launcher. It must be closed.
func New(cfg Config) *Launcher {
	return &Launcher{env: cfg.Env, goos: runtime.GOOS, patience: patience}
}

// Resolve converts a path from a conversation to one that can be opened: relative to
// folder unless absolute, of an existing regular file. Its faults are invalid and
// not_found.
func Resolve(folder, path string) (string, error) {
	if path == "" || len(path) > maxPath || strings.ContainsRune(path, 0) {
		return "", fault.New(fault.Invalid, "This is not a valid path (parameter path).")
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	path = filepath.Clean(path)
	if !filepath.IsAbs(path) {
		return "", fault.New(fault.Invalid, "The session's folder is unknown, so %q cannot be found (parameter path).", path)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fault.Wrap(err, fault.NotFound, "%s no longer exists.", path)
	case err != nil:
		return "", fault.Wrap(err, fault.Unavailable, "%s cannot be read. Check the permissions of its folder.", path)
	case !info.Mode().IsRegular():
		return "", fault.New(fault.Invalid, "%s is not a file.", path)
	}
	return path, nil
}

// List returns the installed editors in order of preference; the first is what [Auto]
// means. The system's opener comes last.
func (l *Launcher) List() []Editor {
	var found []Editor
	seen := make(map[string]bool)
	add := func(k kind, path string) {
		if !seen[k.id] {
			seen[k.id] = true
			found = append(found, Editor{ID: k.id, Name: k.name, Path: path})
		}
	}
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if k, path, ok := l.chosen(l.variable(name)); ok {
			add(k, path)
		}
	}
	for _, k := range kinds() {
		if path, ok := l.find(k.programs...); ok {
			add(k, path)
		}
	}
	if k := l.opener(); k.id != "" {
		if path, ok := l.find(k.programs...); ok {
			add(k, path)
		}
	}
	return found
}

// chosen returns the graphical editor named by a variable like EDITOR: "code --wait".
// One that needs a terminal doesn't count, because there is no terminal.
func (l *Launcher) chosen(value string) (kind, string, bool) {
	words := strings.Fields(value)
	if len(words) == 0 {
		return kind{}, "", false
	}
	k, known := kindOf(words[0])
	if !known {
		return kind{}, "", false
	}
	path, ok := l.find(words[0])
	return k, path, ok
}

// Open opens a file in the editor of the setting: [Auto], [System], an editor's id,
// or an absolute path of a program. It returns the editor's name once it runs or has
// taken the file. Its faults are not_found (no such editor), forbidden (the system's
// opener might run the file), unavailable (it can't be started, or ended at once),
// conflict (closed).
func (l *Launcher) Open(ctx context.Context, setting string, at Place) (string, error) {
	k, path, err := l.pick(setting)
	if err != nil {
		return "", err
	}
	if k.opens && runs(at.Path) {
		return "", fault.New(fault.Forbidden, "%s is executable, so the system might run it instead of opening it. Choose an editor in the settings.", at.Path)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return "", fault.New(fault.Conflict, "Parley is closing.")
	}
	l.collect()
	if len(l.running) >= maxRunning {
		return "", fault.New(fault.Busy, "Too many editors that Parley opened are still running. Close some.")
	}
	cmd := exec.Command(path, k.args(at)...) //nolint:gosec,noctx // the user's own editor, and it outlives whoever asked for it
	cmd.Env = l.env
	cmd.Dir = filepath.Dir(at.Path)
	detach(cmd)
	p, err := start(cmd)
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "%s could not be started. Choose another editor in the settings.", k.name)
	}
	code, ended := l.settle(ctx, p)
	if !ended {
		l.running = append(l.running, p)
		return k.name, nil
	}
	if code != 0 {
		return "", fault.New(fault.Unavailable, "%s exited immediately with code %d. Choose another editor in the settings.", k.name, code)
	}
	return k.name, nil
}

// settle waits briefly to see whether the process ends, as most do that pass the file
// to an open window.
func (l *Launcher) settle(ctx context.Context, p *process) (code int, ended bool) {
	ctx, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for {
		if code, ended := p.ended(); ended {
			return code, true
		}
		select {
		case <-ctx.Done():
			return 0, false
		case <-tick.C:
		}
	}
}

// pick finds the program of a setting.
func (l *Launcher) pick(setting string) (kind, string, error) {
	if setting == Auto {
		list := l.List()
		if len(list) == 0 {
			return kind{}, "", fault.New(fault.NotFound, "No editor was found. Choose one in the settings.")
		}
		if list[0].ID == System {
			return l.opener(), list[0].Path, nil
		}
		k, _ := kindOf(list[0].ID)
		return k, list[0].Path, nil
	}
	k, known := kindOf(setting)
	if setting == System {
		k, known = l.opener(), true
	}
	names := k.programs
	if setting != k.id {
		// That exact program is meant, even if it is unknown.
		names = []string{setting}
	}
	path, ok := l.find(names...)
	if !ok {
		return kind{}, "", fault.New(fault.NotFound, "The editor %q was not found. Choose another one in the settings.", setting)
	}
	if !known {
		k = kind{name: filepath.Base(setting), args: plain}
	}
	return k, path, nil
}

// find looks for the first of some programs in the editors' PATH.
func (l *Launcher) find(programs ...string) (string, bool) {
	for _, program := range programs {
		if filepath.IsAbs(program) {
			if executable(program) {
				return program, true
			}
			continue
		}
		if strings.ContainsAny(program, `/\`) {
			continue
		}
		for _, dir := range filepath.SplitList(l.variable("PATH")) {
			if !filepath.IsAbs(dir) {
				continue
			}
			for _, suffix := range suffixes(l.goos) {
				if path := filepath.Join(dir, program+suffix); executable(path) {
					return path, true
				}
			}
		}
	}
	return "", false
}

func suffixes(goos string) []string {
	if goos == "windows" {
		return []string{".exe", ".cmd", ".bat"}
	}
	return []string{""}
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

func (l *Launcher) variable(name string) string {
	value := ""
	for _, entry := range l.env {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// collect collects exited processes. The caller holds mu.
func (l *Launcher) collect() {
	left := l.running[:0]
	for _, p := range l.running {
		if _, ended := p.ended(); !ended {
			left = append(left, p)
		}
	}
	l.running = left
}

// Close stops opening files. Running editors stay.
func (l *Launcher) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.collect()
	for _, p := range l.running {
		p.leave()
	}
	l.running = nil
}

func atLine(p Place, sep string) string {
	if p.Line <= 0 {
		return ""
	}
	return sep + strconv.Itoa(p.Line)
}

func atColumn(p Place, sep string) string {
	if p.Line <= 0 || p.Column <= 0 {
		return ""
	}
	return sep + strconv.Itoa(p.Column)
}
