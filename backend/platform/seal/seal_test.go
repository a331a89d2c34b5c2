//go:build linux

package seal_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"parley/backend/platform/seal"
)

const playVariable = "SEAL_TEST_PLAY"

// TestMain acts as the sealed process.
func TestMain(m *testing.M) {
	if os.Getenv(playVariable) == "" {
		os.Exit(m.Run())
	}
	environ, err := seal.Process(func(name string) bool { return strings.HasPrefix(name, "HIDDEN_") })
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	var core unix.Rlimit
	_ = unix.Getrlimit(unix.RLIMIT_CORE, &core)
	left := 0
	for _, pair := range os.Environ() {
		if strings.HasPrefix(pair, "HIDDEN_") {
			left++
		}
	}
	// It can still do what Parley does with its own files.
	_, fdErr := os.ReadDir("/proc/self/fd")
	_, exeErr := os.Executable()
	_, statErr := os.ReadFile("/proc/self/stat")
	child, childErr := exec.Command("/bin/sh", "-c", "tr '\\0' '\\n' </proc/$$/environ").Output()
	fmt.Printf("%t %d %v %v %v %v %v %t\n", strings.Contains(strings.Join(environ, "\n"), "HIDDEN_TOKEN=topsecret"), left, core, fdErr, exeErr, statErr, childErr,
		strings.Contains(string(child), "HIDDEN_TOKEN") || !strings.Contains(string(child), "SHOWN=yes"))
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// nobody is a user that this test may switch to.
const nobody = 65534

// sealed starts a user's sealed process, and returns its pid.
func sealed(t *testing.T, uid uint32) (pid int, said string) {
	t.Helper()
	// The test binary is in a folder that only its user may enter.
	program := filepath.Join(publicDir(t), "sealed")
	own, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(program, own, 0o755) //nolint:gosec // another user runs it
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Dir = "/"
	cmd.Env = []string{playVariable + "=1", "PATH=/usr/bin:/bin", "SHOWN=yes", "HIDDEN_TOKEN=topsecret", "HIDDEN_EMPTY=", "LAST=topsecretly"}
	as(cmd, uid)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err, line)
	}
	return cmd.Process.Pid, strings.TrimSpace(line)
}

func publicDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "seal-") //nolint:usetesting // TempDir is below a folder that other users may not enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // another user runs what is in it
		t.Fatal(err)
	}
	return dir
}

func as(cmd *exec.Cmd, uid uint32) {
	if uid != uint32(os.Getuid()) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	}
}

// Another process of the same user can't do what a process is sealed against; the
// process itself can do what it needs.
func TestProcess(t *testing.T) {
	uid := uint32(os.Getuid())
	if uid == 0 {
		uid = nobody
	}
	pid, said := sealed(t, uid)
	if want := "true 0 {0 0} <nil> <nil> <nil> <nil> false"; said != want {
		t.Errorf("the process says %q", said)
	}
	proc := "/proc/" + strconv.Itoa(pid)
	for _, file := range []string{"environ", "mem", "maps", "fd/0", "io", "smaps", "pagemap", "auxv"} {
		cmd := exec.Command("/bin/sh", "-c", `exec 3< "$0"`, proc+"/"+file)
		as(cmd, uid)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "ermission denied") && !strings.Contains(string(out), "cannot open") {
			t.Errorf("%s: %v, %s", file, err, out)
		}
	}
	// An unsealed process shows them, so the test can fail.
	if out, err := exec.Command("/bin/sh", "-c", "cat /proc/$$/environ").CombinedOutput(); err != nil {
		t.Errorf("the environment of another process: %v, %s", err, out)
	}
	if os.Getuid() != 0 {
		return
	}
	// Root sees that the value is gone, and nothing else.
	environ, err := os.ReadFile(proc + "/environ")
	if err != nil || bytes.Contains(environ, []byte("topsecret\x00")) {
		t.Errorf("the environment holds the secret (%v): %q", err, environ)
	}
	if !bytes.Contains(environ, []byte("HIDDEN_TOKEN=xxxxxxxxx\x00")) || !bytes.Contains(environ, []byte("LAST=topsecretly\x00")) {
		t.Errorf("the environment: %q", environ)
	}
}
