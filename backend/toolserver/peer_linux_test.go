package toolserver

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A process may have any name, even one that looks like the fields after it.
func TestParentOf(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	link := filepath.Join(t.TempDir(), "a) S 1 (b")
	if err := os.Symlink(sleep, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(link, "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	if parent, err := parentOf(cmd.Process.Pid); err != nil || parent != os.Getpid() {
		t.Errorf("parent %d %v, want %d", parent, err, os.Getpid())
	}
	if _, err := parentOf(999999999); err == nil {
		t.Error("a process that is not there has a parent")
	}
}

// The system reports the peer's user and the process that started it.
func TestIdentify(t *testing.T) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(shortDir(t), "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	there, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	conn, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	got, err := identify(conn)
	if want := (peer{uid: os.Getuid(), uidKnown: true, parent: os.Getppid(), parentKnown: true}); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	_ = conn.Close()
	if got, err := identify(conn); err == nil || got != (peer{}) {
		t.Errorf("of a closed connection: %+v, %v", got, err)
	}
}
