package toolserver

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A process may have any name, also one that looks like the fields behind it.
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
