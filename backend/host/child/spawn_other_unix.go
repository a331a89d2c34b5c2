//go:build unix && !linux

package child

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"

	"golang.org/x/sys/unix"
)

// prepare gives the CLI its own process group, so that a Ctrl+C meant for
// Parley doesn't reach it.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
}

// watch waits for a line or for the end of its input. A line means that the CLI
// has ended in order; the end without one means that Parley is gone: the CLI is
// told to clean up, then killed.
const watch = `if read -r line; then exit 0; fi
kill -TERM "$1" 2>/dev/null
for i in 1 2 3 4 5 6 7 8; do sleep 0.5; kill -0 "$1" 2>/dev/null || exit 0; done
kill -KILL "$1" 2>/dev/null`

// group ties the CLI to Parley's life: a shell that outlives Parley just long
// enough to end the CLI. It detects Parley's end through a pipe that only Parley
// holds.
type group struct {
	watchdog *exec.Cmd
	pipe     io.WriteCloser
}

func guard(cli *os.Process, log *slog.Logger) (group, error) {
	cmd := exec.Command("/bin/sh", "-c", watch, "parley-watchdog", strconv.Itoa(cli.Pid))
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	pipe, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		// Without it only a crash of Parley leaves the CLI behind.
		log.Warn("Couldn't start the watchdog", "err", err)
		return group{}, nil
	}
	return group{cmd, pipe}, nil
}

func (g group) release() {
	if g.watchdog == nil {
		return
	}
	fmt.Fprintln(g.pipe)
	g.pipe.Close()
	_ = g.watchdog.Wait()
}

// enter does nothing: there are no control groups here.
func enter(*exec.Cmd, int) {}
