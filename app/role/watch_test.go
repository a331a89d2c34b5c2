package role_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// manager is a fake service manager: a socket that records messages.
func manager(t *testing.T) (env []string, heard func() string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "notify") //nolint:usetesting // TempDir's path is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return []string{"NOTIFY_SOCKET=" + path}, func() string {
		t.Helper()
		if err := conn.SetReadDeadline(time.Now().Add(10 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 4<<10)
		n, err := conn.Read(buf)
		if err != nil {
			t.Fatalf("nothing was told: %v", err)
		}
		return string(buf[:n])
	}
}

func TestServiceManagerIsTold(t *testing.T) {
	env, heard := manager(t)
	s := serve(t, append(env, "WATCHDOG_USEC=400000"))
	if got := heard(); got != "READY=1" {
		t.Errorf("first %q", got)
	}
	first := heard()
	if !strings.HasPrefix(first, "WATCHDOG=1\nSTATUS=At "+s.line.URL+": ") {
		t.Errorf("then %q", first)
	}
	for range 3 {
		if got := heard(); got != "WATCHDOG=1" {
			t.Errorf("after that %q", got)
		}
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for got := ""; !strings.HasPrefix(got, "STOPPING=1\n"); {
		if got = heard(); got != "WATCHDOG=1" && !strings.HasPrefix(got, "STOPPING=1\n") {
			t.Fatalf("as it ends %q", got)
		}
	}
	if code, _ := s.wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// While the owner of the sessions does not answer, Parley is not reported as working, even if
// everything else does; it is again as soon as they do.
func TestServiceManagerIsNotToldOfWhatHangs(t *testing.T) {
	env, heard := manager(t)
	stuck := filepath.Join(t.TempDir(), "stuck")
	if err := os.WriteFile(stuck, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, append(env, "WATCHDOG_USEC=400000", envStuck+"="+stuck))
	if got := heard(); got != "READY=1" {
		t.Fatalf("first %q", got)
	}
	// It logs that, and does not report it to the manager.
	s.logged(t, "Parley isn't responding")
	if err := os.Remove(stuck); err != nil {
		t.Fatal(err)
	}
	if got := heard(); !strings.HasPrefix(got, "WATCHDOG=1\nSTATUS=") {
		t.Errorf("after it answers again %q", got)
	}
	if code, _ := s.end(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestWithoutAManager(t *testing.T) {
	s := serve(t, []string{"NOTIFY_SOCKET=" + filepath.Join(t.TempDir(), "nobody"), "WATCHDOG_USEC=x"})
	if code, _ := s.end(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
