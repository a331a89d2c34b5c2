package install

import (
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"parley/app/feature"
	"parley/backend/fault"
)

// An installation ends with Parley, even if Parley is killed.
func TestKilledParley(t *testing.T) {
	if dir := os.Getenv("INSTALL_CHILD"); dir != "" {
		s := New(Config{Env: []string{"PATH=" + dir + ":/usr/bin:/bin"}, Home: dir, DataDir: dir, Log: slog.New(slog.DiscardHandler)})
		_, _ = s.Install(t.Context(), feature.Empty{})
		select {}
	}
	dir := t.TempDir()
	fifo := filepath.Join(dir, "alive")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte("#!/bin/sh\nexec sleep 3600 3>'"+fifo+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	parley := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledParley$")
	parley.Env = append(os.Environ(), "INSTALL_CHILD="+dir)
	if err := parley.Start(); err != nil {
		t.Fatal(err)
	}
	// It opens once npm has it, and ends with npm.
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

// An installation reports its progress. A canceled one ends, leaves nothing behind, and does not
// count as npm's failure; a second one at the same time is refused.
func TestInstallIsCancelled(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "wait")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte("#!/bin/sh\nmkdir -p node_modules/half\necho 'npm http fetch GET 200 https://example.org/cli 12ms' >&2\nprintf 'npm http half'\nread line <'"+fifo+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := New(Config{Env: []string{"PATH=" + dir + ":/usr/bin:/bin"}, Home: dir, DataDir: dir, Log: slog.New(slog.DiscardHandler)})
	news := func() CLIInstalling {
		t.Helper()
		n, err := c.Installing(t.Context(), feature.Empty{})
		done(t, err)
		return n
	}
	if n := news(); n != (CLIInstalling{}) {
		t.Errorf("before: %+v", n)
	}
	_, err := c.CancelInstall(t.Context(), feature.Empty{})
	done(t, err)
	ended := make(chan error)
	go func() {
		_, err := c.Install(t.Context(), feature.Empty{})
		ended <- err
	}()
	// It opens once npm reads from it.
	w, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	done(t, err)
	defer w.Close()
	for news().Step == "" {
		runtime.Gosched()
	}
	if n := news(); !n.Running || n.Step != "fetch GET 200 https://example.org/cli 12ms" {
		t.Errorf("while it runs: %+v", n)
	}
	if _, err := c.Install(t.Context(), feature.Empty{}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("a second one: %v", err)
	}
	_, err = c.CancelInstall(t.Context(), feature.Empty{})
	done(t, err)
	if err := <-ended; fault.CodeOf(err) != fault.Conflict || !strings.Contains(fault.MessageOf(err), "canceled") {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "cli")); !os.IsNotExist(err) {
		t.Errorf("what is left: %v", err)
	}
	if n := news(); n.Running {
		t.Errorf("afterwards: %+v", n)
	}
}
