//go:build linux

package main

import (
	"io"
	"sync"
	"syscall"
	"time"
)

// A watch hands on what a program says, and ends one that says nothing for too long. Then it
// asks first: at a quit signal a Go program says where each of its goroutines is.
type watch struct {
	to      io.Writer
	silence time.Duration
	signal  func(syscall.Signal)

	mu     sync.Mutex
	timer  *time.Timer
	asked  bool
	ending bool
}

// answer is how long who was asked has to say where it is.
const answer = 10 * time.Second

func newWatch(to io.Writer, silence time.Duration, signal func(syscall.Signal)) *watch {
	return &watch{to: to, silence: silence, signal: signal}
}

// begin starts the clock, when the program runs.
func (w *watch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ending {
		w.timer = time.AfterFunc(w.silence, w.late)
	}
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ending = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *watch) late() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.ending:
	case w.asked:
		w.signal(syscall.SIGKILL)
	default:
		w.asked = true
		w.signal(syscall.SIGQUIT)
		w.timer = time.AfterFunc(answer, w.late)
	}
}

func (w *watch) hung() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked
}

func (w *watch) Write(b []byte) (int, error) {
	w.mu.Lock()
	if w.timer != nil && !w.asked && !w.ending {
		w.timer.Reset(w.silence)
	}
	w.mu.Unlock()
	return w.to.Write(b)
}
