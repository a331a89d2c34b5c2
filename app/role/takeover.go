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
	// readyWithin is how long a program that was executed in the place of another one may
	// take until it works; then the other one is executed again.
	readyWithin = 5 * time.Second
	// probeWithin is how long it may take to say that it could.
	probeWithin = 5 * time.Second
	// maxProbe bounds what it says.
	maxProbe = 4 << 10
	// successorName is the command by which a program says whether it could take over.
	successorName = "__successor"
	// before is the copy of a program that was replaced while it ran.
	before = "parley-before"
)

// The names of what is handed over.
const (
	lockFile    = "lock"
	hostFile    = "host"
	gatewayFile = "gateway"
)

// left is what one program leaves to the next, beside files.
type left struct {
	// Token is the gateway's, Listening is how many followed the events there; Hidden says
	// that the window was not to be seen.
	Token     string `json:"token,omitempty"`
	Listening int    `json:"listening,omitempty"`
	Hidden    bool   `json:"hidden,omitempty"`
	// Program is the path of the program that was started, Args are its arguments, and Copy
	// is the path of one to go back to, "" for none.
	Program string          `json:"program"`
	Args    []string        `json:"args"`
	Copy    string          `json:"copy,omitempty"`
	Past    restart.Past    `json:"past"`
	Backend json.RawMessage `json:"backend,omitempty"`
}

// probed is what a program says that could take over.
type probed struct {
	Version string `json:"version"`
	Window  bool   `json:"window"`
}

// takeover is the start of a program, in the place of another one or not, until it works.
type takeover struct {
	program Program
	log     *slog.Logger
	// given is nil where the program was started as usual; left is what came with it.
	given *handover.Given
	left  left

	// deciding is held while it is decided whether this program stays.
	deciding sync.Mutex
	decided  bool
	late     *time.Timer

	// heard is closed when those who followed the events do so again; nil for nobody.
	heard    chan struct{}
	hearOnce sync.Once
}

// errMisread is for a program that does not understand the arguments of the one before it.
var errMisread = errors.New("it does not understand with which flags Parley was started")

// takeOver begins that. Whoever calls it calls ready, or back.
func (p Program) takeOver() *takeover {
	t := &takeover{program: p, log: slog.New(slog.NewTextHandler(p.Stderr, nil)), given: p.Given}
	if t.given == nil {
		return t
	}
	if err := json.Unmarshal(t.given.State, &t.left); err != nil {
		t.log.Error("What the program before this one said is not understood", "err", err)
	}
	if t.left.Copy != "" {
		t.late = time.AfterFunc(readyWithin, func() {
			_ = t.back(fmt.Errorf("it was not ready within %v", readyWithin)) // it is logged
		})
	}
	return t
}

// logsTo is told when there is a log.
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

// ready says that this program works and stays.
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
			t.log.Warn("The copy of the program before this one stays", "file", t.left.Copy, "err", err)
		}
	}
	t.log.Info("Took over", "before", t.left.Past.Version, "now", t.program.Version)
}

// back has the program before this one executed again, because this one does not work. It
// returns why, when there is none, or it is no use.
func (t *takeover) back(why error) error {
	t.deciding.Lock()
	defer t.deciding.Unlock()
	if t.given == nil || t.decided || t.left.Copy == "" {
		return why
	}
	t.decided = true // it is tried once: what cannot go back ends
	text := fault.MessageOf(why)
	if fault.CodeOf(why) == fault.Internal {
		text = why.Error()
	}
	t.log.Warn("Going back to the program before this one", "err", why, "program", t.left.Copy)
	l := t.left
	l.Copy = ""
	l.Past = restart.Past{Version: t.program.Version, Failed: text, Tried: t.program.Version}
	if err := t.program.become(t.left.Copy, t.given, l); err != nil {
		return errors.Join(why, err)
	}
	return why
}

// become executes a program in the place of this one.
func (p Program) become(path string, given *handover.Given, l left) (err error) {
	if given.State, err = json.Marshal(l); err != nil {
		return err
	}
	return p.Restart(path, l.Args, given)
}

// handOver has the program on the disk go on in this one's place, after all was closed but
// what is handed over. It returns only when neither that nor this one can be executed.
func (t *takeover) handOver(dirs paths.Dirs, h *restart.Handed, listener *os.File, l left) error {
	given := &handover.Given{Files: map[string]*os.File{lockFile: h.Lock, hostFile: h.Host, gatewayFile: listener}, Bare: h.Bare}
	l.Program, l.Args, l.Past, l.Backend = t.path(), t.program.Args, h.Past, h.State
	var err error
	if l.Copy, err = keep(l.Program, filepath.Join(dirs.Data, paths.RelayFolder, before)); err != nil {
		t.log.Warn("There will be no way back to this program", "err", err)
	}
	err = t.program.become(l.Program, given, l)
	// Only this program is left then.
	t.log.Error("The program on the disk cannot be executed", "program", l.Program, "err", err)
	self := l.Copy
	if self == "" {
		self = running()
	}
	l.Copy, l.Past.Failed = "", err.Error()
	return errors.Join(err, t.program.become(self, given, l))
}

// path is that of the program as it was started at first.
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

// running is this process's program, also where its file was replaced.
func running() string {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe"
	}
	path, _ := os.Executable()
	return path
}

// same says whether two paths are one file.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// keep copies this program, if the file at its path is another one by now, and returns
// where that is, "" for nowhere.
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

// probe asks the program on the disk whether it could take over.
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
		return fault.Wrap(ctx.Err(), fault.Unavailable, "The program %s does not answer. Install Parley again; the one that runs goes on.", path)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return fault.Wrap(err, fault.Unavailable, "The program %s cannot be started (%v). Install Parley again; the one that runs goes on.", path, err)
	case err != nil:
		why, _, _ := strings.Cut(strings.TrimSpace(complained.String()), "\n")
		if why == "" {
			why = err.Error()
		}
		return fault.Wrap(err, fault.Unavailable, "The program %s cannot take over (%s). Install Parley again; the one that runs goes on.", path, why)
	case json.Unmarshal(said.Bytes(), &answer) != nil || answer.Version == "":
		return fault.New(fault.Unavailable, "The program %s is no Parley that can take over. Install Parley again; the one that runs goes on.", path)
	case window && !answer.Window:
		return fault.New(fault.Unavailable, "The program %s was built without a window. Install the one with a window; the one that runs goes on.", path)
	}
	return nil
}

// bounded takes what has room.
type bounded struct{ to *bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	b.to.Write(p[:min(len(p), maxProbe-b.to.Len())])
	return len(p), nil
}

// successor says whether this program could continue with a data folder.
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
