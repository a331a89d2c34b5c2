package claude

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// writeQueue is how many lines may wait to be written.
	writeQueue = 64
	// writeChunk is how much must get through within one time-out.
	writeChunk = 256 << 10
)

// ErrNotReading says that the CLI has stopped reading its input.
var ErrNotReading = errors.New("the CLI does not read its input")

// writer owns the CLI's stdin. Lines are written whole and in the order in which
// write was called.
type writer struct {
	file    *os.File
	timeout time.Duration
	queue   chan *job
	stop    chan struct{}
	stopped sync.Once
	ended   chan struct{}
}

// job is a line to write. Its state goes from waiting to either writing or given
// up; whoever moves it owns it.
type job struct {
	line  []byte
	state atomic.Int32
	done  chan error
}

const (
	jobWaiting = iota
	jobWriting
	jobGivenUp
)

func newJob(line []byte) *job { return &job{line: line, done: make(chan error, 1)} }

func newWriter(file *os.File, timeout time.Duration) *writer {
	return &writer{
		file: file, timeout: timeout,
		queue: make(chan *job, writeQueue),
		stop:  make(chan struct{}), ended: make(chan struct{}),
	}
}

// write hands a line over and waits until it is written. A line that could not be
// begun in time is never written later. One that is half out when ctx ends may
// still arrive.
func (w *writer) write(ctx context.Context, line []byte) error {
	j := newJob(line)
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

// first queues a line before anybody writes, and returns it to be awaited. It must
// be called before run.
func (w *writer) first(line []byte) *job {
	j := newJob(line)
	w.queue <- j
	return j
}

// await returns when a queued line is written, or when it will not be.
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
			// It is being written, which has a limit of its own.
			late = nil
		}
	}
}

// outcome is what became of a job when the writer has ended.
func (j *job) outcome() error {
	select {
	case err := <-j.done:
		return err
	default:
		return ErrGone
	}
}

// run writes until close is called or the CLI takes no more. It closes stdin.
func (w *writer) run() {
	defer close(w.ended)
	defer w.file.Close()
	for {
		select {
		case <-w.stop:
			return
		case j := <-w.queue:
			if !j.state.CompareAndSwap(jobWaiting, jobWriting) {
				continue
			}
			err := w.put(j.line)
			j.done <- err
			if err != nil {
				// Half a line may be out: nothing may follow it.
				return
			}
		}
	}
}

func (w *writer) put(line []byte) error {
	for len(line) > 0 {
		n := min(len(line), writeChunk)
		_ = w.file.SetWriteDeadline(time.Now().Add(w.timeout))
		_, err := w.file.Write(line[:n])
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return ErrNotReading
		case errors.Is(err, os.ErrClosed), errors.Is(err, syscall.EPIPE):
			return ErrGone
		case err != nil:
			return fmt.Errorf("write to the CLI: %w", err)
		}
		line = line[n:]
	}
	return nil
}

// close ends the CLI's input. It may be repeated.
func (w *writer) close() {
	w.stopped.Do(func() {
		close(w.stop)
		w.file.Close()
	})
}
