//go:build linux

package process

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// becomes is how often this program must exec itself.
const becomes = "PARLEY_TEST_BECOMES"

// TestMain lets this program exec itself with threads, as Parley does.
func TestMain(m *testing.M) {
	text, ok := os.LookupEnv(becomes)
	if !ok {
		os.Exit(m.Run())
	}
	if text == "0" {
		fmt.Print("x")
		_ = syscall.Pause() // until it is killed
	}
	left, _ := strconv.Atoi(text)
	for range 8 {
		go func() {
			runtime.LockOSThread()
			select {}
		}()
	}
	runtime.Gosched()
	panic(syscall.Exec("/proc/self/exe", os.Args, []string{becomes + "=" + strconv.Itoa(left-1)}))
}

// mark parses OWNER=<pid>.<start> and GROUP=<name>.
func mark(environ []byte) (Mark, bool) {
	var m Mark
	found := false
	for kv := range bytes.SplitSeq(environ, []byte{0}) {
		switch key, value, _ := strings.Cut(string(kv), "="); key {
		case "OWNER":
			_, err := fmt.Sscanf(value, "%d.%d", &m.Owner.PID, &m.Owner.Start)
			found = err == nil
		case "GROUP":
			m.Group = value
		}
	}
	return m, found
}

// ownLedger returns a ledger for this process.
func ownLedger(t testing.TB) *Ledger {
	t.Helper()
	id, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{Self: id, Mark: mark})
}

// child is a process of a test.
type child struct {
	ID
	process *os.Process
	gone    chan struct{}
}

// shell runs a script. It is ended with the test.
func shell(t testing.TB, script string, env ...string) *child {
	t.Helper()
	return spawn(t, exec.Command("/bin/sh", "-c", script), env...)
}

// sleeper does nothing. It isn't a shell that execs: during the exec, its
// environment would be unreadable.
func sleeper(t testing.TB, env ...string) *child {
	t.Helper()
	return spawn(t, exec.Command("sleep", "300"), env...)
}

func spawn(t testing.TB, cmd *exec.Cmd, env ...string) *child {
	t.Helper()
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{process: cmd.Process, gone: make(chan struct{})}
	go func() {
		defer close(c.gone)
		_ = cmd.Wait() // how it ended does not matter
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-c.gone
	})
	id, ok := current(cmd.Process.Pid)
	if !ok {
		t.Fatal("a process that is gone at once")
	}
	c.ID = id
	return c
}

// dead returns the id of a process that has ended.
func dead(t testing.TB) ID {
	t.Helper()
	c := sleeper(t)
	_ = c.process.Kill()
	<-c.gone
	return c.ID
}

func (c *child) lives() bool {
	select {
	case <-c.gone:
		return false
	default:
		now, ok := current(c.PID)
		return ok && now == c.ID
	}
}

func owner(id ID) string { return fmt.Sprintf("OWNER=%d.%d", id.PID, id.Start) }

// eventually polls for a condition.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// readID waits for a script to write the pid of one of its processes.
func readID(t testing.TB, path string) ID {
	t.Helper()
	var id ID
	eventually(t, path, func() bool {
		text, _ := os.ReadFile(path)
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return false
		}
		now, ok := current(pid)
		id = now
		return ok
	})
	return id
}
