//go:build linux

package border

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// own is a script that runs a systemd in new namespaces, so that it is
// the machine's for everything inside and invisible outside. $1 is its folder.
const own = `set -e
mount -t tmpfs none /run
mkdir -p /run/systemd/system # where there is this, a systemd runs
umount -l /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 none /sys/fs/cgroup
mkdir "/sys/fs/cgroup/${1##*/}"
echo $$ >"/sys/fs/cgroup/${1##*/}/cgroup.procs"
/lib/systemd/systemd --user --log-target=console &
wait`

// tidy removes its control groups.
const tidy = `umount -l /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 none /sys/fs/cgroup && find "/sys/fs/cgroup/${1##*/}" -depth -type d -exec rmdir {} +`

// systemd is a systemd for one user.
type systemd struct {
	t    *testing.T
	root string
	env  []string
	cmd  *exec.Cmd
	log  *output
}

func startSystemd(t *testing.T) *systemd {
	t.Helper()
	for _, name := range []string{"unshare", "nsenter", "systemctl", "/lib/systemd/systemd"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("there is no", name)
		}
	}
	spaces := []string{"--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"}
	try := exec.CommandContext(t.Context(), "unshare", append(spaces, "mount", "-t", "cgroup2", "none", "/sys/fs/cgroup")...)
	if said, err := try.CombinedOutput(); err != nil {
		t.Skipf("no systemd of its own can be had here: %v %s", err, said)
	}
	root, err := os.MkdirTemp("", "ply-") //nolint:usetesting // TempDir's path is too long for the sockets that will be in it
	if err != nil {
		t.Fatal(err)
	}
	s := &systemd{t: t, root: root, log: &output{}}
	for _, dir := range []string{"home/.config/systemd/user/parley.service.d", "run"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// Faster than the default.
	if err := os.WriteFile(filepath.Join(root, "home/.config/systemd/user/parley.service.d/fast.conf"),
		[]byte("[Service]\nWatchdogSec=3s\nTimeoutStopSec=6s\nTimeoutAbortSec=1s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.env = []string{
		"HOME=" + filepath.Join(root, "home"), "XDG_RUNTIME_DIR=" + filepath.Join(root, "run"), "PATH=" + os.Getenv("PATH"),
		"PARLEY_CLAUDE_BIN=/nonexistent",
	}
	s.cmd = exec.Command("unshare", append(spaces, "bash", "-c", own, "bash", root)...) //nolint:noctx // it is ended below
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = s.env, s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		_ = exec.Command("unshare", "--mount", "--propagation", "private", "bash", "-c", tidy, "bash", root).Run() //nolint:noctx // it takes no time
		_ = os.RemoveAll(root)
		if t.Failed() {
			t.Logf("systemd:\n%s", s.log)
		}
	})
	s.until("systemd answers", func() bool { _, err := s.inside("systemctl", "--user", "is-system-running"); return err == nil })
	return s
}

// inside runs a program where that systemd is the machine's.
func (s *systemd) inside(args ...string) (string, error) {
	s.t.Helper()
	children, err := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(children), " ")
	cmd := exec.CommandContext(s.t.Context(), "nsenter", append([]string{"-t", first, "-m", "-p"}, args...)...)
	cmd.Env = s.env
	text, err := cmd.CombinedOutput()
	return string(text), err
}

func (s *systemd) until(what string, is func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(limit); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("%s: not in time; systemd:\n%s", what, s.log)
		}
	}
}

type serviceStatus struct {
	Installed, Enabled  bool
	State, Says, Result string
	PID, Restarts       int
}

func (s *systemd) status() (status serviceStatus) {
	s.t.Helper()
	text, _ := s.inside(program, "service", "status", "--json") // its exit code says that nothing runs
	if err := json.Unmarshal([]byte(text), &status); err != nil {
		s.t.Fatalf("status: %v: %s", err, text)
	}
	return status
}

// The service under a real systemd: it is ready when it says so, restarts when it is
// killed, is ended and restarted when it hangs, and leaves nothing but data.
func TestService(t *testing.T) {
	t.Parallel()
	s := startSystemd(t)
	data := filepath.Join(s.root, "data")
	if text, err := s.inside(program, "service", "install", "--announce", "--data", data); err != nil {
		t.Fatalf("install: %v: %s", err, text)
	}
	// It was ready before install returned.
	first := s.status()
	if !first.Installed || !first.Enabled || first.State != "active (running)" || first.PID == 0 || first.Restarts != 0 {
		t.Fatalf("after the installation: %+v", first)
	}
	s.until("it says how it is", func() bool { return strings.HasPrefix(s.status().Says, "At http://127.0.0.1:") })
	if text, err := s.inside(program, "call", "--data", data, "app.problems"); err != nil {
		t.Errorf("it does not answer: %v: %s", err, text)
	}
	// Longer than the watchdog's timeout.
	s.until("the watchdog heard of it again and again", func() bool {
		text, err := s.inside("systemctl", "--user", "show", "parley", "--property=WatchdogTimestampMonotonic,ActiveEnterTimestampMonotonic")
		var heard, began int64
		for line := range strings.Lines(text) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			n, _ := strconv.ParseInt(value, 10, 64)
			if name == "WatchdogTimestampMonotonic" {
				heard = n
			} else {
				began = n
			}
		}
		return err == nil && heard-began > 4e6
	})
	if now := s.status(); now.PID != first.PID {
		t.Fatalf("it was started again while it worked: %+v", now)
	}

	signal := func(name string, pid int) {
		t.Helper()
		if text, err := s.inside("kill", "-"+name, strconv.Itoa(pid)); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	another := func(than int) (pid int) {
		t.Helper()
		s.until("it runs again", func() bool {
			now := s.status()
			pid = now.PID
			return now.State == "active (running)" && now.PID != 0 && now.PID != than
		})
		return pid
	}
	signal("KILL", first.PID)
	second := another(first.PID)
	signal("STOP", second) // it hangs
	third := another(second)
	if now := s.status(); now.Restarts != 2 {
		t.Errorf("after it was killed and hung: %+v", now)
	}
	// An orderly end is no failure.
	signal("TERM", third)
	s.until("it has ended", func() bool { return s.status().State == "inactive (dead)" })

	if text, err := s.inside(program, "service", "uninstall"); err != nil {
		t.Fatalf("uninstall: %v: %s", err, text)
	}
	if now := s.status(); now.Installed || now.PID != 0 {
		t.Errorf("after it was removed: %+v", now)
	}
	if _, err := os.Stat(filepath.Join(data, "parley.db")); err != nil {
		t.Errorf("the data is gone: %v", err)
	}
}
