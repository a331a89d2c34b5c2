package child

import (
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// prepare sets how the CLI is forked. It gets its own process group, so that a
// Ctrl+C meant for Parley doesn't reach it, and TERM from the kernel when the
// thread that forks it ends: not KILL, because on TERM it ends its tools too.
func prepare(cmd *exec.Cmd) {
	closeForeignPipes()
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGTERM}
}

// enter makes the CLI start in a control group.
func enter(cmd *exec.Cmd, fd int) { cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, fd }

// closeForeignPipes keeps pipes that C libraries or Parley's own parent left
// inheritable from the CLI and its tools, where they would keep a reader waiting
// for their end. Go's own are close-on-exec from the start.
func closeForeignPipes() {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= 2 {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC != 0 {
			continue
		}
		if target, _ := os.Readlink("/proc/self/fd/" + e.Name()); strings.HasPrefix(target, "pipe:") {
			unix.CloseOnExec(fd)
		}
	}
}

// group ties the CLI to Parley's life. On Linux the death signal does that.
type group struct{}

func guard(*os.Process, *slog.Logger) (group, error) { return group{}, nil }

func (group) release() {}
