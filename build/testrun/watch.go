//go:build linux

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// A watch runs a command in its own process group, forwards its output, and kills it
// if it is silent for too long. It first sends a quit signal, at which a Go program prints
// the stacks of its goroutines.
type watch struct {
	command *exec.Cmd
	to      io.Writer
	silence time.Duration

	mu     sync.Mutex
	timer  *time.Timer
	asked  bool
	ending bool
}

// answer is the time to print the stacks.
const answer = 10 * time.Second

// startWatched starts a command. The caller must wait for the watch.
func startWatched(command *exec.Cmd, to io.Writer, silence time.Duration) (*watch, error) {
	w := &watch{command: command, to: to, silence: silence}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	command.Stdout, command.Stderr = w, w
	// Left-over child processes may hold its output open.
	command.WaitDelay = time.Minute
	if err := command.Start(); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(silence, w.late)
	return w, nil
}

// wait waits for the end of the command.
func (w *watch) wait() error {
	err := w.command.Wait()
	w.stop()
	return err
}

// cpu is the processor time of the command and its children, once it has ended.
func (w *watch) cpu() time.Duration {
	return w.command.ProcessState.UserTime() + w.command.ProcessState.SystemTime()
}

func (w *watch) signal(s syscall.Signal) { _ = syscall.Kill(-w.command.Process.Pid, s) }

// exitCode is the exit code of a watched command.
type exitCode int

func (code exitCode) Error() string { return fmt.Sprintf("it ended with code %d", int(code)) }

// watch runs a command. Its error is an exitCode if the command ran.
func (r runner) watch(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("watch", flag.ContinueOnError)
	silence := flags.Duration("silence", longSilence, "how long the command may say nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New(usage)
	}
	command := exec.Command(flags.Arg(0), flags.Args()[1:]...)
	command.Dir, command.Stdin = r.folder, os.Stdin
	w, err := startWatched(command, out, *silence)
	if err != nil {
		return err
	}
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		for s := range ends {
			w.signal(s.(syscall.Signal))
		}
	}()
	err = w.wait()
	signal.Stop(ends)
	close(ends)
	if w.hung() {
		fmt.Fprintf(out, "FAIL  it said nothing for %s, and was ended\n", *silence)
		return exitCode(hung)
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.Exited() && exit.ExitCode() != 0 {
		return exitCode(exit.ExitCode())
	}
	return err
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ending = true
	w.timer.Stop()
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
