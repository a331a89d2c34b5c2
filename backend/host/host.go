package host

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"parley/backend/host/child"
)

// Config configures a host.
type Config struct {
	// Program returns the program that is run as "host FOLDER" and calls [Serve] with its
	// standard input as the connection.
	Program func() string
	// Folder is where the host keeps what doesn't fit in memory; "" is the user's runtime
	// folder, or the temporary folder.
	Folder string
	Log    *slog.Logger
}

// Host is Parley's side of a host, which is started for the first program, and restarted
// for the next one if it was killed. It may be used from any goroutine.
type Host struct {
	cfg Config

	mu     sync.Mutex
	link   *link
	closed bool
	// left is set once another program has it.
	left bool
}

// ErrNone is wrapped by errors of [Host.Start] if there is no host, so that nothing was
// started.
var ErrNone = errors.New("no process could be started that holds programs")

// startWait is how long a host may take to greet, or to start a program.
const startWait = 20 * time.Second

// New returns a host without starting anything.
func New(cfg Config) *Host {
	if cfg.Folder == "" {
		cfg.Folder = os.TempDir()
		if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				cfg.Folder = dir
			}
		}
	}
	return &Host{cfg: cfg}
}

// Start makes the host start a program.
func (h *Host) Start(c child.Command) (*Program, error) {
	l, err := h.up()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	return l.start(c)
}

// up returns the link to a running host.
func (h *Host) up() (*link, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, errors.New("Parley is ending")
	case h.link != nil && !h.link.lost():
		return h.link, nil
	case h.link != nil:
		h.cfg.Log.Warn("Holder process of the CLIs is gone; starting a new one", "err", h.link.err)
		h.link.wait()
	}
	l, err := begin(h.cfg)
	if err != nil {
		return nil, err
	}
	h.link = l
	return l, nil
}

// PID returns the host's pid, 0 if there is none.
func (h *Host) PID() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.link == nil || h.link.lost() {
		return 0
	}
	return h.link.process.Pid
}

// Close ends the host with everything in it, and waits. It may be repeated.
func (h *Host) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.left {
		return
	}
	h.closed = true
	if h.link != nil {
		h.link.end(errClosed)
		h.link.wait()
	}
}
