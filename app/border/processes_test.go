//go:build linux

package border

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is a running process as /proc shows it.
type process struct {
	pid  int
	args []string
	env  []string
}

func (p process) get(key string) string {
	for _, kv := range p.env {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			return v
		}
	}
	return ""
}

// processes returns those that belong to this Parley, including itself: they have
// its folders in their environment or arguments, or work in them. Only root may inspect
// Parley's own programs: these are identified by their arguments and their parent.
func (p *parley) processes() []process {
	var list, sealed []process
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		env, err := os.ReadFile(filepath.Join(name, "environ"))
		if err != nil && !os.IsPermission(err) || isZombie(name) {
			continue
		}
		cwd, _ := os.Readlink(filepath.Join(name, "cwd"))
		args, _ := os.ReadFile(filepath.Join(name, "cmdline"))
		pid, _ := strconv.Atoi(filepath.Base(name))
		one := process{
			pid:  pid,
			args: strings.Split(strings.TrimRight(string(args), "\x00"), "\x00"),
			env:  strings.Split(string(env), "\x00"),
		}
		if bytes.Contains(env, []byte(p.root)) || strings.HasPrefix(cwd, p.root) || bytes.Contains(args, []byte(p.root)) {
			list = append(list, one)
		} else if err != nil {
			sealed = append(sealed, one)
		}
	}
	for i := 0; i < len(list); i++ { // it grows
		for _, one := range sealed {
			if startedBy(one.pid) == list[i].pid {
				list = append(list, one)
			}
		}
	}
	return list
}

// startedBy is the parent of a process, 0 when that has ended.
func startedBy(pid int) int {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// The name is in parentheses and may contain any characters.
	number, _ := strconv.Atoi(strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))[1])
	return number
}

// alone reports whether Parley runs nothing but, perhaps, the host and the guard of its
// children.
func (p *parley) alone() bool {
	for _, one := range p.processes() {
		if one.pid != p.pid && !slices.Contains(one.args, "host") && !slices.Contains(one.args, "guard") {
			return false
		}
	}
	return true
}

// isZombie reports whether a process has ended or waits to be reaped.
func isZombie(dir string) bool {
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return true
	}
	// The state follows the name, which is in parentheses and may contain any characters.
	_, after, _ := bytes.Cut(stat[max(0, bytes.LastIndexByte(stat, ')')):], []byte(" "))
	return len(after) > 0 && (after[0] == 'Z' || after[0] == 'X')
}

// running returns the processes whose arguments contain word.
func (p *parley) running(word string) []process {
	var list []process
	for _, proc := range p.processes() {
		if strings.Contains(strings.Join(proc.args, " "), word) {
			list = append(list, proc)
		}
	}
	return list
}

// left returns the processes that still exist after patience: none, if all
// ended before.
func (p *parley) left(patience time.Duration) []process {
	deadline := time.Now().Add(patience)
	for {
		list := p.processes()
		if len(list) == 0 || time.Now().After(deadline) {
			return list
		}
		time.Sleep(10 * time.Millisecond) // only polling is possible
	}
}

func killAll(list []process) {
	for _, proc := range list {
		_ = syscall.Kill(proc.pid, syscall.SIGKILL)
	}
}

// poll waits for a condition that must be polled.
func poll(t testing.TB, what string, is func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for !is() {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", what, limit)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// pollFile waits for a file and returns its content.
func pollFile(t testing.TB, path string) string {
	t.Helper()
	var content []byte
	poll(t, path, func() bool {
		content, _ = os.ReadFile(path)
		return len(content) > 0
	})
	return string(content)
}

// noteTime logs how long something took, beside its usual time on an idle
// machine. It fails no test: a busy disk or processor says
// nothing about Parley.
func noteTime(t testing.TB, what string, took, usual time.Duration) {
	t.Helper()
	if took > usual {
		t.Logf("%s took %v, usually at most %v", what, took.Round(time.Millisecond), usual)
	}
}

// residentMB is the memory of a process.
func residentMB(t testing.TB, pid int) int {
	t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmRSS:" {
			kb, _ := strconv.Atoi(fields[1])
			return kb >> 10
		}
	}
	t.Fatalf("process %d has no memory", pid)
	return 0
}
