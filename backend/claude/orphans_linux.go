package claude

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Orphan is a process that a Parley started which is not there any more.
type Orphan struct {
	PID       int
	Owner     int
	SessionID string
}

// Orphans finds processes that carry the marks of a Parley that has ended: what is
// left after a crash in spite of everything. A process that dropped its environment
// is not found, nor one whose owner's number was given to somebody else.
func Orphans() []Orphan {
	var out []Orphan
	for _, pid := range allProcesses() {
		marks := marksOf(pid)
		owner, err := strconv.Atoi(marks[MarkOwner])
		if err != nil || owner == os.Getpid() || alive(owner) {
			continue
		}
		out = append(out, Orphan{PID: pid, Owner: owner, SessionID: marks[MarkSession]})
	}
	return out
}

// KillOrphans ends orphans, with TERM first and KILL after wait.
func KillOrphans(orphans []Orphan, wait time.Duration) {
	owners := make(map[string]bool)
	for _, o := range orphans {
		owners[strconv.Itoa(o.Owner)] = true
	}
	killMarked(func(m map[string]string) bool { return owners[m[MarkOwner]] }, wait)
}

// killRunWait is how long the descendants of a dead CLI get to end on TERM.
const killRunWait = 200 * time.Millisecond

// KillRun ends every process that descends from one CLI process.
func KillRun(run string, log *slog.Logger) {
	if n := killMarked(func(m map[string]string) bool { return m[markRun] == run }, killRunWait); n > 0 {
		log.Warn("Ended what the CLI left behind", "processes", n)
	}
}

// killMarked signals the processes whose marks match: TERM, and after wait KILL,
// again and again until there are none, because a process may have forked in
// between. It returns how many it found.
func killMarked(match func(map[string]string) bool, wait time.Duration) int {
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
func signalMarked(match func(map[string]string) bool, sig syscall.Signal) int {
	n := 0
	for _, pid := range allProcesses() {
		// The handle first, the marks after: so the signal reaches the process whose
		// marks were read, even if its number is given away in between.
		handle, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if pid != os.Getpid() && match(marksOf(pid)) && !zombie(pid) {
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
func marksOf(pid int) map[string]string {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil || !bytes.Contains(env, []byte(MarkOwner+"=")) {
		return nil
	}
	marks := make(map[string]string)
	for kv := range strings.SplitSeq(string(env), "\x00") {
		switch k, v, _ := strings.Cut(kv, "="); k {
		case MarkOwner, MarkSession, markRun:
			marks[k] = v
		}
	}
	return marks
}

func alive(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) && !zombie(pid)
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
