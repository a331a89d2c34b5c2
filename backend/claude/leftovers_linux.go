package claude

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// killRunWait is how long the descendants of a dead CLI get to end on TERM.
const killRunWait = 200 * time.Millisecond

// KillRun ends every process that descends from one CLI process.
func KillRun(run string, log *slog.Logger) {
	if n := killMarked(func(m Marks) bool { return m.run == run }, killRunWait); n > 0 {
		log.Warn("Ended what the CLI left behind", "processes", n)
	}
}

// killMarked signals the processes whose marks match: TERM, and after wait KILL,
// again and again until there are none, because a process may have forked in
// between. It returns how many it found.
func killMarked(match func(Marks) bool, wait time.Duration) int {
	found := signalMarked(match, syscall.SIGTERM)
	if found == 0 {
		return 0
	}
	deadline := time.Now().Add(wait)
	for time.Now().Before(deadline) && signalMarked(match, 0) > 0 {
		time.Sleep(10 * time.Millisecond)
	}
	for range 20 {
		if signalMarked(match, syscall.SIGKILL) == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return found
}

// signalMarked signals every process that matches and returns how many there are.
func signalMarked(match func(Marks) bool, sig syscall.Signal) int {
	n := 0
	for _, pid := range allProcesses() {
		// The handle first, the marks after: so the signal reaches the process whose
		// marks were read, even if its number is given away in between.
		handle, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if m, ok := marksOf(pid); ok && pid != os.Getpid() && match(m) && !zombie(pid) {
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

// marksOf reads a process's marks. It returns none for a process of another user.
func marksOf(pid int) (Marks, bool) {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return Marks{}, false
	}
	return ReadMarks(env)
}

// zombie says whether a process has ended and only waits to be counted.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	// The state follows the name, which is in parentheses and may hold anything.
	i := bytes.LastIndexByte(stat, ')')
	return i >= 0 && len(stat) > i+2 && (stat[i+2] == 'Z' || stat[i+2] == 'X')
}
