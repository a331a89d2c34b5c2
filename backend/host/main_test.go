//go:build unix

package host

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/backend/host/child"
)

// TestMain lets this program be the host.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "host" {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		if Main(os.Stdin, os.Args[2]) != nil {
			os.Exit(1)
		}
		return
	}
	if len(os.Args) > 2 && os.Args[1] == "becomes" {
		if err := becomes(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// patience is how long something immediate may take on a busy machine.
const patience = 10 * time.Minute

// program is what both kinds of programs can do.
type program interface {
	PID() int
	Grouped() bool
	Read(b []byte) (int, error)
	Taken(rest int)
	Write(b []byte, within time.Duration) error
	CloseInput()
	Terminate() error
	Kill() error
	Ended() <-chan struct{}
	Exit() child.Exit
	Stderr() string
	Close()
}

// newHost returns a host for this test.
func newHost(t testing.TB) *Host {
	t.Helper()
	h := New(Config{Program: func() string { return os.Args[0] }, Folder: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(h.Close)
	return h
}

// shell returns a command that runs a script.
func shell(script string) child.Command {
	return child.Command{Path: "/bin/sh", Args: []string{"-c", script}, Env: os.Environ(), Dir: "/"}
}

// run is a program with its output.
type run struct {
	program
	out *bufio.Reader
}

func runs(p program) *run { return &run{p, bufio.NewReader(taking{p})} }

// start starts a script in a host.
func start(t testing.TB, h *Host, script string) *run {
	t.Helper()
	p, err := h.Start(shell(script))
	if err != nil {
		t.Fatal(err)
	}
	return runs(p)
}

// rest reads all output of a program until its end.
func (p *run) rest(t testing.TB) string {
	t.Helper()
	all, err := io.ReadAll(p.out)
	if err != nil {
		t.Error(err)
	}
	within(t, "the program ends", p.Ended())
	p.Stderr()
	p.Close()
	return string(all)
}

// taking acknowledges what is read.
type taking struct{ program }

func (p taking) Read(b []byte) (int, error) {
	n, err := p.program.Read(b)
	p.Taken(0)
	return n, err
}

// line reads one line.
func (p *run) line(t testing.TB) string {
	t.Helper()
	text, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%d bytes: %v", len(text), err)
	}
	return strings.TrimSuffix(text, "\n")
}

func within(t testing.TB, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("not in time: ", what)
	}
}

// gonePID waits until a process is gone, or a zombie.
func gonePID(t testing.TB, pid int) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.HasPrefix(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " Z") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

func number10(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
