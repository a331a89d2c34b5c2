package host

import (
	"io"
	"os"
	"sync"
	"time"

	"parley/backend/host/child"
)

// Program is a program held by a host. It is used like a [child.Process].
type Program struct {
	link *link
	id   uint64
	// pid and grouped are set before it is returned.
	pid     int
	grouped bool
	started chan startedBody
	begun   sync.Once
	ended   chan struct{}
	over    chan struct{} // its streams have ended, too

	writing sync.Mutex
	piece   uint64 // the number of the last piece of input
	written chan result
	hungUp  chan struct{}
	hangUp  sync.Once

	mu   sync.Mutex
	news *sync.Cond
	// unread is unread output, starting at from.
	unread []byte
	from   int
	// received, read and taken are output offsets: received, read, and acknowledged;
	// allowed is the window granted to the host.
	received, read, taken uint64
	allowed               uint64
	// printed is the total output, once known.
	printed uint64
	whole   bool
	lost    bool
	parked  bool
	exit    child.Exit
	stderr  string
}

// result is the result of a piece of input.
type result struct {
	number uint64
	ok     bool
}

func newProgram(l *link, id uint64) *Program {
	p := &Program{
		link: l, id: id, started: make(chan startedBody, 1), ended: make(chan struct{}), over: make(chan struct{}),
		written: make(chan result, 1), hungUp: make(chan struct{}), allowed: window,
	}
	p.news = sync.NewCond(&p.mu)
	return p
}

// ID returns the program's number, by which another side finds it.
func (p *Program) ID() uint64 { return p.id }

// PID returns the program's process id.
func (p *Program) PID() int { return p.pid }

// Grouped reports whether it was started in the requested control group.
func (p *Program) Grouped() bool { return p.grouped }

// Ended returns a channel that is closed when it is gone. Then Exit may be
// called.
func (p *Program) Ended() <-chan struct{} { return p.ended }

// Exit returns how it ended.
func (p *Program) Exit() child.Exit { return p.exit }

// Stderr waits for the end of its stderr, and returns the last part.
func (p *Program) Stderr() string {
	<-p.over
	return p.stderr
}

// Read reads the program's output until its end.
func (p *Program) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.parked && p.from == len(p.unread) && !p.lost && (!p.whole || p.received < p.printed) {
		p.news.Wait()
	}
	if p.parked {
		return 0, child.ErrParked
	}
	n := copy(b, p.unread[p.from:])
	p.from += n
	p.read += uint64(n) //nolint:gosec // it is not negative
	if n == 0 && len(b) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Park makes Read return [child.ErrParked] until Unpark.
func (p *Program) Park() { p.park(true) }

// Unpark resumes reading.
func (p *Program) Unpark() { p.park(false) }

func (p *Program) park(parked bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parked = parked
	p.news.Broadcast()
}

// Taken acknowledges everything read except the last rest bytes.
func (p *Program) Taken(rest int) {
	p.mu.Lock()
	p.taken = max(p.taken, p.read-uint64(rest)) //nolint:gosec // it is not negative
	acked, allowed := p.taken, p.allowed
	tell := p.read+window/2 >= allowed && !p.lost
	if tell {
		p.allowed = p.read + window
		allowed = p.allowed
	}
	p.mu.Unlock()
	if tell {
		p.link.allow(p, acked, allowed)
	}
}

// print handles received output.
func (p *Program) print(at uint64, b []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at != p.received || at+uint64(len(b)) > p.allowed {
		return violation("%d bytes at %d, where %d came and %d may come", len(b), at, p.received, p.allowed)
	}
	if p.from == len(p.unread) {
		p.unread, p.from = p.unread[:0], 0
	} else if p.from > 0 && len(p.unread)+len(b) > cap(p.unread) {
		p.unread, p.from = p.unread[:copy(p.unread, p.unread[p.from:])], 0
	}
	p.unread = append(p.unread, b...)
	p.received += uint64(len(b))
	p.news.Broadcast()
	return nil
}

// Write writes to the program, like [child.Process.Write].
func (p *Program) Write(b []byte, within time.Duration) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	for len(b) > 0 {
		n := min(len(b), maxInput)
		p.piece++
		select {
		case <-p.hungUp:
			return os.ErrClosed
		case <-p.ended:
			return os.ErrClosed
		default:
		}
		if err := p.link.send(encode(nil, kindInput, p.id, numbers(p.piece), b[:n])); err != nil {
			return err
		}
		if err := p.await(within); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// await waits until the last piece is written.
func (p *Program) await(within time.Duration) error {
	late := time.NewTimer(within)
	defer late.Stop()
	for {
		select {
		case r := <-p.written:
			switch {
			case r.number != p.piece:
				continue // of a piece that wasn't waited for
			case !r.ok:
				return os.ErrClosed
			}
			return nil
		case <-p.hungUp:
			return os.ErrClosed
		case <-p.ended:
			return os.ErrClosed
		case <-late.C:
			return os.ErrDeadlineExceeded
		}
	}
}

// CloseInput closes the program's input, even during a write. It may be repeated.
func (p *Program) CloseInput() {
	p.hangUp.Do(func() {
		close(p.hungUp)
		_ = p.link.send(encode(nil, kindHangUp, p.id)) // without a link there is no input
	})
}

// Terminate asks the program to end itself, Kill ends it.
func (p *Program) Terminate() error { return p.signal(signalTerm) }

// Kill ends the program at once.
func (p *Program) Kill() error { return p.signal(signalKill) }

func (p *Program) signal(which byte) error {
	select {
	case <-p.ended:
		return os.ErrProcessDone
	default:
		return p.link.send(encode(nil, kindSignal, p.id, []byte{which}))
	}
}

// Close makes the host forget the program, which is over.
func (p *Program) Close() {
	<-p.over
	p.link.drop(p)
	_ = p.link.send(encode(nil, kindForget, p.id)) // without a link it is forgotten
}

// began handles whether the program was started.
func (p *Program) began(said startedBody) {
	p.begun.Do(func() { // it may be repeated
		p.pid, p.grouped = said.PID, said.Grouped
		p.started <- said
	})
}

// wrote handles the result of a piece of input.
func (p *Program) wrote(number uint64, ok bool) {
	select {
	case <-p.written: // nobody waited for it
	default:
	}
	p.written <- result{number, ok} // only the link's receiver sends to it
}

// hasEnded handles the program's end.
func (p *Program) hasEnded(exit child.Exit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.ended:
	default:
		p.exit = exit
		close(p.ended)
	}
}

// isOver handles the end of its streams.
func (p *Program) isOver(over overBody) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.whole {
		p.whole, p.printed, p.stderr = true, over.Printed, string(over.Stderr)
		close(p.over)
	}
	p.news.Broadcast()
}

// lose handles the end of the host, which ends the program.
func (p *Program) lose(why error) {
	p.mu.Lock()
	p.lost = true
	printed := p.received
	p.mu.Unlock()
	p.began(startedBody{Err: "the process that holds the CLIs has ended: " + why.Error()})
	p.hasEnded(child.Exit{Code: -1, Signal: "killed", Err: "the process that held it has ended: " + why.Error()})
	p.isOver(overBody{Printed: printed})
}
