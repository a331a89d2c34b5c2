package host

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"parley/backend/host/child"
	"parley/backend/owner"
)

const (
	// maxPrograms bounds the programs of one host, maxWaiting the queue without output.
	maxPrograms = 1000
	maxWaiting  = 8 * maxPrograms
	// endWait is how long programs may take to end on their own when Parley has ended,
	// killWait how long they may take when killed.
	endWait, killWait = 2500 * time.Millisecond, time.Second
	// attachWait is how long nobody may be attached. The side that detached is about to
	// become the program that attaches.
	attachWait = 30 * time.Second
	// writeWait is how long a program may not read: Parley's side has its own limit.
	writeWait = time.Hour
)

// holder is the host's process.
type holder struct {
	conn io.ReadWriteCloser
	open func() (*os.File, error)
	log  *slog.Logger
	wake chan struct{} // there is something to send

	running sync.WaitGroup

	mu       sync.Mutex
	room     *sync.Cond // something was acknowledged
	programs map[uint64]*held
	order    []*held
	turn     int
	waiting  []byte // encoded frames
	frames   int    // in waiting
	greeted  bool   // a side is attached
	over     bool
	// state was left by the side that detached, away ends everything if nobody attaches
	// in time.
	state      []byte
	away       *time.Timer
	attachWait time.Duration
}

// held is one program.
type held struct {
	id      uint64
	mark    string
	process *child.Process
	out     *spool
	sent    uint64 // up to this offset
	window  uint64
	input   chan []byte
	// accepted and written are the numbers of the last received and written pieces of
	// input; failed means that one wasn't written.
	accepted, written uint64
	failed, hungUp    bool
	ended, drained    bool
	stderr            string
}

// Serve runs the host. It returns when conn has ended, which is Parley's end, and all
// its programs are gone. dir is the folder for what doesn't fit in memory. The error
// says why the connection ended abnormally.
func Serve(conn io.ReadWriteCloser, dir string) error { return serveFor(conn, dir, attachWait) }

func serveFor(conn io.ReadWriteCloser, dir string, attachWait time.Duration) error {
	h := &holder{
		attachWait: attachWait,
		conn:       conn, log: slog.New(slog.DiscardHandler), wake: make(chan struct{}, 1), programs: map[uint64]*held{},
		open: func() (*os.File, error) { return nameless(dir) },
	}
	h.room = sync.NewCond(&h.mu)
	sent := make(chan error, 1)
	go func() {
		err := h.send()
		if err != nil {
			_ = conn.Close() // nothing more is received: that is Parley's end
		}
		sent <- err
	}()
	err := h.receive()
	_ = conn.Close()
	h.mu.Lock()
	h.over = true
	if h.away != nil {
		h.away.Stop()
	}
	h.room.Broadcast()
	h.mu.Unlock()
	owner.Wake(h.wake)
	h.endAll()
	h.running.Wait()
	if e := <-sent; err == nil {
		err = e
	}
	return err
}

// nameless returns a file that can't be opened by name.
func nameless(dir string) (*os.File, error) {
	file, err := os.CreateTemp(dir, "parley-host-*") // mode 0600
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// receive handles Parley's frames until it has ended.
func (h *holder) receive() error {
	frames := decoder{r: bufio.NewReaderSize(h.conn, maxOutput)}
	for {
		f, err := frames.next()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, net.ErrClosed):
			return nil
		case err != nil:
			return err
		}
		h.mu.Lock()
		err = h.take(f)
		if err == nil && h.frames > maxWaiting {
			err = violation("%d answers wait to be read", h.frames)
		}
		h.mu.Unlock()
		if err != nil {
			return err
		}
		owner.Wake(h.wake)
	}
}

// take handles a frame. The caller holds mu.
func (h *holder) take(f frame) error {
	switch {
	case f.kind == kindHello:
		return h.hello(f)
	case !h.greeted:
		return violation("a frame of kind %d before hello", f.kind)
	case f.kind == kindState:
		if len(h.state)+len(f.body) > MaxState {
			return violation("more than %d bytes of state", MaxState)
		}
		h.state = append(h.state, f.body...)
		return nil
	case f.kind == kindDetach:
		h.detach()
		return nil
	case f.kind == kindStart:
		return h.start(f)
	}
	p := h.programs[f.id]
	if p == nil {
		return violation("there is no program %d", f.id)
	}
	switch f.kind {
	case kindInput:
		return p.take(h, f.number(0), f.body[number:])
	case kindHangUp:
		p.hangUp()
	case kindSignal:
		// It may have ended in the meantime.
		switch f.body[0] {
		case signalTerm:
			_ = p.process.Terminate()
		case signalKill:
			_ = p.process.Kill()
		default:
			return violation("there is no signal %d", f.body[0])
		}
	case kindTaken:
		acked, window := f.number(0), f.number(1)
		if acked > p.sent || window < acked || window-acked > fileKept {
			return violation("%d of %d are acknowledged, and %d may be sent", acked, p.sent, window)
		}
		if acked > p.out.base {
			p.out.take(acked)
			h.room.Broadcast()
		}
		p.window = max(p.window, window)
	case kindForget:
		if !p.drained {
			return violation("program %d is not over", f.id)
		}
		h.forget(p)
	default:
		return violation("a frame of kind %d", f.kind)
	}
	return nil
}

func (h *holder) start(f frame) error {
	var c child.Command
	if err := f.text(&c); err != nil {
		return err
	}
	switch {
	case h.programs[f.id] != nil:
		return violation("a second program %d", f.id)
	case len(h.programs) >= maxPrograms:
		return h.sayText(kindStarted, f.id, startedBody{Err: fmt.Sprintf("%d programs are enough", maxPrograms)})
	}
	process, err := child.Start(c, h.log)
	if err != nil {
		said := startedBody{Err: err.Error()}
		var number syscall.Errno
		if errors.As(err, &number) {
			said.Errno = uint(number)
		}
		return h.sayText(kindStarted, f.id, said)
	}
	p := &held{id: f.id, mark: c.Mark, process: process, out: newSpool(h.open), input: make(chan []byte, 1)}
	h.programs[p.id] = p
	h.order = append(h.order, p)
	printed := make(chan struct{})
	h.running.Go(func() {
		defer close(printed)
		h.listen(p)
	})
	h.running.Go(func() { h.feed(p) })
	h.running.Go(func() { h.watch(p, printed) })
	return h.sayText(kindStarted, p.id, startedBody{PID: process.PID(), Grouped: process.Grouped()})
}

func (h *holder) forget(p *held) {
	delete(h.programs, p.id)
	for i, one := range h.order {
		if one == p {
			h.order = append(h.order[:i], h.order[i+1:]...)
			break
		}
	}
	p.out.close()
}

// listen stores a program's output.
func (h *holder) listen(p *held) {
	buffer := make([]byte, blockSize)
	for {
		n, err := p.process.Read(buffer)
		h.mu.Lock()
		for n > 0 && !h.over && !p.out.add(buffer[:n]) {
			h.room.Wait() // and so does the program
		}
		h.mu.Unlock()
		owner.Wake(h.wake)
		if err != nil {
			return
		}
	}
}

// feed writes a program's input.
func (h *holder) feed(p *held) {
	for piece := range p.input {
		err := p.process.Write(piece, writeWait)
		done := byte(1)
		if err != nil {
			done = 0
		}
		h.mu.Lock()
		if err == nil {
			p.written = p.accepted
		} else {
			p.failed = true
		}
		if h.greeted {
			h.say(encode(nil, kindWritten, p.id, numbers(p.accepted), []byte{done}))
		}
		h.mu.Unlock()
		owner.Wake(h.wake)
	}
}

// take accepts a piece of input. The caller holds the holder's mu.
func (p *held) take(h *holder, number uint64, piece []byte) error {
	switch {
	case number <= p.written:
		// It is a repetition, and the confirmation was lost.
		h.say(encode(nil, kindWritten, p.id, numbers(number), []byte{1}))
		return nil
	case number == p.accepted && !p.failed:
		return nil // it is being written
	case p.hungUp || p.failed:
		h.say(encode(nil, kindWritten, p.id, numbers(number), []byte{0}))
		return nil
	case number != p.accepted+1 || p.accepted != p.written:
		return violation("piece %d of the input after %d, of which %d are written", number, p.accepted, p.written)
	}
	p.accepted = number
	p.input <- append([]byte(nil), piece...) // it has room, because nothing else is being written
	return nil
}

// hangUp closes a program's input. The caller holds the holder's mu.
func (p *held) hangUp() {
	if !p.hungUp {
		p.hungUp = true
		close(p.input)
		p.process.CloseInput()
	}
}

// watch waits for a program's end.
func (h *holder) watch(p *held, printed <-chan struct{}) {
	tell := func(change func()) {
		h.mu.Lock()
		change()
		if h.greeted {
			switch {
			case p.drained:
				_ = h.sayText(kindOver, p.id, overBody{Printed: p.out.end, Stderr: []byte(p.stderr)})
			default:
				_ = h.sayText(kindEnded, p.id, p.process.Exit())
			}
		}
		h.mu.Unlock()
		owner.Wake(h.wake)
	}
	<-p.process.Ended()
	tell(func() {
		p.ended = true
		p.hangUp()
	})
	stderr := p.process.Stderr()
	<-printed
	p.process.Close()
	tell(func() { p.stderr, p.drained = stderr, true })
}

// endAll ends every program, because Parley is gone.
func (h *holder) endAll() {
	h.mu.Lock()
	all := append([]*held(nil), h.order...)
	for _, p := range all {
		if !p.ended {
			// The CLI then ends its tools. Closing its input alone doesn't end a turn.
			_ = p.process.Terminate()
			p.hangUp()
		}
	}
	h.mu.Unlock()
	late := time.After(endWait)
	for _, p := range all {
		select {
		case <-p.process.Ended():
			continue
		default:
		}
		select {
		case <-p.process.Ended():
		case <-late:
			_ = p.process.Kill()
			late = time.After(0)
		}
	}
	killed := time.After(killWait)
	for _, p := range all {
		select {
		case <-p.process.Ended():
		case <-killed:
			return // the kernel doesn't end it
		}
		if p.process.Exit().Signal != "" && p.mark != "" {
			child.EndMarked(p.mark)
		}
	}
}
