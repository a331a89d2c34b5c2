package signin

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// A login ends with Parley, even if Parley is killed.
func TestKilledParley(t *testing.T) {
	if fifo := os.Getenv("SIGN_IN_CHILD"); fifo != "" {
		s := served(t, said+"exec sleep 3600 3>'"+fifo+"'", true)
		_, _ = s.Begin(t.Context(), SignInParams{})
		select {}
	}
	fifo := filepath.Join(t.TempDir(), "alive")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	parley := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledParley$")
	parley.Env = append(os.Environ(), "SIGN_IN_CHILD="+fifo, "TMPDIR="+t.TempDir())
	if err := parley.Start(); err != nil {
		t.Fatal(err)
	}
	// It opens once the CLI has it, and ends with the CLI.
	alive, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	if err := parley.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parley.Wait()
	if _, err := io.ReadAll(alive); err != nil {
		t.Error(err)
	}
}
