package desktop

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// withoutFork runs open while no process can be started, and marks all pipes open afterwards
// close-on-exec. Only the standard streams are meant to be inherited; os/exec passes everything
// else itself.
func withoutFork(open func()) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	open()
	const dir = "/proc/self/fd"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= 2 {
			continue
		}
		if target, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && strings.HasPrefix(target, "pipe:") {
			syscall.CloseOnExec(fd)
		}
	}
}
