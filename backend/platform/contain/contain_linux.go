package contain

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// prefix is the name prefix of the folder of a Parley's groups.
const prefix = "parley-"

// Groups are this Parley's groups. It may be used from any goroutine; nil has none.
type Groups struct {
	cfg Config
	// dir is the folder of all of them.
	dir string

	mu     sync.Mutex
	guard  *guard
	closed bool
	handed bool // to another program
	groups map[*Group]bool
	number int
}

// Open creates a place for groups, and ends what is in those of dead Parleys. The error
// says why there is none.
func Open(cfg Config) (*Groups, error) {
	own, err := ownGroup()
	if err != nil {
		return nil, err
	}
	for _, dir := range append(leftBy(own), cfg.Noted...) {
		if cfg.dead(dir) {
			cfg.Log.Info("Stopping processes left in the control groups of an earlier Parley", "folder", dir)
			end(dir, cfg.Log)
		}
	}
	g := &Groups{cfg: cfg, dir: filepath.Join(own, prefix+cfg.Self), groups: map[*Group]bool{}}
	if err := os.Mkdir(g.dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) { //nolint:gosec // as the kernel makes them
		return nil, fmt.Errorf("make a control group: %w", err)
	}
	// Before Linux 5.14 a group couldn't be killed with one write.
	if _, err := os.Stat(filepath.Join(g.dir, "cgroup.kill")); err != nil {
		_ = os.Remove(g.dir)
		return nil, fmt.Errorf("this system's control groups cannot be ended at once: %w", err)
	}
	cfg.Note(g.dir)
	return g, nil
}

// ownGroup returns the folder of this process's group.
func ownGroup() (string, error) {
	mounts, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	defer mounts.Close()
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	return groupOf(mounts, string(text))
}

// groupOf finds the folder of a group among the mounts, both in the format of
// /proc.
func groupOf(mounts io.Reader, groups string) (string, error) {
	path, found := "", false
	for line := range strings.Lines(groups) {
		if rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			path, found = rest, true
		}
	}
	if !found || strings.HasPrefix(path, "/../") {
		return "", errors.New("this process is in no control group of the second version")
	}
	lines := bufio.NewScanner(mounts)
	for lines.Scan() {
		// 36 35 98:0 /root /mountpoint options… - cgroup2 source options
		before, after, ok := strings.Cut(lines.Text(), " - ")
		fields := strings.Fields(before)
		if !ok || !strings.HasPrefix(after, "cgroup2 ") || len(fields) < 5 {
			continue
		}
		below, err := filepath.Rel(fields[3], path)
		if err != nil || below == ".." || strings.HasPrefix(below, "../") {
			continue // another part of the tree
		}
		return filepath.Join(unescape(fields[4]), below), nil
	}
	return "", errors.New("no control groups of the second version are mounted")
}

// unescape decodes blanks in mountinfo.
func unescape(s string) string { return strings.ReplaceAll(s, `\040`, " ") }

// leftBy returns the folders of other Parleys beside this one's.
func leftBy(own string) []string {
	found, _ := filepath.Glob(filepath.Join(own, prefix+"*"))
	return found
}

// dead reports whether a folder belongs to a dead Parley.
func (cfg Config) dead(dir string) bool {
	name, ok := strings.CutPrefix(filepath.Base(dir), prefix)
	number, began, cut := strings.Cut(name, "-")
	pid, err := strconv.Atoi(number)
	if _, is := os.Stat(filepath.Join(dir, "cgroup.kill")); !ok || !cut || err != nil || is != nil {
		return false
	}
	start, e := strconv.ParseUint(began, 10, 64)
	return pid > 0 && e == nil && cfg.Gone(pid, start)
}

// Group is one CLI's group.
type Group struct {
	groups  *Groups
	session string
	dir     string
}

// New creates a group for a session's CLI, nil if unsupported.
func (g *Groups) New(session string) *Group {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil
	}
	if err := g.guarded(); err != nil {
		g.cfg.Log.Warn("Couldn't guard the control groups; not using one for a session", "err", err)
		return nil
	}
	g.number++
	one := &Group{groups: g, session: session, dir: filepath.Join(g.dir, fmt.Sprintf("%d-%s", g.number, session))}
	if err := os.Mkdir(one.dir, 0o755); err != nil { //nolint:gosec // as the kernel makes them
		g.cfg.Log.Warn("Couldn't create a control group for a session", "session", session, "err", err)
		return nil
	}
	g.groups[one] = true
	return one
}

// Folder returns its folder in the kernel's file system: a process is cloned
// into it.
func (o *Group) Folder() string { return o.dir }

// Kill ends everything in the group.
func (o *Group) Kill() { o.groups.end(func(g *Group) bool { return g == o }) }

// Leave is called when the CLI ended in order: what it left running stays until its
// session or Parley ends.
func (o *Group) Leave() {
	o.groups.mu.Lock()
	defer o.groups.mu.Unlock()
	if !populated(o.dir) && remove(o.dir) == nil {
		delete(o.groups.groups, o)
	}
}

// End ends everything that is left of a session.
func (g *Groups) End(session string) {
	if g != nil {
		g.end(func(one *Group) bool { return one.session == session })
	}
}

func (g *Groups) end(match func(*Group) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for one := range g.groups {
		if match(one) {
			end(one.dir, g.cfg.Log)
			delete(g.groups, one)
		}
	}
}

// Members returns the processes in the groups, with their sessions.
func (g *Groups) Members() map[int]string {
	members := map[int]string{}
	if g == nil {
		return members
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for one := range g.groups {
		_ = filepath.WalkDir(one.dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return nil //nolint:nilerr // it is gone
			}
			text, _ := os.ReadFile(filepath.Join(path, "cgroup.procs"))
			for number := range bytes.FieldsSeq(text) {
				if pid, err := strconv.Atoi(string(number)); err == nil {
					members[pid] = one.session
				}
			}
			return nil
		})
	}
	return members
}

// Close ends everything in the groups, and the guard.
func (g *Groups) Close() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.handed {
		return
	}
	g.closed = true
	end(g.dir, g.cfg.Log)
	g.guard.dismiss()
	g.guard = nil
}

// guarded ensures that there is a guard. The caller holds mu.
func (g *Groups) guarded() error {
	if g.guard.stands() {
		return nil
	}
	g.guard.dismiss()
	next, err := newGuard(g.cfg.Guard(), g.dir)
	g.guard = next
	return err
}

// guard is the process that outlives this one.
type guard struct {
	process *os.Process
	life    *os.File
	gone    chan struct{}
}

func newGuard(program, dir string) (*guard, error) {
	syscall.ForkLock.RLock()
	// A socket, because unlike a pipe it can't be opened by name through /proc.
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	own, other := os.NewFile(uintptr(fds[0]), "guard"), os.NewFile(uintptr(fds[1]), "guarded")
	defer other.Close()
	cmd := exec.Command(program, "guard", dir)
	// In its own session, so that what ends Parley's doesn't end it.
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.SysProcAttr = "/", []string{}, other, &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		_ = own.Close()
		return nil, err
	}
	one := &guard{process: cmd.Process, life: own, gone: make(chan struct{})}
	go func() {
		defer close(one.gone)
		_ = cmd.Wait() // it returns nothing useful
	}()
	return one, nil
}

// stands reports whether a guard is running.
func (g *guard) stands() bool {
	if g == nil {
		return false
	}
	select {
	case <-g.gone:
		return false
	default:
		return true
	}
}

// dismiss ends it, and waits.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	_ = g.life.Close()
	select {
	case <-g.gone:
	case <-time.After(grace + 2*killWait):
		_ = g.process.Kill()
		<-g.gone
	}
}

// end ends everything in a folder of groups, and removes it.
func end(dir string, log *slog.Logger) {
	deadline := time.Now().Add(killWait)
	for {
		err := os.WriteFile(filepath.Join(dir, "cgroup.kill"), []byte("1"), 0)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = remove(dir)
		}
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			log.Warn("Couldn't remove a control group", "folder", dir, "err", err)
			return
		}
		time.Sleep(5 * time.Millisecond) // the kernel doesn't report when it is empty
	}
}

// remove removes a folder of empty groups, with those below it.
func remove(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() {
			err = errors.Join(err, remove(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return err
	}
	if err := os.Remove(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// populated reports whether there is a process in a group or below it.
func populated(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "cgroup.events"))
	return err == nil && strings.Contains(string(text), "populated 1")
}

// Guard waits for the end of life, which is that of the Parley whose groups are in dir. It
// gives the processes in them a moment to end on their own, and ends the rest. If Parley
// ended in order there is nothing left to do.
func Guard(life io.Reader, dir string) error {
	name := filepath.Base(dir)
	if !strings.HasPrefix(name, prefix) || !filepath.IsAbs(dir) {
		return fmt.Errorf("%q is no folder of control groups: \"parley guard\" is started by Parley", dir)
	}
	for buffer := make([]byte, 1); ; {
		if _, err := life.Read(buffer); err != nil {
			break
		}
	}
	for deadline := time.Now().Add(grace); populated(dir) && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond) // there is nothing else to wait for
	}
	end(dir, slog.New(slog.DiscardHandler))
	return nil
}
