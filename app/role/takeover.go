package role

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"parley/app/restart"
	"parley/backend/fault"
	"parley/backend/paths"
	"parley/backend/platform/atomicfile"
	"parley/backend/platform/handover"
)

const (
	// readyWithin is how long a new program may take until it works; then the previous one is
	// executed again.
	readyWithin = 5 * time.Second
	// probeWithin is how long it may take to report that it could take over.
	probeWithin = 5 * time.Second
	// maxProbe bounds its output.
	maxProbe = 4 << 10
	// successorName is the command by which a program reports whether it could take over.
	successorName = "__successor"
	// before is the copy of a program that was replaced while it was running.
	before = "parley-before"
)

// The names of what is handed over.
const (
	lockFile    = "lock"
	hostFile    = "host"
	gatewayFile = "gateway"
)

// left is what one program leaves to the next, besides files.
type left struct {
	// Token is the gateway's, Listening is the number of event subscribers there; Hidden reports
	// that the window was hidden.
	Token     string `json:"token,omitempty"`
	Listening int    `json:"listening,omitempty"`
	Hidden    bool   `json:"hidden,omitempty"`
	// Program is the path of the original program, Args are its arguments, and Copy is the path of
	// the one to go back to, "" for none.
	Program string          `json:"program"`
	Args    []string        `json:"args"`
	Copy    string          `json:"copy,omitempty"`
	Past    restart.Past    `json:"past"`
	Backend json.RawMessage `json:"backend,omitempty"`
}

// probed is the output of a program that could take over.
type probed struct {
	Version string `json:"version"`
	Window  bool   `json:"window"`
}

// takeover is the start of a program, replacing another one or not, until it works.
type takeover struct {
	program Program
	log     *slog.Logger
	// given is nil if the program was started normally; left is what came with it.
	given *handover.Given
	left  left

	// deciding is held while it is decided whether this program stays.
	deciding sync.Mutex
	decided  bool
	late     *time.Timer

	// heard is closed when former event subscribers have reconnected; nil if there were none.
	heard    chan struct{}
	hearOnce sync.Once
}

// errMisread is for a program that does not understand its predecessor's arguments.
var errMisread = errors.New("it does not support the flags that Parley was started with")

// takeOver starts that. The caller must call ready or back.
func (p Program) takeOver() *takeover {
	t := &takeover{program: p, log: slog.New(slog.NewTextHandler(p.Stderr, nil)), given: p.Given}
	if t.given == nil {
		return t
	}
	if err := json.Unmarshal(t.given.State, &t.left); err != nil {
		t.log.Error("Couldn't parse the state from the previous version", "err", err)
	}
	if t.left.Copy != "" {
		t.late = time.AfterFunc(readyWithin, func() {
			_ = t.back(fmt.Errorf("it was not ready within %v", readyWithin)) // it is logged
		})
	}
	return t
}

// logsTo sets the log once there is one.
func (t *takeover) logsTo(log *slog.Logger) {
	t.deciding.Lock()
	defer t.deciding.Unlock()
	t.log = log
}

// handed is what the back end continues with, nil for nothing.
func (t *takeover) handed() *restart.Handed {
	if t.given == nil {
		return nil
	}
	return &restart.Handed{Lock: t.given.File(lockFile), Host: t.given.File(hostFile), State: t.left.Backend, Past: t.left.Past, Heard: t.heard}
}

// hears closes heard.
func (t *takeover) hears() { t.hearOnce.Do(func() { close(t.heard) }) }

// ready records that this program works and stays.
func (t *takeover) ready() {
	t.deciding.Lock()
	defer t.deciding.Unlock()
	if t.given == nil || t.decided {
		return
	}
	t.decided = true
	if t.late != nil {
		t.late.Stop()
	}
	t.given.Close()
	if t.left.Copy != "" && !same(t.left.Copy, running()) {
		if err := os.Remove(t.left.Copy); err != nil {
			t.log.Warn("Couldn't remove the copy of the previous version", "file", t.left.Copy, "err", err)
		}
	}
	t.log.Info("Took over from the previous version", "from", t.left.Past.Version, "to", t.program.Version)
}

// back executes the previous program again, because this one does not work. It returns why, if
// there is none, or if that fails.
func (t *takeover) back(why error) error {
	t.deciding.Lock()
	defer t.deciding.Unlock()
	if t.given == nil || t.decided || t.left.Copy == "" {
		return why
	}
	t.decided = true // only tried once: if going back fails, it ends
	text := fault.MessageOf(why)
	if fault.CodeOf(why) == fault.Internal {
		text = why.Error()
	}
	t.log.Warn("Rolling back to the previous version", "err", why, "program", t.left.Copy)
	l := t.left
	l.Copy = ""
	l.Past = restart.Past{Version: t.program.Version, Failed: text, Tried: t.program.Version}
	if err := t.program.become(t.left.Copy, t.given, l); err != nil {
		return errors.Join(why, err)
	}
	return why
}

// become executes a program in place of this one.
func (p Program) become(path string, given *handover.Given, l left) (err error) {
	if given.State, err = json.Marshal(l); err != nil {
		return err
	}
	return p.Restart(path, l.Args, given)
}

// handOver executes the program on disk in place of this one, after everything was closed except
// for what is handed over. It only returns if neither that nor this program can be executed.
func (t *takeover) handOver(dirs paths.Dirs, h *restart.Handed, listener *os.File, l left) error {
	given := &handover.Given{Files: map[string]*os.File{lockFile: h.Lock, hostFile: h.Host, gatewayFile: listener}, Bare: h.Bare}
	l.Program, l.Args, l.Past, l.Backend = t.path(), t.program.Args, h.Past, h.State
	var err error
	if l.Copy, err = keep(l.Program, filepath.Join(dirs.Data, paths.RelayFolder, before)); err != nil {
		t.log.Warn("Couldn't keep a copy of this version for rollback", "err", err)
	}
	err = t.program.become(l.Program, given, l)
	// Only this program is left then.
	t.log.Error("Couldn't execute the program on disk", "program", l.Program, "err", err)
	self := l.Copy
	if self == "" {
		self = running()
	}
	l.Copy, l.Past.Failed = "", err.Error()
	return errors.Join(err, t.program.become(self, given, l))
}

// path is the original program's path.
func (t *takeover) path() string {
	if t.left.Program != "" {
		return t.left.Program
	}
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// running is this process's program, even if its file was replaced.
func running() string {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe"
	}
	path, _ := os.Executable()
	return path
}

// same reports whether two paths are the same file.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// keep copies this program, if the file at its path has been replaced, and returns the copy's path,
// "" for none.
func keep(path, to string) (string, error) {
	switch {
	case same(path, running()):
		return "", nil
	case same(to, running()):
		return to, nil
	}
	program, err := os.ReadFile(running())
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return "", err
	}
	return to, atomicfile.Program(to, program)
}

// probe asks the program on disk whether it could take over.
func (t *takeover) probe(ctx context.Context, dirs paths.Dirs, window bool) error {
	path := t.path()
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, successorName, dirs.Data) //nolint:gosec // it is this program, or the one in its place
	var said, complained bytes.Buffer
	cmd.Stdout, cmd.Stderr = &bounded{&said}, &bounded{&complained}
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	var answer probed
	switch {
	case ctx.Err() != nil:
		return fault.Wrap(ctx.Err(), fault.Unavailable, "The program %s does not respond. Reinstall Parley. The running one continues.", path)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.Unavailable, "The program %s cannot be started (%v). Reinstall Parley. The running one continues.", path, err)
	case err != nil:
		why, _, _ := strings.Cut(strings.TrimSpace(complained.String()), "\n")
		if why == "" {
			why = err.Error()
		}
		return fault.Wrap(err, fault.Unavailable, "The program %s cannot take over (%s). Reinstall Parley. The running one continues.", path, why)
	case json.Unmarshal(said.Bytes(), &answer) != nil || answer.Version == "":
		return fault.New(fault.Unavailable, "The program %s is not a Parley that can take over. Reinstall Parley. The running one continues.", path)
	case window && !answer.Window:
		return fault.New(fault.Unavailable, "The program %s was built without a window. Install the version with a window. The running one continues.", path)
	}
	return nil
}

// bounded writes up to its capacity.
type bounded struct{ to *bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	b.to.Write(p[:min(len(p), maxProbe-b.to.Len())])
	return len(p), nil
}

// successor reports whether this program could continue with a data folder.
func (p Program) successor(args []string) int {
	if len(args) != 1 {
		return exitUsage
	}
	if _, err := (paths.Dirs{Data: args[0]}).Known(); err != nil {
		return p.fail(err)
	}
	text, err := json.Marshal(probed{Version: p.Version, Window: hasWindow})
	if err != nil {
		return p.fail(err)
	}
	_, _ = fmt.Fprintf(p.Stdout, "%s\n", text)
	return exitOK
}
