//go:build unix

package atomicfile_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"parley/backend/platform/atomicfile"
)

// A pipe isn't ours, and is left alone.
func TestAPipeStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if err := atomicfile.File(path, []byte("new")); err == nil {
		t.Error("the pipe was replaced")
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("it is %v, %v", info.Mode(), err)
	}
}
