package claude

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"parley/backend/claude/wire"
)

// writeQueue is how many lines may wait to be written.
const writeQueue = 64

// ErrNotReading means that the CLI has stopped reading its input.
var ErrNotReading = errors.New("the CLI does not read its input")

// writer owns the CLI's stdin. Lines are written whole and in the order of the
// write calls.
type writer struct {
	program Program
	timeout time.Duration
	queue   chan *job
	stop    chan struct{}
	stopped sync.Once
	ended   chan struct{}
	// turn is held while writing, or to prevent writing.
	turn chan struct{}
}

// job is a line to write. Its state goes from waiting to either writing or given
// up; whoever moves it owns it.
type job struct {
	line  []byte
	state atomic.Int32
	done  chan error
	// wrote is called when the line is written, before anything else is. It may be nil.
	wrote func()
}

const (
	jobWaiting = iota
	jobWriting
	jobGivenUp
)

func newJob(line []byte) *job { return &job{line: line, done: make(chan error, 1)} }

// newWriter returns a writer. It writes nothing before run.
func newWriter(timeout time.Duration) *writer {
	return &writer{
		timeout: timeout,
		queue:   make(chan *job, writeQueue),
		stop:    make(chan struct{}), ended: make(chan struct{}), turn: make(chan struct{}, 1),
	}
}

// write queues a line and waits until it is written. A line whose write didn't
// start in time is never written later. One that is partially written when ctx
// ends may still arrive.
func (w *writer) write(ctx context.Context, line []byte) error { return w.writeAnd(ctx, line, nil) }

// writeAnd is write, and calls wrote when the line is written.
func (w *writer) writeAnd(ctx context.Context, line []byte, wrote func()) error {
	j := newJob(line)
	j.wrote = wrote
	timer := time.NewTimer(w.timeout)
	defer timer.Stop()
	select {
	case w.queue <- j:
	case <-w.ended:
		return ErrGone
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return ErrNotReading
	}
	return w.await(ctx, j, timer.C)
}

// first queues a line before anything is written, and returns it for await. It
// must be called before run.
func (w *writer) first(line []byte) *job {
	j := newJob(line)
	w.queue <- j
	return j
}

// await returns when a queued line is written, or when it never will be.
func (w *writer) await(ctx context.Context, j *job, late <-chan time.Time) error {
	for {
		select {
		case err := <-j.done:
			return err
		case <-w.ended:
			return j.outcome()
		case <-ctx.Done():
			j.state.CompareAndSwap(jobWaiting, jobGivenUp)
			return ctx.Err()
		case <-late:
			if j.state.CompareAndSwap(jobWaiting, jobGivenUp) {
				return ErrNotReading
			}
			// It is being written, which has its own limit.
			late = nil
		}
	}
}

// outcome returns the result of a job when the writer has ended.
func (j *job) outcome() error {
	select {
	case err := <-j.done:
		return err
	default:
		return ErrGone
	}
}

// run writes until close is called or the CLI stops reading. It closes stdin.
func (w *writer) run() {
	defer close(w.ended)
	defer w.program.CloseInput()
	for {
		select {
		case <-w.stop:
			return
		case j := <-w.queue:
			select {
			case w.turn <- struct{}{}:
			case <-w.stop:
				return
			}
			if !j.state.CompareAndSwap(jobWaiting, jobWriting) {
				<-w.turn
				continue
			}
			err := w.put(j.line)
			if err == nil && j.wrote != nil {
				j.wrote()
			}
			<-w.turn
			j.done <- err
			if err != nil {
				// A partial line may be out: nothing may follow it.
				return
			}
		}
	}
}

func (w *writer) put(line []byte) error {
	err := w.program.Write(line, w.timeout)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ErrNotReading
	case errors.Is(err, os.ErrClosed):
		return ErrGone
	case err != nil:
		return fmt.Errorf("write to the CLI: %w", err)
	}
	return nil
}

// close closes the CLI's input. It may be repeated.
func (w *writer) close() {
	w.stopped.Do(func() {
		close(w.stop)
		w.program.CloseInput()
	})
}

// Send writes a prompt. It returns when the line is written, with ErrGone if the
// process has ended, or with an error if the CLI doesn't read.
func (p *Process) Send(msg wire.UserMessage) error {
	line, err := msg.Encode()
	if err != nil {
		return err
	}
	return p.stdin.write(context.Background(), line)
}
