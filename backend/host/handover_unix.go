//go:build unix

package host

import (
	"errors"
	"maps"
	"net"
	"os"
	"slices"
	"time"
)

// Attach continues with a host that another program, which was this process, detached
// from, and returns the state left with it. The caller keeps the file. [Host.Claim]
// returns the held programs.
func Attach(file *os.File, cfg Config) (h *Host, state []byte, err error) {
	h = New(cfg)
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, nil, err
	}
	own, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, nil, errors.Join(errors.New("that is no connection to a process that holds CLIs"), conn.Close())
	}
	l := newLink(own, cfg.Log)
	l.threads.Go(l.receive)
	if err := l.greet(); err != nil {
		l.threads.Wait()
		return nil, nil, err
	}
	if l.process, err = os.FindProcess(l.said.PID); err != nil {
		l.end(err)
		l.threads.Wait()
		return nil, nil, err
	}
	l.threads.Go(func() {
		if _, err := l.process.Wait(); err != nil {
			// It isn't this process's child: its connection reports its end.
			select {
			case <-l.over:
			case <-l.detached:
				return
			}
		}
		l.end(errLost)
	})
	h.link = l
	return h, l.state, nil
}

// welcome handles the host's answer to hello.
func (l *link) welcome(f frame) error {
	if l.said.Version != 0 {
		return violation("a second welcome")
	}
	if err := f.text(&l.said); err != nil {
		return err
	}
	if err := l.said.speaks(); err != nil {
		return err
	}
	if l.said.State < 0 || l.said.State > MaxState {
		return violation("%d bytes of state", l.said.State)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.said.Programs {
		p := newProgram(l, s.ID)
		p.began(startedBody{PID: s.PID, Grouped: s.Grouped})
		p.piece = s.Written
		p.received, p.read, p.taken, p.allowed = s.Taken, s.Taken, s.Taken, s.Taken
		l.programs[s.ID], l.waiting[s.ID] = p, p
		l.last = max(l.last, s.ID)
	}
	if l.said.State == 0 {
		close(l.welcomed)
	}
	return nil
}

// kept handles a piece of the previous side's state.
func (l *link) kept(f frame) error {
	if len(f.body) > l.said.State-len(l.state) {
		return violation("more state than there was to come")
	}
	if l.state = append(l.state, f.body...); len(l.state) == l.said.State {
		close(l.welcomed)
	}
	return nil
}

// claim lets a program of the previous side send output.
func (l *link) claim(id uint64) *Program {
	l.mu.Lock()
	p := l.waiting[id]
	delete(l.waiting, id)
	l.mu.Unlock()
	if p == nil {
		return nil
	}
	p.mu.Lock()
	p.allowed = p.taken + window
	acked, allowed := p.taken, p.allowed
	p.mu.Unlock()
	l.allow(p, acked, allowed)
	return p
}

func (l *link) endUnclaimed() {
	l.mu.Lock()
	waiting := l.waiting
	l.waiting = map[uint64]*Program{}
	l.mu.Unlock()
	for _, p := range waiting {
		_ = p.Kill()
		l.threads.Go(p.Close)
	}
}

// detach detaches from the host, and returns the connection.
func (l *link) detach(state []byte) (*os.File, error) {
	if l.said.Version < handsOver {
		return nil, ErrOld
	}
	file, err := l.conn.File()
	if err != nil {
		return nil, err
	}
	if err := l.leave(state); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	select {
	case <-l.detached:
		return file, l.conn.Close()
	case <-l.over:
		err = l.err
	case <-time.After(startWait):
		err = errors.New("the process that holds the CLIs does not answer")
		l.end(err)
	}
	return nil, errors.Join(err, file.Close())
}

// leave sends the final frames: acknowledgments, and the state.
func (l *link) leave(state []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	all := slices.Collect(maps.Values(l.programs))
	l.mu.Unlock()
	var words []byte
	for _, p := range all {
		if !p.writing.TryLock() {
			return ErrWriting
		}
		defer p.writing.Unlock()
		p.mu.Lock()
		words = encode(words, kindTaken, p.id, numbers(p.taken, p.taken))
		p.mu.Unlock()
	}
	for len(state) > 0 {
		n := min(len(state), maxText)
		words = encode(words, kindState, 0, state[:n])
		state = state[n:]
	}
	l.left = true
	return l.put(encode(words, kindDetach, 0))
}
