//go:build unix

package host

import (
	"bufio"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"parley/backend/host/child"
)

const (
	// window is how much of a program's output may be in transit, in bytes; it is
	// renewed when half of it is acknowledged.
	window = 1 << 20
	// sendWait is how long a host may take to read. It blocks on nothing.
	sendWait = 10 * time.Second
	// gone is how long a host may take to end its programs.
	gone = endWait + killWait + 3*time.Second
)

var (
	errClosed = errors.New("it was told to end")
	errLost   = errors.New("it has ended")
)

// link is the connection to one host, with its programs.
type link struct {
	conn *net.UnixConn
	// process is the host's.
	process *os.Process
	log     *slog.Logger

	writing sync.Mutex
	// left is set when nothing more may be sent; detached is closed when the host has
	// confirmed that.
	left     bool
	detached chan struct{}
	ending   sync.Once
	// over is closed when the connection is unusable; err is the reason.
	over    chan struct{}
	err     error
	threads sync.WaitGroup

	// said and state are what the host sent when this side attached, before welcomed is
	// closed.
	said     greeting
	state    []byte
	welcomed chan struct{}

	mu       sync.Mutex
	last     uint64
	programs map[uint64]*Program
	// waiting are the unclaimed programs of the previous side.
	waiting map[uint64]*Program
}

func newLink(conn *net.UnixConn, log *slog.Logger) *link {
	return &link{
		conn: conn, log: log, over: make(chan struct{}), detached: make(chan struct{}), welcomed: make(chan struct{}),
		programs: map[uint64]*Program{}, waiting: map[uint64]*Program{},
	}
}

// begin starts a host.
func begin(cfg Config) (*link, error) {
	own, other, err := pair()
	if err != nil {
		return nil, err
	}
	defer other.Close()
	defer own.Close()
	conn, err := net.FileConn(own)
	if err != nil {
		return nil, err
	}
	path := cfg.Program()
	cmd := exec.Command(path, "host", cfg.Folder)
	// In its own session, so that what ends Parley doesn't end it directly.
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.SysProcAttr = "/", []string{}, other, &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	l := newLink(conn.(*net.UnixConn), cfg.Log)
	l.process = cmd.Process
	l.threads.Go(l.receive)
	l.threads.Go(func() {
		_ = cmd.Wait() // it returns nothing useful
		l.end(errLost)
	})
	if err := l.greet(); err != nil {
		l.wait()
		return nil, err
	}
	return l, nil
}

// greet sends hello, and waits for the answer.
func (l *link) greet() error {
	if err := l.sendText(kindHello, 0, greeting{Version: version, Oldest: oldest}); err == nil {
		select {
		case <-l.welcomed:
			return nil
		case <-l.over:
		case <-time.After(startWait):
			l.end(errors.New("it does not answer"))
		}
	}
	return l.err
}

// pair creates the connection.
func pair() (own, other *os.File, err error) {
	syscall.ForkLock.RLock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fds[0]), "host"), os.NewFile(uintptr(fds[1]), "parley"), nil
}

// keepToItself keeps the programs from inheriting this process's descriptors.
func keepToItself() {
	entries, _ := os.ReadDir("/dev/fd")
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}

func (l *link) lost() bool {
	select {
	case <-l.over:
		return true
	default:
		return false
	}
}

// end drops the connection, which ends the host. It may be repeated.
func (l *link) end(why error) {
	l.ending.Do(func() {
		l.err = why
		close(l.over)
		_ = l.conn.Close()
		l.mu.Lock()
		all := l.programs
		l.programs = map[uint64]*Program{}
		l.mu.Unlock()
		for _, p := range all {
			p.lose(why)
		}
	})
}

// wait waits for the host's end.
func (l *link) wait() {
	late := time.AfterFunc(gone, func() { _ = l.process.Kill() })
	defer late.Stop()
	l.threads.Wait()
}

// receive handles the host's frames.
func (l *link) receive() {
	frames := decoder{r: bufio.NewReaderSize(l.conn, maxOutput)}
	for {
		f, err := frames.next()
		switch {
		case err != nil:
		case f.kind == kindWelcome:
			err = l.welcome(f)
		case f.kind == kindKept:
			err = l.kept(f)
		case f.kind == kindDetached:
			close(l.detached)
			return
		default:
			err = l.take(f)
		}
		if err != nil {
			if !errors.Is(err, net.ErrClosed) && !l.lost() {
				l.log.Warn("Lost the connection to the holder process of the CLIs", "err", err)
			}
			l.end(err)
			return
		}
	}
}

// take handles a frame. One about a forgotten program is late and ignored.
func (l *link) take(f frame) error {
	l.mu.Lock()
	p := l.programs[f.id]
	l.mu.Unlock()
	if p == nil {
		return nil
	}
	switch f.kind {
	case kindStarted:
		var said startedBody
		if err := f.text(&said); err != nil {
			return err
		}
		p.began(said)
	case kindOutput:
		return p.print(f.number(0), f.body[number:])
	case kindWritten:
		p.wrote(f.number(0), f.body[number] == 1)
	case kindEnded:
		var exit child.Exit
		if err := f.text(&exit); err != nil {
			return err
		}
		p.hasEnded(exit)
	case kindOver:
		var over overBody
		if err := f.text(&over); err != nil {
			return err
		}
		p.isOver(over)
	default:
		return violation("a frame of kind %d", f.kind)
	}
	return nil
}

// send sends a frame.
func (l *link) send(encoded []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.left {
		return os.ErrClosed
	}
	return l.put(encoded)
}

// put sends a frame. The caller holds writing.
func (l *link) put(encoded []byte) error {
	_ = l.conn.SetWriteDeadline(time.Now().Add(sendWait))
	if _, err := l.conn.Write(encoded); err != nil {
		l.end(fmt.Errorf("write to it: %w", err)) // a partial frame may be out: nothing may follow
		return os.ErrClosed
	}
	return nil
}

func (l *link) sendText(k kind, id uint64, v any) error {
	encoded, err := encodeText(nil, k, id, v)
	if err != nil {
		return err
	}
	return l.send(encoded)
}

// start starts a program.
func (l *link) start(c child.Command) (*Program, error) {
	l.mu.Lock()
	if l.lost() {
		l.mu.Unlock()
		return nil, fmt.Errorf("%w: %w", ErrNone, l.err)
	}
	l.last++
	p := newProgram(l, l.last)
	l.programs[p.id] = p
	l.mu.Unlock()
	err := l.sendText(kindStart, p.id, c)
	if err == nil {
		select {
		case said := <-p.started:
			err = said.err()
		case <-time.After(startWait):
			err = errors.New("the process that holds the CLIs does not answer")
			l.end(err)
		}
	}
	if err != nil {
		l.drop(p)
		return nil, err
	}
	l.allow(p, 0, window)
	return p, nil
}

// allow sends the acknowledged offset and the window. A failure ends the link, which the
// program is told.
func (l *link) allow(p *Program, acked, upTo uint64) {
	_ = l.send(encode(nil, kindTaken, p.id, numbers(acked, upTo)))
}

// drop forgets a program.
func (l *link) drop(p *Program) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.programs, p.id)
}

// err returns why a program wasn't started.
func (s startedBody) err() error {
	switch {
	case s.Err == "":
		return nil
	case s.Errno != 0:
		return syscall.Errno(s.Errno)
	}
	return errors.New(s.Err)
}
