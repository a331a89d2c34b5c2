package child

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// killRunWait is how long the descendants of a dead program may take to end on
// TERM.
const killRunWait = 200 * time.Millisecond

// EndMarked ends every process with an environment entry ("NAME=value"), and returns
// how many it found.
func EndMarked(mark string) int {
	return endMarked([]byte(mark), killRunWait)
}

// endMarked signals the processes with the mark: TERM, and after wait KILL,
// repeatedly until there are none, because a process may have forked in between.
// It returns how many it found.
func endMarked(mark []byte, wait time.Duration) int {
	found := signalMarked(mark, syscall.SIGTERM)
	if found == 0 {
		return 0
	}
	deadline := time.Now().Add(wait)
	for time.Now().Before(deadline) && signalMarked(mark, 0) > 0 {
		time.Sleep(10 * time.Millisecond)
	}
	for range 20 {
		if signalMarked(mark, syscall.SIGKILL) == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return found
}

// signalMarked signals every process with the mark and returns their number.
func signalMarked(mark []byte, sig syscall.Signal) int {
	n := 0
	for _, pid := range allProcesses() {
		// The handle is obtained before the mark is read, so that the signal
		// reaches that process even if its pid is reused in between.
		handle, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if pid != os.Getpid() && marked(pid, mark) && !zombie(pid) {
			if err := handle.Signal(sig); !errors.Is(err, os.ErrProcessDone) {
				n++
			}
		}
		_ = handle.Release()
	}
	return n
}

func allProcesses() []int {
	names, _ := filepath.Glob("/proc/[0-9]*")
	pids := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(filepath.Base(name)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// marked reports whether a process has an environment entry. Other users' environments are
// unreadable.
func marked(pid int, mark []byte) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil || len(mark) == 0 || !bytes.Contains(env, mark) {
		return false
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.Equal(entry, mark) {
			return true
		}
	}
	return false
}

// zombie reports whether a process has ended and only waits to be reaped.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	// The state follows the name, which is in parentheses and may contain
	// anything.
	i := bytes.LastIndexByte(stat, ')')
	return i >= 0 && len(stat) > i+2 && (stat[i+2] == 'Z' || stat[i+2] == 'X')
}
